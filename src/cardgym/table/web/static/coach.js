// The coach's panel: the legal actions, best first, each with its value and a reason.
import { h, plain } from "./dom.js";

export function drawAdvice(advice, act) {
  const values = advice.actions.map((action) => action.value);
  const [best, worst] = [Math.max(...values), Math.min(...values)];
  const width = (value) => (best === worst ? 100 : 8 + (92 * (value - worst)) / (best - worst));
  return h("div", { class: "advice" },
    h("p", { class: "quiet" }, `${advice.unit}, by ${advice.source}`),
    h("ol", {}, advice.actions.slice(0, 8).map((action, place) =>
      h("li", { class: place === 0 ? "best" : "" },
        h("button", { type: "button", disabled: !act, onclick: () => act(action.action) },
          h("span", { class: "what" }, action.text), h("span", { class: "worth" }, plain(action.value))),
        h("progress", { max: 100, value: width(action.value), "aria-hidden": "true" }),
        action.reason && h("p", {}, action.reason)))),
    advice.actions.length > 8 && h("p", { class: "quiet" }, `and ${advice.actions.length - 8} more`),
    advice.strength && h("p", { class: "quiet" }, `As a player the coach ${advice.strength}`));
}

// A warning if an action is a blunder; null otherwise.
export function blunder(advice, action) {
  const chosen = advice.actions.find((option) => option.action === action);
  if (!chosen || !advice.actions.length) return null;
  const cost = advice.actions[0].value - chosen.value;
  return advice.blunder !== undefined && cost >= advice.blunder
    ? `“${chosen.text}” costs ${plain(cost)} ${advice.unit}; the best is “${advice.actions[0].text}”.` : null;
}
