// A first game that is explained move by move, and tips in other first games; both can be skipped.
import { h, remember, remembered } from "./dom.js";
import { mayAct } from "./phases.js";

export const lessonOf = (table) => (table.busy || remembered("skipped", "") === table.id ? null : table.state.lesson);

export const proposedBy = (table) => lessonOf(table)?.action ?? table.advice?.actions[0].action;

export function guided(table) {
  const proposed = proposedBy(table);
  const items = table.state.actions.find((action) => action.action === proposed)?.items ?? [];
  return Object.fromEntries(items.map((item) => [item, "guide"]));
}

export function drawTip(table) {
  const { game, tip, ended } = table.state;
  const lesson = lessonOf(table);
  if (!lesson && (!tip || !mayAct(table) || remembered(`taught.${game}`, ""))) return null;
  const skip = () => {
    remember(`taught.${game}`, "yes");
    if (lesson) remember("skipped", table.id);
    table.render();
  };
  return h(
    "p.now.tip",
    h("span", lesson?.text ?? tip),
    !ended &&
      lesson?.action !== null &&
      h("button.soft", { "data-key": "skip", onclick: skip }, lesson ? "Skip lesson" : "Skip tips"),
  );
}
