// The table: one game, drawn from the server's state, played by clicks and keys.
import { Refused, follow, get, post } from "./api.js";
import { blunder, drawCoach } from "./coach.js";
import { h, loadSprite, notice, plain, remember, remembered, say, speed, update } from "./dom.js";
import { forgetJoined } from "./join.js";
import { drawTip, guided, lessonOf } from "./lesson.js";
import { fit, moving, sound } from "./motion.js";
import { drawLog, drawMoves, drawPeople, drawStage, drawStanding, lastLines, leftOf, merged } from "./panels.js";
import { offerRules } from "./rules.js";
import { drawView, forgetTrails } from "./view.js";

export class Table {
  constructor(id) {
    Object.assign(this, { id, taken: new Set(), reveals: [], advice: null, busy: false, running: false, paused: false, panel: "shut", atEnd: true, sizes: new Map(), seat: "", seen: new Map() });
  }

  async start() {
    forgetTrails();
    this.state = await this.look();
    await loadSprite(this.state.game);
    offerRules(this.state.game, `games/${this.state.game}/rules?${new URLSearchParams(this.state.options)}`);
    this.unfollow = follow(this.id, (version) => this.changed(version), (lost) => this.connection(lost));
    this.render();
    this.askAlways();
    this.goOn();
  }

  close() {
    this.closed = true;
    this.running = false;
    this.unfollow?.();
  }

  // -- news from the server -------------------------------------------------------------------------------------------

  // The table, from the seat whose cards this page shows at a screen that people share; `since` asks what happened.
  look = (since = "") => get(`tables/${this.id}?seat=${this.seat}&since=${since}`);

  // What another person did is shown move by move; a move of one's own in another window is not.
  async changed(version) {
    this.heard = version;
    if (this.busy || (version === this.state.version && !this.state.free)) return;
    if (this.state.people === "link" && version > this.state.version) await this.show(this.look(this.state.version));
    else await this.refetch();
  }

