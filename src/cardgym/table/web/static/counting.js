// Hands that people count themselves before the table does, if the settings say so.
import { h, remembered } from "./dom.js";

const isOwn = ({ name, total }) => name.startsWith("Your ") && /^\+\d/.test(total);

// Asks for the points of each of the person's hands, while the board and the points are as they were before.
export async function count(table, { reveals, showdown }) {
  if (!showdown || table.running || !remembered("count", "")) return;
  const { counters, zones } = table.state.view;
  const before = zones.filter((zone) => zone.kind === "board");
  const view = { ...showdown, counters, zones: [...before, ...showdown.zones.filter((zone) => zone.kind !== "board")] };
  for (const hand of reveals.filter(isOwn)) {
    Object.assign(table.state, { view });
    table.reveals = [{ ...hand, lines: [], total: "?" }];
    const points = await new Promise((counted) => {
      Object.assign(table, { counted, paused: true });
      table.render();
      document.querySelector(".count input")?.focus();
    });
    Object.assign(table, { counted: null, paused: false });
    const right = points === Number(/\d+$/.exec(hand.total)[0]);
    hand.lines.push(right ? "as you counted" : `you counted ${points}`);
  }
}

export const drawCount = ({ counted, reveals: [hand] }) => {
  const onsubmit = (event) => (event.preventDefault(), counted(Number(event.target.elements.points.value)));
  const input = { name: "points", type: "number", min: 0, max: 29, required: true };
  const label = h("label", `${hand.name} scores `, h("input", input));
  return h("form.count.row", { onsubmit }, label, h("button", { type: "submit" }, "Count"));
};
