// The coach's panel: the best three actions with their values and reasons; the others can be opened.
import { h, plain, remember, remembered } from "./dom.js";

const SHOWN = 3;

// `most` is how many actions are listed in all.
export function drawAdvice(advice, act, most = 30) {
  const values = advice.actions.map((action) => action.value);
  const [best, worst] = [Math.max(...values), Math.min(...values)];
  const width = (value) => (best === worst ? 100 : 8 + (92 * (value - worst)) / (best - worst));
  const worth = (value) => (advice.unit.startsWith("%") ? `${plain(value)} %` : plain(value));
  const line = (action, place) => h("li", { class: place === 0 ? "best" : "" },
    h("button", { type: "button", disabled: !act, onclick: () => act(action.action) },
      h("span", { class: "what" }, action.text), h("span", { class: "worth" }, worth(action.value))),
    h("progress", { max: 100, value: width(action.value), "aria-hidden": "true" }),
    action.reason && h("p", {}, action.reason));
  return h("div", { class: "advice" },
    h("ol", {}, advice.actions.slice(0, SHOWN).map(line)),
    advice.actions.length > SHOWN && h("details", {}, h("summary", {}, `${advice.actions.length - SHOWN} more`),
      h("ol", {}, advice.actions.slice(SHOWN, most).map((action) => line(action, 1)))),
    h("details", { class: "source", "data-part": "source" }, h("summary", {}, `Values in ${advice.unit}`),
      h("p", {}, `By ${advice.source}.${advice.strength ? ` As a player the coach ${advice.strength}.` : ""}`)));
}

// A warning if an action is a blunder, which does not say what is better; null otherwise.
export function blunder(advice, action) {
  const chosen = advice.actions.find((option) => option.action === action);
  if (!chosen || !advice.actions.length) return null;
  const cost = advice.actions[0].value - chosen.value;
  return advice.blunder !== undefined && cost >= advice.blunder
    ? `“${chosen.text}” costs ${plain(cost)} ${advice.unit} against the best move.` : null;
}

// The panel of a table, whose person may ask.
export function drawCoach(table) {
  const { state, advice } = table;
  if (state.hints === "off" || (state.seat === null && !table.covered())) return null;
  const warn = h("input", { type: "checkbox", checked: Boolean(remembered("warn", "")), onchange: (event) => remember("warn", event.target.checked ? "yes" : "") });
  return h("section", { class: "coach", "aria-label": "Coach", tabIndex: 0 },
    h("h2", {}, "Coach", h("label", {}, warn, " warn before a blunder")),
    advice ? drawAdvice(advice, table.busy ? null : (action) => table.act(action)) : state.ended ? h("p", { class: "quiet" }, "The review has the coach's verdict.")
      : table.mayAct() && remembered(`taught.${state.game}`, "") && state.tip ? h("p", {}, state.tip) // In a first game it is below the table.
        : h("p", { class: "quiet" }, "Hint (h) shows the three best moves, what they are worth, and why."));
}
