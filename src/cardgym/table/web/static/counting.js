// Points that people count themselves before the table does, if the settings say so: of their hands, also by muggins,
// where the other takes what they miss, and in the play.
import { h, recalled, remember, remembered } from "./dom.js";
import { holesOf, nearest, pegsOf } from "./motion.js";

const MAX_REMEMBERED = 40;

const isCounted = ({ name, total }) =>
  /^\+\d/.test(total) && remembered(name.startsWith("Your ") ? "count" : name.startsWith("You ") ? "peg" : "none", "");

// What the person has missed at a table; moves that were taken back, after the first `length` texts, take theirs along.
export const missedOf = (claims, id, length) =>
  claims.reduce((sum, { table, at, points }) => sum + (table === id && at < length ? points : 0), 0);
const missed = ({ id, state }) => missedOf(recalled("muggins", []), id, state.narration.length);

// Asks for the points of each of the person's hands, while the board and the points are as they were before.
export async function count(table, { reveals = [], showdown, view: after }) {
  if (table.running) return;
  const { view: before, narration } = table.state;
  const shown = showdown ?? after;
  const late = (parts, isLate) => [...before[parts].filter(isLate), ...shown[parts].filter((part) => !isLate(part))];
  const counters = late("counters", ({ seat }) => seat !== null);
  const view = { ...shown, counters, zones: late("zones", ({ kind }) => kind === "board") };
  let claims = recalled("muggins", []).filter((claim) => claim.table !== table.id || claim.at < narration.length);
  for (const hand of reveals.filter(isCounted)) {
    Object.assign(table.state, { view });
    table.reveals = [{ ...hand, lines: [], total: "?" }];
    const points = await new Promise((counted) => {
      Object.assign(table, { counted, paused: true });
      table.render();
      document.querySelector(".count input")?.focus();
    });
    Object.assign(table, { counted: null, paused: false });
    const lost = Number(/\d+$/.exec(hand.total)[0]) - points;
    const muggins = lost > 0 && remembered("count", "") === "muggins";
    hand.lines.push(lost ? `you counted ${points}${muggins ? `; muggins: −${lost}` : ""}` : "as you counted");
    if (!muggins) continue;
    claims = [...claims, { table: table.id, at: narration.length, points: lost }].slice(-MAX_REMEMBERED);
    remember("muggins", JSON.stringify(claims));
  }
}

// The view with what the other has taken by muggins, which is beside the points of the rules.
export function withMuggins(table, view, points = missed(table)) {
  const gained = (seat) => (seat === table.state.seat ? `−${points}` : `+${points}`);
  const counters = points ? [0, 1].map((seat) => ({ name: "Muggins", value: gained(seat), seat })) : [];
  return { ...view, counters: [...view.counters, ...counters] };
}

// A result such as "You win 121 to 110" by muggins; nothing if the person has missed none.
export function resultWithMuggins(table, text, points = missed(table)) {
  const [, own, other] = (points && /(\d+) to (\d+)/.exec(text)) || [];
  return own && `With muggins ${own - points} to ${Number(other) + points}`;
}

export const drawCount = ({ counted, reveals: [{ name }] }) => {
  const onsubmit = (event) => (event.preventDefault(), counted(Number(event.target.elements.points.value)));
  const input = { name: "points", type: "number", min: 0, max: 29, required: true };
  const words = `${name} scores`.replace(/^You (.*) scores$/, "You score $1");
  const label = h("label", `${words} `, h("input", input));
  return h(
    "form.count.row",
    { onsubmit },
    label,
    h("button", { type: "submit" }, "Count"),
    h("small", "or click the hole"),
  );
};

// Counts the holes from the person's peg to the one that was clicked.
export function pegTo({ state, counted }, { target, clientX, clientY }) {
  const board = counted && target.closest(".board");
  if (!board) return;
  const holes = holesOf(board, state.seat);
  const clicked = new DOMPoint(clientX, clientY).matrixTransform(board.getScreenCTM().inverse());
  counted(Math.max(nearest(holes, clicked) - nearest(holes, pegsOf(board)[state.seat]), 0));
}