  async refetch() {
    const state = await this.look().catch(() => null);
    if (!state || this.closed || this.busy) return;
    const moved = state.version !== this.state.version;
    this.state = state;
    if (moved) this.settle();
    this.render();
    this.goOn();
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

  watching = () => this.state.seat === null && this.state.people === "one";
  covered = () => this.state.turn !== null && this.state.seat === null;
  othersMove = () => this.state.seat !== null && !this.state.ended && !this.state.actions.length && !this.state.waits_for;

  // Lets the other players move, if it is their turn and no other page does it.
  goOn() {
    if (this.othersMove() && !this.busy) this.send("step");
  }

  // The next person at this screen looks, and sees what happened since they last did.
  async uncover() {
    if (this.busy) return;
    this.seat = this.state.turn;
    await this.show(this.look(this.seen.get(this.seat) ?? this.state.version));
  }

  ask = (what, values) => post(`tables/${this.id}/${what}`, { version: this.state.version, ...(this.state.people === "hot" && { seat: this.seat }), ...values });

  async send(verb, body = {}) {
    if (this.busy) return;
    this.sending = verb === "action";
    await this.show(this.ask(verb, body));
  }

  // Shows what happened by an answer of the server, lets the other players move, and shows that, too.
  async show(answer) {
    this.busy = true;
    this.rushed = false;
    this.reveals = [];
    if (this.panel === "hint") this.panel = "shut";
    notice("");
    this.render();
    try {
      while (answer) {
        const { events = [], state } = await answer;
        this.sending = false;
        this.taken.clear();
        this.advice = null;
        if (this.closed) return;
        // The next player thinks while this move is shown.
        this.state = { ...state, narration: this.state.narration, view: this.state.view };
        answer = this.othersMove() ? this.ask("step") : null;
        answer?.catch(() => null);
        await this.play(events, state.ended);
        if (this.closed) return;
        this.state = state;
      }
      if (this.state.people === "hot" && !this.state.actions.length) {
        this.seen.set(this.seat, this.state.version);
        this.seat = "";
        this.state = await this.look();
      }
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.running = this.sending = false;
      if (this.state.people !== "link" || error.status !== 409) notice(error.message); // Two pages let the players move.
      this.busy = false;
      await this.refetch();
    }
    this.busy = false;
    this.settle();
    this.render();
    if (this.state.ended) sound("end");
    else if (this.mayAct()) sound("turn");
    if (this.state.ended && this.state.seat !== null) remember(`taught.${this.state.game}`, "yes");
    if (this.state.ended) forgetJoined(this.id);
    say(this.state.ended ? this.result() : this.mayAct() ? `${this.lastWords()} Your turn.` : this.covered() ? `Pass to ${this.state.names[this.state.turn]}.` : this.lastWords());
    if (this.state.people === "link" && this.heard > this.state.version) this.changed(this.heard);
  }

  // The end in the game's own words, or all scores.
  result() {
    const { text, players } = this.state.result;
    return text || players.map((player) => `${this.state.names[player.seat]} ${plain(player.score)}`).join(", ");
  }

  // The banners at the end that say more than the result below the table.
  news() {
    const said = this.result();
    return this.state.banners.filter(({ name, lines }) => ![name, ...lines].every((part) => said.includes(part)));
  }

  lastWords = () => merged(this.state.narration).at(-1)?.text ?? "";

  // Shows the moves of others one at a time: view, text and what was revealed. A showdown stays until the person goes on.
  async play(events, ended) {
    for (const [place, event] of events.entries()) {
      if (this.closed) return;
      if (event.text) this.state.narration = [...this.state.narration, { seat: event.seat, text: event.text }];
      this.reveals = event.reveals ?? [];
      if (event.seat < 0 && events[place + 1]?.seat < 0 && !event.showdown && !this.reveals.length) continue; // A deal is one step.
      this.state.view = event.showdown ?? event.view;
      this.render();
      if (event.text) say(event.text);
      const stays = ended && event === events.at(-1) && this.reveals.filter((shown) => !shown.banner).length < 2; // As hands and a banner do.
      this.paused = Boolean(event.showdown) && !this.running && !stays;
      if (this.paused) {
        this.render();
        await new Promise((resolve) => (this.hurry = resolve));
        this.paused = false;
        this.sent = "";
      } else if (event.text || this.reveals.length) {
        const lines = this.reveals.reduce((sum, shown) => sum + 1 + shown.lines.length, 0);
        await this.wait(speed() * ((event.seat < 0 ? 0.3 : 1) + 0.4 * lines));
      }
      this.reveals = this.reveals.filter((shown) => shown.banner && !event.showdown);
      this.state.view = event.view;
    }
    this.reveals = [];
  }

  // Shows the rest of a move at once.
  hurryUp() {
    this.rushed = true;
    this.hurry?.();
  }

  wait(time) {
    if (this.rushed) return null;
    return new Promise((resolve) => {
      this.hurry = resolve;
      setTimeout(resolve, time);
    });
  }

  // -- actions of the person -----------------------------------------------------------------------------------------

  mayAct = () => !this.busy && !this.state.ended && this.state.actions.length > 0;
  left = () => leftOf(this.state.actions, this.taken);

  take(item) {
    if (!this.taken.delete(item)) this.taken.add(item);
    const left = this.left();
    if (this.taken.size && left.length === 1) this.act(left[0].action);
    else this.render();
  }

  async act(action) {
    if (!this.mayAct()) return;
    this.sent = this.state.actions.find((made) => made.action === action)?.text ?? "";
    if (remembered("warn", "") && this.state.hints !== "off") {
      this.busy = true; // A second click while the coach looks is no second move.
      this.render();
      const advice = this.advice ?? (await get(`tables/${this.id}/advice?seat=${this.seat}`).catch(() => null));
      const warning = advice && blunder(advice, action);
      const answer = warning ? await this.confirm(warning) : "play";
      this.busy = false;
      if (this.closed) return;
      if (answer !== "play") {
        this.taken.clear();
        return answer === "show" ? this.hint() : this.render();
      }
    }
    await this.send("action", { action, others: false });
  }

  confirm(warning) {
    const dialog = document.getElementById("warning");
    document.getElementById("warning-text").textContent = warning;
    dialog.returnValue = "";
    dialog.showModal();
    return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true }));
  }

  async hint() {
    if (!this.mayAct() || this.state.hints === "off") return;
    try {
      const version = this.state.version;
      const advice = await get(`tables/${this.id}/advice?seat=${this.seat}`);
      if (this.closed || version !== this.state.version) return;
      this.advice = advice;
      this.panel = "hint";
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
    if (!this.running) return this.hurryUp();
    while (this.running && !this.state.ended && !this.closed) {
      await this.send("step");
      await this.wait(Math.max(speed(), 20));
    }
    this.running = false;
    if (!this.closed) this.render();
  }

  // Another game like this one; after a lesson, one with the usual options.
  again() {
    const { game, options, opponents, host, hints, people, names } = this.state;
    const others = opponents.flatMap((name, ahead) => (name === "human" ? [names[(host + 1 + ahead) % names.length]] : []));
    post("tables", { game, options: this.state.lesson ? {} : options, opponents, seat: host, seed: null, hints, people, ...(people === "hot" && { names: [names[host], ...others] }) })
      .then(({ table }) => (location.hash = `#/table/${table}`), (error) => notice(error.message));
  }

  key(event) {
    const { key } = event;
    if (this.busy) {
      if (key === "r" && this.running) this.run();
      if (key !== " " && key !== "Enter") return;
      this.hurry?.();
      event.preventDefault();
    } else if (this.covered() && (key === " " || key === "Enter")) {
      this.uncover();
      event.preventDefault();
    } else if (key === "h") this.hint();
    else if (key === "u" && this.state.can_undo) this.send("undo");
    else if (key === "n" && this.watching() && !this.state.ended) this.send("step");
    else if (key === "r" && this.watching() && !this.state.ended) this.run();
    else if (key === "Escape") {
      this.panel = "shut";
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
    const { state } = this;
    const thinking = this.busy && state.seat !== state.view.to_act;
    const badge = state.ended || this.paused ? "" : state.view.to_act === state.seat ? (this.sending ? "sent …" : this.busy ? "" : "your turn") : thinking ? "thinking …" : "to move";
    const view = this.busy && !this.paused && !this.sending && state.view.to_act === state.seat ? { ...state.view, to_act: -1 } : state.view;
    const over = drawStage(state.game, state.ended && !this.busy ? this.news() : this.reveals, this.paused, drawPeople(state, this.covered() && !this.busy));
    const felt = drawView(state.game, view, state.names, state.seat ?? state.turn, { choice: this.choice(), badge, over, marks: guided(this) });
    const page = h("div", { class: "table", "data-panel": this.panel },
      h("h1", { class: "unseen" }, `${state.game}: ${state.names.join(", ")}`),
      felt, this.drawNow(), this.drawActions(),
      h("aside", { class: "side", "aria-label": "Coach and log" }, drawCoach(this), drawLog(state.narration, ({ target }) => (this.atEnd = target.scrollHeight - target.scrollTop - target.clientHeight < 40)),
        h("button", { type: "button", class: "soft shutter", onclick: () => this.toggle() }, "Close")));
    moving(document.getElementById("main"), () => {
      update(page);
      this.fit();
    });
    if (!this.busy) this.weigh();
  }

  // The log's last lines stay in sight when its height changes, unless the person has scrolled up.
  fit() {
    const log = document.querySelector(".log");
    fit(this.sizes);
    if (this.atEnd && log) log.scrollTop = 1e6;
  }

  // In a watched game, how the seats stand, asked once for a position.
  async weigh() {
    if (!this.watching() || this.weighed === this.state.version) return;
    this.weighed = this.state.version;
    const standing = await get(`tables/${this.id}/standing`).catch(() => null);
    if (standing && !this.closed && standing.version === this.state.version) {
      this.standing = standing;
      this.render();
    }
  }

  toggle() {
    this.panel = this.panel === "shut" ? "log" : "shut";
    this.render();
  }

  choice() {
    const open = new Set(this.mayAct() ? this.left().flatMap((action) => action.items) : []);
    return { open, taken: this.taken, take: (item) => this.take(item) };
  }

  // Reserved lines: the lesson or a tip in a person's first game, otherwise what happened last.
  drawNow() {
    return drawTip(this) ?? h("p", { class: "now" }, h("span", {}, lastLines(this.lastWords())));
  }

  drawActions() {
    const { state } = this;
    const parts = [];
    if (this.paused) {
      parts.push(h("button", { type: "button", "data-key": "go", onclick: () => this.hurry?.() }, "Go on", h("kbd", {}, "Space")));
    } else if (this.busy) {
      parts.push(h("button", { type: "button", class: "soft", "data-key": "skip-wait", onclick: () => this.hurry?.() }, "Faster", h("kbd", {}, "Space")),
        h("span", { class: "prompt", "data-part": "sent" }, state.seat === null ? "" : this.sent ? `You: ${this.sent}` : ""));
      if (state.seat === null && this.running) parts.push(h("button", { type: "button", "data-key": "r", onclick: () => this.run() }, "Pause", h("kbd", {}, "r")));
    } else if (state.ended) {
      parts.push(h("strong", { class: "result" }, this.result()), h("a", { class: "button best", href: `#/review/${state.record ?? this.id}` }, "Review this game"),
        state.people !== "link" && h("button", { type: "button", class: "soft", onclick: () => this.again() }, this.state.lesson ? "Play on your own" : "Play again"), h("a", { class: "button soft", href: "#/" }, "Lobby"));
    } else if (this.covered()) {
      parts.push(h("span", { class: "prompt", "data-part": "prompt" }, `Pass to ${state.names[state.turn]}:`),
        h("button", { type: "button", "data-key": "show", onclick: () => this.uncover() }, "Show my cards", h("kbd", {}, "Space")));
    } else if (state.waits_for) {
      parts.push(h("span", { class: "prompt", "data-part": "prompt" }, `${state.seat === null ? "You watch. " : ""}Waiting for ${state.waits_for} …`));
    } else if (state.seat === null) {
      parts.push(h("button", { type: "button", "data-key": "n", onclick: () => this.send("step") }, "Next move", h("kbd", {}, "n")),
        h("button", { type: "button", "data-key": "r", onclick: () => this.run() }, this.running ? "Pause" : "Run", h("kbd", {}, "r")));
    } else {
      parts.push(drawMoves(state.view, this.left(), this.taken, (action) => this.act(action), lessonOf(this)?.action));
    }
    const tool = (shown, key, name, act, hint) => h("button", { type: "button", class: `soft${shown && !this.busy ? "" : " idle"}`, "data-key": key, onclick: act }, name, h("kbd", {}, hint));
    const opener = h("button", { type: "button", class: "soft opener", "data-key": "panel", onclick: () => this.toggle() }, "Log");
    const tools = h("div", { class: "tools", "data-part": "tools" }, opener, (state.seat !== null || this.covered()) && [ // Always there: nothing moves when one can be used.
      state.hints !== "off" && tool(this.mayAct(), "hint", "Hint", () => this.hint(), "h"),
      this.taken.size ? tool(true, "undo", "Put back", () => (this.taken.clear(), this.render()), "Esc") : tool(state.can_undo, "undo", "Undo", () => this.send("undo"), "u")]);
    const phase = this.paused ? "paused" : this.busy ? "busy" : state.ended ? "ended" : this.covered() ? "covered" : state.waits_for ? "waiting" : state.seat === null ? "watching" : "yours";
    return h("div", { class: "actions", role: "group", "aria-label": "What you can do", "data-phase": phase, "data-version": state.version },
      h("div", { class: "moves", "data-part": "moves" }, parts), this.watching() && !state.ended && drawStanding(state.names, this.standing), tools);
  }
}
