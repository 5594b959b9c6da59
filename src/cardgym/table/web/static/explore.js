// The explorer: any position of a game with all cards open. A click on a card changes it; every action has its value.
import { get, post, telling } from "./api.js";
import { drawAdvice } from "./coach.js";
import { attempt, chooseGame, drawActions, drawPage, h, keyed, loadSprite } from "./dom.js";
import { notice, picture, say, tellWaiting, update, waiting } from "./dom.js";
import { fit } from "./motion.js";
import { marksOf } from "./moves.js";
import { offerRules } from "./rules.js";
import { drawView } from "./view.js";
import { title } from "./words.js";

export class Explorer {
  constructor(place) {
    const [game, query = ""] = place.split("?");
    const asked = Object.fromEntries(new URLSearchParams(query));
    const { record, move, moves, ...options } = asked;
    const from = record ? { record, move: Number(move) } : { moves: moves ? moves.split(",").map(Number) : [] };
    Object.assign(this, { game, options, from, sizes: new Map(), busy: false });
  }

  async start() {
    this.games = (await get("lobby")).games.map((game) => game.id);
    if (!this.games.includes(this.game)) this.game = this.games[0];
    offerRules(this.game, this.options);
    waiting("The coach values the actions …");
    await loadSprite(this.game);
    await this.ask(this.from);
  }

  close() {
    this.closed = true;
    document.getElementById("picker").close();
  }

  async ask(what) {
    if (this.busy) return;
    this.busy = true;
    this.render();
    const { game, options, against } = this;
    const seed = crypto.getRandomValues(new Uint32Array(1))[0];
    await attempt(async () => {
      const line = await telling(post("explore", { game, options, against, seed, ...what }), tellWaiting);
      if (this.closed) return;
      Object.assign(this, { line, options: line.options, against: line.against });
      notice("");
    });
    this.busy = false;
    this.render();
    if (this.line?.advice) say(`${this.whatNow()}. Best: ${this.line.advice.actions[0].text}`);
  }

  // Whose decision it is, and what it is about: kinds of decisions are verbs.
  verb = () => (this.line.advice?.kind ?? "decision").replace("decision", "decide");
  whatNow() {
    const name = this.line.names[this.line.seat];
    return `${name === "You" ? "Your" : `${name}'s`} turn to ${this.verb()}`;
  }

  play = (action) => this.ask({ moves: [...this.line.moves, action] });
  // To the position before a step; the moves of chance before it stay.
  back = (step) => this.ask({ moves: this.line.moves.slice(0, step) });
  lastDecision = () => this.line.steps.findLastIndex((step) => step.seat >= 0);

  // Shows what chance could have chosen at a step, as cards where it is one.
  async pick(step) {
    const { game, options } = this;
    const { moves } = this.line;
    const asking = post("explore/outcomes", { game, options, moves, at: step });
    const { outcomes } = await asking.catch((error) => (notice(error.message), {}));
    if (!outcomes || this.closed) return;
    const dialog = document.getElementById("picker");
    const order = [...document.querySelectorAll("#sprites symbol")].map((symbol) => symbol.id);
    const place = (outcome) => order.indexOf(`${game}:${outcome.symbols[0]}`);
    const take = (outcome) => {
      dialog.close();
      this.ask({ moves, change: { step, outcome } });
    };
    const buttons = outcomes
      .sort((one, other) => place(one) - place(other))
      .map(({ outcome, text, symbols }) => {
        const look = { class: symbols.length ? "item" : "", "aria-label": text, title: text };
        const content = symbols.length ? symbols.map((symbol) => picture(game, symbol)) : text;
        return h("button", { ...look, onclick: () => take(outcome) }, content);
      });
    document.getElementById("picks").replaceChildren(...buttons);
    dialog.showModal();
  }

  // The items whose card chance put there, with the step at which it did.
  changeable() {
    const steps = new Map();
    this.line.steps.forEach((step, at) => step.open && step.symbols.forEach((symbol) => steps.set(symbol, at)));
    const items = this.line.view.zones
      .filter((zone) => zone.kind !== "palette")
      .flatMap((zone) => zone.items)
      .filter((item) => steps.has(item.symbol));
    return new Map(items.map((item) => [item.id, steps.get(item.symbol)]));
  }

  key(event) {
    if (event.key === "ArrowLeft" && this.lastDecision() >= 0) this.back(this.lastDecision());
    else if (event.key === "n") this.ask({ moves: [] });
  }

  render() {
    const { line, busy } = this;
    if (!line) return;
    const steps = this.changeable();
    const pick = { open: new Set(steps.keys()), taken: new Set(), take: (id) => this.pick(steps.get(id)), plain: true };
    const marks = marksOf(line.items[line.advice?.actions[0].action] ?? [], []);
    const badge = busy ? "…" : `to ${this.verb()}`;
    const last = this.lastDecision();
    const choice = busy ? undefined : pick;
    const moves = [
      keyed("button.soft", "n", "n", "New deal", () => this.ask({ moves: [] })),
      keyed("button.soft", "back", "←", "Back", () => this.back(last), { disabled: last < 0 }),
    ];
    const phase = { "data-phase": busy ? "busy" : line.ending ? "ended" : "yours", "data-version": line.moves.length };
    const other = h("label", h("span", "Game "), chooseGame("explore", this.games, this.game));
    const table = [
      drawView(line.game, line.view, line.names, Math.max(line.seat, 0), { choice, marks, badge }),
      h("p.now", h("span", line.ending || whatToDo(steps.size > 0, line.advice))),
      drawActions("What you can do", phase, h("div.moves", moves), other),
    ];
    const values = [
      line.advice && h("h2", this.whatNow()),
      line.advice && drawAdvice(line.advice, busy ? null : (action) => this.play(action), Infinity),
      line.steps.length > 0 && this.drawSteps(),
    ];
    const lists = h("div.lists", { tabIndex: 0, role: "region", "aria-label": "Values" }, values);
    update(drawPage("div.table.puzzle.explore", `Explorer: ${title(this.game)}`, table, "Values and moves", lists));
    fit(this.sizes);
  }

  drawSteps() {
    const { steps } = this.line;
    const summary = steps.length === 1 ? "The move so far" : `The ${steps.length} moves so far`;
    const items = steps.map((step, at) => h("li", this.drawStep(step, at)));
    return h("details", { "data-part": "line" }, h("summary", summary), h("ol", items));
  }

  drawStep({ seat, open, text = "" }, at) {
    const words = text || "a hidden draw";
    if (open) return h("button.link", { onclick: () => this.pick(at) }, words, h("small", "change"));
    return seat < 0 ? words : h("button.link", { onclick: () => this.back(at) }, words, h("small", "back to here"));
  }
}

function whatToDo(changeable, advice) {
  const ways = [changeable && "click one to change it", advice && "choose an action to play it"].filter(Boolean);
  return `All cards are open: ${ways.join(", or ")}.`;
}
