// The coach's panel: the best three actions with their values and reasons; the others can be opened.
import { h, remember, remembered } from "./dom.js";
import { covered, mayAct } from "./phases.js";
import { rounded } from "./words.js";

const SHOWN = 3;

// `most` is how many actions are listed in all.
export function drawAdvice(advice, act, most = 30) {
  const values = advice.actions.map((action) => action.value);
  const [best, worst] = [Math.max(...values), Math.min(...values)];
  const width = (value) => (best === worst ? 100 : 8 + (92 * (value - worst)) / (best - worst));
  const sign = advice.unit.startsWith("%") ? " %" : "";
  const worth = ({ value, error }, place) => {
    const known = place ? error : (advice.actions[1]?.error ?? 0);
    return `${rounded(value, known)}${sign}${place && error > 1e-6 ? ` ± ${rounded(error, error)}` : ""}`;
  };
  const line = (action, place) => {
    const words = [h("span.what", action.text), h("span.worth", worth(action, place))];
    const button = h("button", { disabled: !act, onclick: () => act(action.action) }, words);
    const bar = h("progress", { max: 100, value: width(action.value), "aria-hidden": "true" });
    return h("li", { class: place === 0 ? "best" : "" }, button, bar, action.reason && h("p", action.reason));
  };
  const others = advice.actions.slice(SHOWN, most).map((action) => line(action, 1));
  const count = h("summary", `${advice.actions.length - SHOWN} more`);
  const source = `By ${advice.source}.${advice.strength ? ` As a player the coach ${advice.strength}.` : ""}`;
  return h(
    "div.advice",
    h("ol", advice.actions.slice(0, SHOWN).map(line)),
    others.length > 0 && h("details", count, h("ol", others)),
    h("details.source", { "data-part": "source" }, h("summary", `Values in ${advice.unit}`), h("p", source)),
  );
}

export function drawCoach(table) {
  const { state, advice } = table;
  if (state.hints === "off" || (state.seat === null && !covered(table))) return null;
  const onchange = (event) => remember("warn", event.target.checked ? "yes" : "");
  const warn = h("input", { type: "checkbox", checked: Boolean(remembered("warn", "")), onchange });
  return h(
    "section.coach",
    { "aria-label": "Coach", tabIndex: 0 },
    h("h2", "Coach", h("label", warn, " warn before a blunder")),
    table.thinking && h("p.quiet", { "data-part": "thinking" }, table.thinking, h("progress")),
    advice ? drawAdvice(advice, table.busy ? null : (action) => table.act(action)) : drawInvitation(table),
  );
}

function drawInvitation(table) {
  const { game, ended, tip } = table.state;
  if (table.thinking || ended) return null;
  const beginner = !remembered(`taught.${game}`, ""); // Who has the tip below the table.
  if (mayAct(table) && !beginner && tip) return h("p", tip);
  return h("p.quiet", "Hint (h) shows the three best moves, what they are worth, and why.");
}
