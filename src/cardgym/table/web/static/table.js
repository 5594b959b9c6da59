// The table: one game, drawn from the server's state, played by clicks and keys.
import { Refused, follow, get, post } from "./api.js";
import { blunder, drawAdvice } from "./coach.js";
import { h, loadSprite, notice, plain, remember, remembered, say, show, speed } from "./dom.js";
import { drawReveal, drawView, forgetTrails } from "./view.js";

const KEYS = "1234567890abcdefgijklmopqtvwxyz"; // Without the keys of other commands: h, n, r, s, u.
const MAX_BUTTONS = 12;

export class Table {
  constructor(id) {
    Object.assign(this, { id, taken: new Set(), reveals: [], advice: null, busy: false, running: false, focus: {} });
  }

  async start() {
    forgetTrails();
    this.state = await get(`tables/${this.id}`);
    await loadSprite(this.state.game);
    this.unfollow = follow(this.id, (version) => this.changed(version), (lost) => this.connection(lost));
    this.render();
    this.askAlways();
  }

  close() {
    this.closed = true;
    this.running = false;
    this.unfollow?.();
  }

  // -- news from the server -------------------------------------------------------------------------------------------

  async changed(version) {
    if (!this.busy && version !== this.state.version) await this.refetch();
  }

  async refetch() {
    const state = await get(`tables/${this.id}`).catch(() => null);
    if (!state || this.closed || this.busy) return;
    const moved = state.version !== this.state.version;
    this.state = state;
    if (moved) this.settle();
    this.render();
  }

  connection(lost) {
    if (this.closed) return;
    notice(lost ? "Connection lost. Your game is saved; reconnecting …" : "");
    if (!lost && this.wasLost) this.refetch();
    this.wasLost = lost;
  }

  settle() {
    this.taken.clear();
    this.advice = null;
    this.askAlways();
  }

  async send(verb, body = {}) {
    if (this.busy) return;
    this.busy = true;
    this.reveals = [];
    notice("");
    this.render();
    try {
      const { events = [], state } = await post(`tables/${this.id}/${verb}`, { version: this.state.version, ...body });
      this.taken.clear();
      this.advice = null;
      await this.play(events);
      if (this.closed) return;
      this.state = state;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.running = false;
      notice(error.message);
      this.busy = false;
      await this.refetch();
    }
    this.busy = false;
    this.settle();
    this.render();
    say(this.state.ended ? this.result() : this.mayAct() ? `${this.lastWords()} Your turn.` : this.lastWords());
  }

  // The end in the game's own words, or all scores.
  result() {
    const { text, players } = this.state.result;
    return text || players.map((player) => `${this.state.names[player.seat]} ${plain(player.score)}`).join(", ");
  }

  lastWords = () => this.state.narration.slice(-1)[0]?.text ?? "";

  // Shows the moves of others one at a time: view, text and what was revealed.
  async play(events) {
    for (const event of events) {
      if (this.closed) return;
      this.state.view = event.view;
      if (event.text) this.state.narration.push({ seat: event.seat, text: event.text });
      this.reveals.push(...(event.reveals ?? []));
      if (!event.text && !event.reveals?.length) continue;
      this.render();
      say(event.text);
      const lines = (event.reveals ?? []).reduce((sum, shown) => sum + 1 + shown.lines.length, 0);
      await this.wait(speed() * ((event.seat === -1 ? 0.3 : 1) + 0.4 * lines));
    }
  }

  wait(time) {
    return new Promise((resolve) => {
      this.hurry = resolve;
      setTimeout(resolve, time);
    });
  }

  // -- actions of the person -----------------------------------------------------------------------------------------

  mayAct = () => !this.busy && !this.state.ended && this.state.actions.length > 0;
  left = () => this.state.actions.filter((action) => [...this.taken].every((item) => action.items.includes(item)));

  take(item) {
    if (!this.taken.delete(item)) this.taken.add(item);
    const left = this.left();
    if (this.taken.size && left.length === 1) this.act(left[0].action);
    else this.render();
  }

  async act(action) {
    if (!this.mayAct()) return;
    if (remembered("warn", "") && this.state.hints !== "off") {
      const advice = this.advice ?? (await get(`tables/${this.id}/advice`).catch(() => null));
      const warning = advice && blunder(advice, action);
      if (warning && !(await this.confirm(warning))) {
        this.taken.clear();
        return this.render();
      }
    }
    await this.send("action", { action });
  }

  confirm(warning) {
    const dialog = document.getElementById("warning");
    document.getElementById("warning-text").textContent = warning;
    dialog.returnValue = "";
    dialog.showModal();
    return new Promise((resolve) =>
      dialog.addEventListener("close", () => resolve(dialog.returnValue === "play"), { once: true }));
  }

  async hint() {
    if (!this.mayAct() || this.state.hints === "off") return;
    try {
      const version = this.state.version;
      const advice = await get(`tables/${this.id}/advice`);
      if (this.closed || version !== this.state.version) return;
      this.advice = advice;
      this.render();
      say(`The coach: ${advice.actions[0].text}. ${advice.actions[0].reason}`);
    } catch (error) {
      notice(error.message);
    }
  }

  askAlways() {
    if (this.state.hints === "always") this.hint();
  }

  async run() {
    this.running = !this.running;
    this.render();
    while (this.running && !this.state.ended && !this.closed) {
      await this.send("step");
      await this.wait(Math.max(speed(), 20));
    }
    this.running = false;
    if (!this.closed) this.render();
  }

  again() {
    const { game, options, names, seat, hints } = this.state;
    const from = seat === null ? 0 : seat + 1;
    const others = [...names.slice(from), ...names.slice(0, from)].slice(0, names.length - (seat === null ? 0 : 1));
    post("tables", { game, options, opponents: others, seat, seed: null, hints })
      .then(({ table }) => (location.hash = `#/table/${table}`), (error) => notice(error.message));
  }

