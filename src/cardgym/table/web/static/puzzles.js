// Puzzles: find the best action of a position; the page keeps the streak.
import { get, post } from "./api.js";
import { drawAdvice } from "./coach.js";
import { h, loadSprite, notice, plain, points, remember, remembered, say, show, update } from "./dom.js";
import { title } from "./lobby.js";
import { fit, sound } from "./motion.js";
import { drawMoves, leftOf } from "./panels.js";
import { offerRules } from "./rules.js";
import { drawView, forgetTrails } from "./view.js";

// What is asked, where "Find the best" and the kind of decision is not enough.
const TASKS = { play: "Find the best card to play", buy: "Buy a card or not?", place: "Find the best place for what you drew", "turn up": "Find the best tile to turn up" };

export class Puzzles {
  constructor(game) {
    Object.assign(this, { game: game || remembered("puzzles", ""), taken: new Set(), sizes: new Map() });
  }

  async start() {
    forgetTrails();
    this.games = (await get("lobby")).games.filter((game) => game.puzzles).map((game) => game.id);
    if (!this.games.includes(this.game)) this.game = this.games[0];
    remember("puzzles", this.game);
    offerRules(this.game, `games/${this.game}/rules`);
    await this.next();
  }

  close = () => (this.closed = true);

  tally = () => JSON.parse(remembered(`puzzles.${this.game}`, '{"streak":0,"best":0,"solved":0,"tried":0}'));

  async next() {
    if (!this.puzzle) show(h("div", { class: "waiting" }, h("p", {}, "Looking for a position with one clearly best move …"), h("progress", {})));
    try {
      const puzzle = await get(`puzzles/${this.game}`);
      await loadSprite(this.game);
      if (this.closed) return;
      Object.assign(this, { puzzle, answer: null, chosen: null });
      this.taken.clear();
      this.render();
    } catch (error) {
      notice(error.message);
    }
  }

  async act(action) {
    if (this.answer) return;
    this.taken.clear();
    const known = this.tally();
    this.answer = await post(`puzzles/${this.puzzle.puzzle}/solve`, { action, ...known.skill }).catch((error) => (notice(error.message), null));
    if (!this.answer || this.closed) return;
    this.chosen = this.puzzle.actions.find((one) => one.action === action);
    const { right, skill, rating, half_width } = this.answer;
    const { streak, best, solved, tried, last = "" } = known;
    const now = right ? streak + 1 : 0;
    remember(`puzzles.${this.game}`, JSON.stringify({ streak: now, best: Math.max(best, now), solved: solved + right, tried: tried + 1, last: `${last}${right ? 1 : 0}`.slice(-20), skill, rating, half_width }));
    sound(right ? "end" : "card");
    this.render();
    say(this.verdict());
  }

  task = () => TASKS[this.puzzle.kind] ?? `Find the best ${this.puzzle.kind}`;
  verdict = () => (this.answer.right ? "Right: the best move." : `Not the best: it costs ${plain(this.answer.cost)} ${this.answer.advice.unit}. Better: ${this.answer.advice.actions[0].text}.`);
  left = () => leftOf(this.puzzle.actions, this.taken);

  take(item) {
    if (!this.taken.delete(item)) this.taken.add(item);
    const left = this.left();
    if (this.taken.size && left.length === 1) this.act(left[0].action);
    else this.render();
  }

  key(event) {
    if (event.key === "n" && this.answer) this.next();
    else document.querySelector(`.actions button[data-key="${CSS.escape(event.key)}"]`)?.click();
  }

  fit = () => fit(this.sizes);

  render() {
    const { puzzle, answer } = this;
    const open = new Set(answer ? [] : this.left().flatMap((action) => action.items));
    const marks = {};
    if (answer) {
      for (const item of puzzle.actions.find((one) => one.action === answer.advice.actions[0].action).items) marks[item] = "better";
      for (const item of this.chosen.items) marks[item] = marks[item] ? "chosen better" : "chosen";
    }
    const { streak, best, solved, tried, last = "", rating, half_width: half } = this.tally();
    const figure = (name, value) => h("div", {}, h("dt", {}, name), h("dd", {}, value));
    update(h("div", { class: "table puzzle" },
      h("h1", { class: "unseen" }, `Puzzle: ${title(this.game)}`),
      drawView(puzzle.game, puzzle.view, puzzle.names, puzzle.seat, { choice: { open, taken: this.taken, take: (item) => this.take(item) }, marks, badge: answer ? "" : "your turn" }),
      h("p", { class: `now${answer ? (answer.right ? " right" : " wrong") : ""}` }, h("span", {}, answer ? this.verdict() : `${this.task()} (${puzzle.origin}).`)),
      h("div", { class: "actions", role: "group", "aria-label": "What you can do", "data-phase": answer ? "ended" : "yours" }, h("div", { class: "moves" },
        answer ? h("button", { type: "button", "data-key": "n", onclick: () => this.next() }, "Next puzzle", h("kbd", {}, "n"))
          : drawMoves(puzzle.view, this.left(), this.taken, (action) => this.act(action)))),
      h("aside", { class: "side", "aria-label": "Puzzles" },
        h("label", {}, "Game ", h("select", { onchange: (event) => (location.hash = `#/puzzles/${event.target.value}`) },
          this.games.map((game) => h("option", { value: game, selected: game === this.game }, title(game))))),
        h("h2", { class: "task" }, this.task()),
        h("dl", { class: "tally" }, figure("streak", `${streak} (best ${best})`), figure("solved", `${solved} of ${tried}`),
          figure("difficulty", points(puzzle.rating)), tried > 0 && rating !== undefined && figure("your rating", `${points(rating)} ± ${half.toFixed(0)}`)),
        last && h("p", { class: "lately", role: "img", "aria-label": `Your last ${last.length}: ${last.replaceAll("0", "wrong ").replaceAll("1", "right ")}` },
          [...last].map((right) => h("span", { class: right === "1" ? "right" : "wrong" }, right === "1" ? "✓" : "✗"))),
        h("section", { class: "lists", tabIndex: 0, "aria-label": "Solution" }, answer ? drawAdvice(answer.advice, null) : [h("p", {}, puzzle.tip), h("p", { class: "quiet" }, "One move here is clearly better than all others.")]))));
    this.fit();
  }
}
