// What a table's page shows: the felt, what happened last, what the person can do, the coach and the log.
import { drawCoach } from "./coach.js";
import { drawCount, pegTo, withMuggins } from "./counting.js";
import { drawDeal } from "./deal.js";
import { drawActions, drawPage, h, keyed, remember, remembered } from "./dom.js";
import { drawTip, guided, proposedBy } from "./lesson.js";
import { drawEnd, drawLog, drawMoves, drawPeople, drawResign, drawStage, drawStanding } from "./panels.js";
import { badgeOf, covered, mayAct, phaseOf, viewOf, watching } from "./phases.js";
import { drawView, hasMarks } from "./view.js";
import { momentOf, step } from "./watching.js";
import { kindsOf, lastActions, lastLines, newsOf, title, verdictOn } from "./words.js";

export function drawTable(table) {
  const { state, busy } = table;
  const reveals = state.ended && !busy ? newsOf(state) : table.reveals;
  const [did, kinds] = [lastActions(state), kindsOf(state)];
  const people = drawPeople(state, covered(table) && !busy);
  const over = drawStage(state.game, reveals, table.paused, state.ended && !busy ? drawEnd(table) : people);
  const look = { choice: choiceOf(table), badge: badgeOf(table), over, marks: guided(table), did, kinds };
  const isAtEnd = ({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight < 40;
  const log = drawLog(state.narration, ({ target }) => (table.atEnd = isAtEnd(target)));
  const felt = drawView(state.game, withMuggins(table, viewOf(table)), state.names, state.seat ?? state.turn, look);
  felt.onclick = table.counted && ((event) => pegTo(table, event));
  const phase = { "data-phase": phaseOf(table), "data-version": state.version };
  const moves = h("div.moves", { "data-part": "moves" }, CONTENT[phaseOf(table)](table));
  const standing = watching(table) && !state.ended && drawStanding(state.names, table.standing);
  const judged = table.standing?.position === momentOf(table) && table.standing.verdict;
  const words = h("span", lastLines(table.lastWords()));
  const said = drawTip(table) ?? h("p.now", words, judged && h("small", verdictOn(judged))); // In reserved lines.
  const actions = drawActions("What you can do", phase, moves, standing, drawTools(table));
  const resign = state.seat !== null && !state.ended && drawResign({ table: table.id, person: state.seat });
  const last = h("p.row", h("button.soft.shutter", { onclick: () => table.toggle() }, "Close"), resign);
  const side = [drawCoach(table), log, drawDeal(table.deal), last];
  const heading = `${title(state.game)}: ${state.names.join(", ")}`;
  const page = drawPage("div.table", heading, [felt, said, actions], "Coach and log", side);
  page.dataset.panel = table.panel;
  return page;
}

function choiceOf(table) {
  const open = new Set(mayAct(table) ? table.left().flatMap((action) => action.items) : []);
  return { open, taken: table.taken, take: (item) => table.take(item) };
}

const prompt = (words) => h("span.prompt", { "data-part": "prompt" }, words);
const runs = (table, words) => keyed("button", "r", "r", words, () => table.run());

const CONTENT = {
  paused: (table) =>
    table.counted ? drawCount(table) : keyed("button", "go", "Space", "Go on", () => table.hurry?.()),
  busy: (table) => {
    const { state, sent } = table;
    const said = state.seat !== null && sent ? `You: ${sent}` : "";
    return [
      keyed("button.soft", "skip-wait", "Space", "Faster", () => table.hurry?.()),
      h("span.prompt", { "data-part": "sent" }, said),
      state.seat === null && table.running && runs(table, "Pause"),
    ];
  },
  ended: (table) => {
    const { state } = table;
    const again = state.lesson ? "Play on your own" : state.rematch ? "Join the rematch" : "Rematch";
    const mayAsk = state.people !== "link" || state.seat !== null;
    return [
      h("a.button.best", { href: `#/review/${state.record ?? table.id}` }, "Review this game"),
      mayAsk && h("button.soft", { onclick: () => table.again() }, again),
      h("a.button.soft", { href: "#/" }, "Lobby"),
    ];
  },
  covered: (table) => [
    prompt(`Pass to ${table.state.names[table.state.turn]}:`),
    keyed("button", "show", "Space", "Show my cards", () => table.uncover()),
  ],
  waiting: ({ state }) => prompt(`${state.seat === null ? "You watch. " : ""}Waiting for ${state.waits_for} …`),
  watching: (table) => [
    keyed("button.soft", "back", "←", "Back", () => step(table, -1)),
    keyed("button", "n", "n", "Next move", () => step(table, 1)),
    runs(table, table.running ? "Pause" : "Run"),
  ],
  yours: (table) => {
    const { state, taken } = table;
    return drawMoves(state.view, table.left(), taken, (action) => table.act(action), proposedBy(table));
  },
};

// Shows or hides what each hidden tile can still be, in all games from then on.
function drawPencil(table) {
  const shown = remembered("marks", "");
  const turn = () => (remember("marks", shown ? "" : "on"), table.render());
  const about = { "aria-pressed": String(Boolean(shown)), title: "What each hidden tile can still be" };
  return hasMarks(table.state.view) && keyed("button.soft", "p", "p", "Pencil", turn, about);
}

// The log, the hint and the undo: always there, so that nothing moves when one can be used.
function drawTools(table) {
  const { state, taken, busy } = table;
  const tool = (shown, key, hint, words, act) =>
    keyed(shown && !busy ? "button.soft" : "button.soft.idle", key, hint, words, act);
  const opener = h("button.soft.opener", { "data-key": "panel", onclick: () => table.toggle() }, "Log");
  if (state.seat === null && !covered(table)) return h("div.tools", { "data-part": "tools" }, opener);
  const hint = tool(mayAct(table), "hint", "h", "Hint", () => table.hint());
  const undo = taken.size
    ? tool(true, "undo", "Esc", "Put back", () => table.putBack())
    : tool(state.can_undo, "undo", "u", "Undo", () => table.send("undo"));
  return h("div.tools", { "data-part": "tools" }, opener, drawPencil(table), state.hints !== "off" && hint, undo);
}
