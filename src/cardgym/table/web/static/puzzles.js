// Puzzles: find the best action of a position, also at the mistakes of a game again; the page keeps the streak.
import { get, post, telling } from "./api.js";
import { drawAdvice } from "./coach.js";
import { chooseGame, drawActions, drawPage, h, keyed, loadSprite, once } from "./dom.js";
import { recalled, remember, remembered, say, tellWaiting, update, waiting } from "./dom.js";
import { fit, sound } from "./motion.js";
import { Chooser, marksOf } from "./moves.js";
import { drawMoves } from "./panels.js";
import { offerRules } from "./rules.js";
import { drawView } from "./view.js";
import { costOf, points, tallied, title } from "./words.js";

// What is asked, where "Find the best" and the kind of decision is not enough.
const TASKS = {
  play: "Find the best card to play",
  buy: "Buy a card or not?",
  place: "Find the best place for what you drew",
  "turn up": "Find the best tile to turn up",
};

export class Puzzles extends Chooser {
  choices = () => this.puzzle.actions;

  // `record` and `again` are a game and the moves of it that are asked again.
  constructor(place) {
    super();
    const [game, query] = place.split("?");
    const asked = new URLSearchParams(query);
    const again = asked.get("moves")?.split(",") ?? [];
    const first = asked.has("day") ? "?day=1" : "";
    Object.assign(this, { game: game || remembered("puzzles", ""), record: asked.get("record"), again, first });
    this.sizes = new Map();
  }

  async start() {
    this.games = (await get("lobby")).games.filter((game) => game.puzzles).map((game) => game.id);
    if (!this.record && !this.games.includes(this.game)) this.game = this.games[0];
    if (!this.record) remember("puzzles", this.game);
    offerRules(this.game);
    await this.next();
  }

  close = () => (this.closed = true);

  tally = () => recalled(`puzzles.${this.game}`, { streak: 0, best: 0, solved: 0, tried: 0 });

  next() {
    if (!this.puzzle) waiting("Looking for a position with one clearly best move …");
    return once(this, async () => {
      const next = this.record ? `?record=${this.record}&move=${this.again[0]}` : this.first;
      const puzzle = await telling(get(`puzzles/${this.game}${next}`), tellWaiting);
      await loadSprite(this.game);
      if (this.closed) return;
      Object.assign(this, { puzzle, answer: null, chosen: null, tried: false, solved: false, first: "" });
      this.again.shift();
      this.taken.clear();
      this.render();
    });
  }

  act(action) {
    this.taken.clear();
    return once(this, async () => {
      const known = this.tally();
      const answer = await post(`puzzles/${this.puzzle.puzzle}/solve`, { action, ...known.skill });
      if (this.closed) return;
      if (!this.tried && !this.record) remember(`puzzles.${this.game}`, JSON.stringify(tallied(known, answer)));
      const chosen = this.puzzle.actions.find((one) => one.action === action);
      Object.assign(this, { answer, chosen, tried: true, solved: answer.right });
      sound(answer.right ? "end" : "card");
      this.render();
      say(this.verdict());
    });
  }

  task = () => TASKS[this.puzzle.kind] ?? `Find the best ${this.puzzle.kind}`;
  verdict() {
    const { right, cost, advice } = this.answer;
    if (right) return "Right: the best move.";
    const better = this.solved ? ` Better: ${advice.actions[0].text}.` : "";
    return `Not the best: it costs ${costOf(cost, advice.unit)}.${better}`;
  }

  drawNext() {
    const { puzzle, record, solved, answer } = this;
    const change = (values) => () => (Object.assign(this, values), this.render());
    const more = !record || this.again.length > 0;
    const next = keyed("button", "n", "n", record ? "Next mistake" : "Next puzzle", () => this.next());
    const back = h("a.button.best", { href: `#/review/${record}` }, "Back to the review");
    const place = `#/explore/${puzzle.game}?moves=${answer.moves}`;
    return [
      !solved && keyed("button", "t", "t", "Try again", change({ answer: null })),
      !solved && keyed("button.soft", "s", "s", "Show the solution", change({ solved: true })),
      more ? next : back,
      solved && !record && answer.moves && h("a.button.soft", { href: place }, "Explore"),
    ];
  }

  key = ({ key }) => document.querySelector(`.actions button[data-key="${CSS.escape(key)}"]`)?.click();

  render() {
    const { puzzle, answer } = this;
    if (!puzzle) return;
    const open = new Set(answer ? [] : this.left().flatMap((action) => action.items));
    const choice = { open, taken: this.taken, take: (item) => this.take(item) };
    const best = this.solved && puzzle.actions.find((one) => one.action === answer.advice.actions[0].action);
    const marks = answer ? marksOf(best ? best.items : [], this.chosen.items) : {};
    const words = answer ? this.verdict() : `${this.task()} (${puzzle.origin}).`;
    const verdict = answer?.right ? "right" : "wrong";
    const badge = answer ? "" : "your turn";
    const moves = answer
      ? this.drawNext()
      : drawMoves(puzzle.view, this.left(), this.taken, (action) => this.act(action));
    const table = [
      drawView(puzzle.game, puzzle.view, puzzle.names, puzzle.seat, { choice, marks, badge }),
      h("p.now", { class: answer ? verdict : "" }, h("span", words)),
      drawActions("What you can do", { "data-phase": answer ? "ended" : "yours" }, h("div.moves", moves)),
    ];
    const solution = this.solved
      ? drawAdvice(answer.advice, null)
      : [h("p", puzzle.tip), !this.record && h("p.quiet", "One move here is clearly better than all others.")];
    const daily = h("a", { href: `#/puzzles/${this.game}?day` }, "Daily puzzle");
    const back = h("a", { href: `#/review/${this.record}` }, "Leave for the review");
    const games = h("label", h("span.unseen", "Game"), chooseGame("puzzles", this.games, this.game));
    const side = [
      h("p.row", this.record ? back : [games, daily]),
      h("h2.task", this.task()),
      !this.record && drawTally(this.tally(), puzzle.rating),
      h("section.lists", { tabIndex: 0, "aria-label": "Solution" }, solution),
    ];
    update(drawPage("div.table.puzzle", `Puzzle: ${title(this.game)}`, table, "Puzzles", side));
    fit(this.sizes);
  }
}

function drawTally({ streak, best, solved, tried, rating, half_width: half }, difficulty) {
  const figure = (name, value) => h("div", h("dt", name), h("dd", value));
  return h(
    "dl.tally",
    figure("streak", `${streak} (best ${best})`),
    figure("solved", `${solved} of ${tried}`),
    figure("difficulty", points(difficulty)),
    tried > 0 && rating !== undefined && figure("your rating", `${points(rating)} ± ${half.toFixed(0)}`),
  );
}
