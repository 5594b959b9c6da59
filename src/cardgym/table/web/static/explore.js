// The explorer: any position of a game with all cards open. A click on a card changes it; every action has its value.
import { get, post } from "./api.js";
import { drawAdvice } from "./coach.js";
import { h, loadSprite, notice, picture, say, show, update } from "./dom.js";
import { title } from "./lobby.js";
import { fit } from "./motion.js";
import { offerRules } from "./rules.js";
import { drawView, forgetTrails } from "./view.js";

export class Explorer {
  constructor(place) {
    const [game, query = ""] = place.split("?");
    const asked = Object.fromEntries(new URLSearchParams(query));
    const { record, move, ...options } = asked;
    Object.assign(this, { game, options, from: record ? { record, move: Number(move) } : null, sizes: new Map(), busy: false });
  }

  async start() {
    forgetTrails();
    const games = (await get("lobby")).games;
    this.games = games.map((game) => game.id);
    if (!this.games.includes(this.game)) this.game = this.games[0];
    const known = games.find((game) => game.id === this.game).options;
    for (const { name, choices } of known) if (name in this.options && !choices) this.options[name] = Number(this.options[name]);
    offerRules(this.game, `games/${this.game}/rules?${new URLSearchParams(this.options)}`);
    show(h("div", { class: "waiting" }, h("p", {}, "The coach values the actions …"), h("progress", {})));
    await loadSprite(this.game);
    await this.ask(this.from ?? { moves: [] });
  }

  close() {
    this.closed = true;
    document.getElementById("picker").close();
  }

  async ask(what) {
    if (this.busy) return;
    this.busy = true;
    if (this.line) this.render();
    const seed = crypto.getRandomValues(new Uint32Array(1))[0];
    try {
      const line = await post("explore", { game: this.game, options: this.options, against: this.against, seed, ...what });
      if (this.closed) return;
      Object.assign(this, { line, options: line.options, against: line.against });
      notice("");
    } catch (error) {
      notice(error.message);
    }
    this.busy = false;
    if (this.line) this.render();
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
    const { moves } = this.line;
    const { outcomes } = await post("explore/outcomes", { game: this.game, options: this.options, moves, at: step }).catch((error) => (notice(error.message), {}));
    if (!outcomes || this.closed) return;
    const dialog = document.getElementById("picker");
    const order = [...document.querySelectorAll("#sprites symbol")].map((symbol) => symbol.id);
    const place = (outcome) => order.indexOf(`${this.game}:${outcome.symbols[0]}`);
    const take = (outcome) => {
      dialog.close();
      this.ask({ moves, change: { step, outcome } });
    };
    document.getElementById("picks").replaceChildren(...outcomes.sort((one, other) => place(one) - place(other)).map(({ outcome, text, symbols }) =>
      h("button", { type: "button", class: symbols.length ? "item" : "", "aria-label": text, title: text, onclick: () => take(outcome) },
        symbols.length ? symbols.map((symbol) => picture(this.game, symbol)) : text)));
    dialog.showModal();
  }

  // The items whose card chance put there, with the step at which it did.
  changeable() {
    const steps = new Map();
    this.line.steps.forEach((step, at) => step.open && step.symbols.forEach((symbol) => steps.set(symbol, at)));
    const items = this.line.view.zones.filter((zone) => zone.kind !== "palette").flatMap((zone) => zone.items).filter((item) => steps.has(item.symbol));
    return new Map(items.map((item) => [item.id, steps.get(item.symbol)]));
  }

  key(event) {
    if (event.key === "ArrowLeft" && this.lastDecision() >= 0) this.back(this.lastDecision());
    else if (event.key === "n") this.ask({ moves: [] });
  }

  fit = () => fit(this.sizes);

  render() {
    const { line, busy } = this;
    const steps = this.changeable();
    const choice = busy ? undefined : { open: new Set(steps.keys()), taken: new Set(), take: (id) => this.pick(steps.get(id)), plain: true };
    const marks = Object.fromEntries((line.items[line.advice?.actions[0].action] ?? []).map((id) => [id, "better"]));
    const last = this.lastDecision();
    update(h("div", { class: "table puzzle explore" },
      h("h1", { class: "unseen" }, `Explorer: ${title(this.game)}`),
      drawView(line.game, line.view, line.names, Math.max(line.seat, 0), { choice, marks, badge: busy ? "…" : `to ${this.verb()}` }),
      h("p", { class: "now" }, h("span", {}, line.ending || `All cards are open: ${[steps.size > 0 && "click one to change it", line.advice && "choose an action to play it"].filter(Boolean).join(", or ")}.`)),
      h("div", { class: "actions", role: "group", "aria-label": "What you can do", "data-phase": busy ? "busy" : line.ending ? "ended" : "yours", "data-version": line.moves.length },
        h("div", { class: "moves" },
          h("button", { type: "button", class: "soft", "data-key": "n", onclick: () => this.ask({ moves: [] }) }, "New deal", h("kbd", {}, "n")),
          h("button", { type: "button", class: "soft", "data-key": "back", disabled: last < 0, onclick: () => this.back(last) }, "Back", h("kbd", {}, "←"))),
        h("label", {}, h("span", {}, "Game "), h("select", { onchange: (event) => (location.hash = `#/explore/${event.target.value}`) },
          this.games.map((game) => h("option", { value: game, selected: game === this.game }, title(game)))))),
      h("aside", { class: "side", "aria-label": "Values and moves" },
        h("div", { class: "lists", tabIndex: 0, role: "region", "aria-label": "Values" },
          line.advice && h("h2", {}, this.whatNow()),
          line.advice && drawAdvice(line.advice, busy ? null : (action) => this.play(action), Infinity),
          line.steps.length > 0 && h("details", { "data-part": "line" }, h("summary", {}, line.steps.length === 1 ? "The move so far" : `The ${line.steps.length} moves so far`),
            h("ol", {}, line.steps.map((step, at) => h("li", {}, step.open
              ? h("button", { type: "button", class: "link", onclick: () => this.pick(at) }, step.text || "a hidden draw", h("small", {}, "change"))
              : step.seat >= 0 ? h("button", { type: "button", class: "link", onclick: () => this.back(at) }, step.text, h("small", {}, "back to here")) : step.text || "a hidden draw"))))))));
    this.fit();
  }
}
