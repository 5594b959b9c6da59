// What a table is waiting for, without the page. `table` has the server's `state`, and whether it is `busy` showing
// moves, `paused` at a showdown, or `sending` the person's move.

export const watching = ({ state }) => state.seat === null && state.people === "one";
export const covered = ({ state }) => state.turn !== null && state.seat === null;
export const othersMove = ({ state }) =>
  state.seat !== null && !state.ended && !state.actions.length && !state.waits_for;
export const mayAct = ({ state, busy }) => !busy && !state.ended && state.actions.length > 0;

export function phaseOf(table) {
  const { state } = table;
  if (table.paused) return "paused";
  if (table.busy) return "busy";
  if (state.ended) return "ended";
  if (covered(table)) return "covered";
  if (state.waits_for) return "waiting";
  return state.seat === null ? "watching" : "yours";
}

export function badgeOf({ state, busy, paused, sending }) {
  if (state.ended || paused) return "";
  if (state.view.to_act !== state.seat) return busy ? "thinking …" : "to move";
  if (sending) return "sent …";
  return busy ? "" : "your turn";
}

// The view as it is drawn: while moves are shown, it is not yet the person's turn.
export function viewOf({ state: { view, seat }, busy, paused, sending }) {
  return busy && !paused && !sending && view.to_act === seat ? { ...view, to_act: -1 } : view;
}

// What a screen reader says after moves were shown; `last` are their last words.
export function spoken(table, last, result) {
  const { state } = table;
  if (state.ended) return result;
  if (mayAct(table)) return `${last} Your turn.`;
  return covered(table) ? `Pass to ${state.names[state.turn]}.` : last;
}

export function isOneOfMany(event, next) {
  return event.seat < 0 && next?.seat < 0 && !event.showdown && !event.reveals?.length;
}

// How long a move is shown, in units of the speed: longer for what is counted line by line.
export function lengthOf(event) {
  const lines = (event.reveals ?? []).reduce((sum, shown) => sum + 1 + shown.lines.length, 0);
  return (event.seat < 0 ? 0.3 : 1) + 0.4 * lines;
}

// The request for another game like this one; after a lesson, for one with the usual options.
export function likeThis({ table, game, options, opponents, host, hints, people, names, lesson }, name = "") {
  const around = [...names.slice(host), ...names.slice(0, host)];
  const persons = around.filter((_, ahead) => !ahead || opponents[ahead - 1] === "human");
  const wanted = { game, options: lesson ? {} : options, opponents, seat: host, seed: null, hints, people };
  if (people === "link") return { ...wanted, names: [name], rematch: table };
  return people === "hot" ? { ...wanted, names: persons } : wanted;
}
