// A watched game, move by move, back too: how the seats stood then, and what the coach says about the move.
import { get } from "./api.js";
import { watching } from "./phases.js";

// Goes a move back or forward; after the last move, the players go on.
export async function step(table, by) {
  if (table.busy) return;
  if (table.at === null && by > 0) return void table.send("step");
  if (table.at === null) table.past = (await table.look(0)).events;
  const last = table.past.length - 1;
  const at = Math.max((table.at ?? last) + by, 0);
  goTo(table, at < last ? at : null);
  table.render();
}

// Takes the state after move number `at` of those that were told; null for the latest.
export function goTo(table, at) {
  if (table.at === null) table.live = table.state;
  const { view, showdown } = table.past?.[at] ?? {};
  const narration = table.live.narration.slice(0, at + 1);
  table.state = at === null ? table.live : { ...table.live, view: showdown ?? view, narration };
  table.at = at;
}

export const momentOf = ({ state, at }) => `${state.version} ${at ?? ""}`;

// How the seats stand and what the last move cost, asked once for a position.
export async function weigh(table) {
  const [at, position] = [table.at ?? "", momentOf(table)];
  if (!watching(table) || table.weighed === position) return;
  table.weighed = position;
  const judge = table.running ? "" : "&judge=1"; // Nobody waits for the coach while the players play.
  const standing = await get(`tables/${table.id}/standing?at=${at}${judge}`).catch(() => null);
  if (standing && !table.closed && table.weighed === position && standing.version === table.state.version) {
    table.standing = { ...standing, position };
    table.render();
  }
}