  key(event) {
    const { key } = event;
    if (this.busy) {
      if (key !== " " && key !== "Enter") return;
      this.hurry?.();
      event.preventDefault();
    } else if (key === "h") this.hint();
    else if (key === "u" && this.state.can_undo) this.send("undo");
    else if (key === "n" && this.state.seat === null && !this.state.ended) this.send("step");
    else if (key === "r" && this.state.seat === null && !this.state.ended) this.run();
    else if (key === "Escape") {
      this.taken.clear();
      this.render();
    } else if (key === "ArrowRight" || key === "ArrowLeft") {
      const items = [...document.querySelectorAll("button.item")];
      const step = key === "ArrowRight" ? 1 : -1;
      const at = items.indexOf(document.activeElement);
      items.at(at < 0 ? (step > 0 ? 0 : -1) : (at + step) % items.length)?.focus();
      event.preventDefault();
    } else document.querySelector(`.actions button[data-key="${CSS.escape(key)}"]`)?.click();
  }

  // -- drawing --------------------------------------------------------------------------------------------------------

  render() {
    if (this.closed) return;
    const { item, key } = document.activeElement.dataset; // Keep the focus although everything is redrawn.
    if (item || key || document.activeElement !== document.body) this.focus = { item, key };
    const { focus } = this;
    const felt = drawView(this.state.game, this.state.view, this.state.names, this.state.seat, this.choice());
    const log = h("div", { class: "log", role: "log", "aria-label": "What happened", tabIndex: 0 },
      this.state.narration.map((entry) => h("p", { class: entry.seat === -1 ? "chance" : "" }, entry.text)));
    show(h("div", { class: "table" },
      h("h1", { class: "unseen" }, `${this.state.game}: ${this.state.names.join(", ")}`),
      h("div", { class: "left" }, felt, this.drawActions()),
      h("div", { class: "right" },
        h("div", { class: "reveals", role: "region", "aria-label": "Just revealed" }, this.reveals.slice(-4).map((shown) => drawReveal(this.state.game, shown))),
        h("aside", { class: "side", "aria-label": "Coach and log" }, this.drawCoach(), h("h2", {}, "So far"), log))));
    log.scrollTop = log.scrollHeight;
    const again = focus.item ? `[data-item="${CSS.escape(focus.item)}"]` : focus.key ? `[data-key="${CSS.escape(focus.key)}"]` : null;
    if (again) (document.querySelector(`button${again}`) ?? document.querySelector("button.item"))?.focus();
  }

  choice() {
    const open = new Set(this.mayAct() ? this.left().flatMap((action) => action.items) : []);
    return { open, taken: this.taken, take: (item) => this.take(item) };
  }

  drawActions() {
    const { state } = this;
    const parts = [];
    if (this.busy) {
      parts.push(h("button", { type: "button", onclick: () => this.hurry?.() }, "Continue", h("kbd", {}, "Space")));
    } else if (state.ended) {
      parts.push(h("strong", { class: "result" }, this.result()), h("a", { class: "button best", href: `#/review/${this.id}` }, "Review this game"),
        h("button", { type: "button", onclick: () => this.again() }, "Play again"), h("a", { class: "button", href: "#/" }, "Lobby"));
    } else if (state.seat === null) {
      parts.push(h("button", { type: "button", "data-key": "n", onclick: () => this.send("step") }, "Next move", h("kbd", {}, "n")),
        h("button", { type: "button", "data-key": "r", onclick: () => this.run() }, this.running ? "Pause" : "Run", h("kbd", {}, "r")));
    } else {
      const left = this.left();
      const listed = left.length <= MAX_BUTTONS ? left : left.filter((action) => action.items.length <= this.taken.size);
      if (listed.length < left.length) parts.push(h("span", { class: "prompt" }, this.taken.size ? "And which other one?" : `Choose on the table${listed.length ? ", or:" : "."}`));
      parts.push(listed.map((action, place) => h("button", { type: "button", "data-key": KEYS[place], onclick: () => this.act(action.action) },
        action.text, KEYS[place] && h("kbd", {}, KEYS[place]))));
    }
    if (state.seat !== null && !this.busy) {
      parts.push(h("span", { class: "spring" }),
        this.taken.size > 0 && h("button", { type: "button", class: "soft", onclick: () => (this.taken.clear(), this.render()) }, "Put back", h("kbd", {}, "Esc")),
        state.hints !== "off" && !state.ended && h("button", { type: "button", class: "soft", onclick: () => this.hint() }, "Hint", h("kbd", {}, "h")),
        state.can_undo && h("button", { type: "button", class: "soft", onclick: () => this.send("undo") }, "Undo", h("kbd", {}, "u")));
    }
    const phase = this.busy ? "busy" : state.ended ? "ended" : state.seat === null ? "watching" : "yours";
    return h("div", { class: "actions", role: "group", "aria-label": "What you can do", "data-phase": phase, "data-version": state.version }, parts);
  }

  drawCoach() {
    if (this.state.hints === "off" || this.state.seat === null || this.state.ended) return null;
    const warn = h("input", { type: "checkbox", checked: Boolean(remembered("warn", "")),
      onchange: (event) => remember("warn", event.target.checked ? "yes" : "") });
    return h("section", { class: "coach", "aria-label": "Coach" },
      h("h2", {}, "Coach"),
      this.advice ? drawAdvice(this.advice, this.busy ? null : (action) => this.act(action)) : h("p", { class: "quiet" }, "Ask with h."),
      h("label", {}, warn, " Warn me before a blunder"));
  }
}
