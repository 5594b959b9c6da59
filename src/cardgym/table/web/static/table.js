// The table: one game, drawn from the server's state, played by clicks and keys.
import { Refused, follow, get, post, telling } from "./api.js";
import { count } from "./counting.js";
import { checkDeal } from "./deal.js";
import { attempt, loadSprite, notice, once, remember, remembered, say, speed, update } from "./dom.js";
import { forgetJoined, joinTable } from "./join.js";
import { fit, moving, sound } from "./motion.js";
import { Chooser } from "./moves.js";
import { covered, isOneOfMany, lengthOf, likeThis, mayAct, othersMove, spoken, watching } from "./phases.js";
import { offerRules } from "./rules.js";
import { drawTable } from "./table_page.js";
import { goTo, step, weigh } from "./watching.js";
import { blunder, merged, resultOf, title, verdictOf } from "./words.js";

export class Table extends Chooser {
  choices = () => this.state.actions;

  constructor(id) {
    super();
    Object.assign(this, { id, reveals: [], advice: null, busy: false, running: false, paused: false, heard: null });
    Object.assign(this, { panel: "shut", atEnd: true, sizes: new Map(), seat: "", seen: new Map(), at: null });
  }

  async start() {
    this.state = await this.look();
    await loadSprite(this.state.game);
    offerRules(this.state.game, this.state.options);
    const [changed, lost] = [(version) => this.changed(version), (gone) => this.connection(gone)];
    this.unfollow = follow(this.id, changed, lost);
    this.render();
    if (this.state.ended) this.judge();
    this.stayAwake();
    document.addEventListener("visibilitychange", this.stayAwake);
    say(`${title(this.state.game)}. ${spoken(this, this.lastWords(), this.state.ended && resultOf(this.state))}`);
    this.askAlways();
    this.goOn();
  }

  // Keeps the screen on while the page is in view, where the browser can.
  stayAwake = async () => {
    if (!document.hidden && !this.closed) this.awake = await navigator.wakeLock?.request("screen").catch(() => null);
    if (this.closed) this.awake?.release();
  };

  close() {
    this.closed = true;
    document.removeEventListener("visibilitychange", this.stayAwake);
    this.awake?.release();
    this.running = false;
    this.unfollow?.();
  }

  // The table, from the seat whose cards this page shows at a screen that people share; `since` asks what happened.
  look = (since = "") => get(`tables/${this.id}?seat=${this.seat}&since=${since}`);

  // What another person did is shown move by move; a move of one's own in another window is not.
  async changed(version) {
    this.heard = this.busy ? version : null;
    if (this.busy) return;
    const [link, shown] = [this.state.people === "link", this.state.version];
    if (link && version > shown) await this.show(this.look(shown));
    else if (link || version !== shown) await this.refetch(); // A person may have joined or resigned.
  }

  async refetch() {
    const state = await this.look().catch(() => null);
    if (!state || this.closed || this.busy) return;
    const [moved, over] = [state.version !== this.state.version, state.ended && !this.state.ended];
    Object.assign(this, { state, at: null });
    if (moved) this.settle();
    this.render();
    if (over) this.ended();
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

  // Lets the other players move, if it is their turn and no other page does it.
  goOn() {
    if (othersMove(this) && !this.busy) this.send("step");
  }

  // The next person at this screen looks, and sees what happened since they last did; at their first look, nothing.
  async uncover() {
    if (this.busy) return;
    this.seat = this.state.turn;
    await this.show(this.look(this.seen.get(this.seat) ?? 999999999));
  }

  ask = (what, values) =>
    post(`tables/${this.id}/${what}`, {
      version: this.state.version,
      ...(this.state.people === "hot" && { seat: this.seat }),
      ...values,
    });

  async send(verb, body = {}) {
    if (this.busy) return;
    this.sending = verb === "action";
    await this.show(this.ask(verb, body));
  }

  // Shows what happened by an answer of the server, and whose turn it is then.
  async show(answer) {
    goTo(this, null);
    this.busy = true;
    this.rushed = false;
    this.reveals = [];
    if (this.panel === "hint") this.panel = "shut";
    notice("");
    this.render();
    try {
      await this.showAll(answer);
    } catch (error) {
      await this.recover(error);
    }
    if (this.closed) return;
    this.busy = false;
    this.settle();
    this.render();
    if (this.state.ended) this.ended();
    else if (mayAct(this)) sound("turn");
    say(spoken(this, this.lastWords(), this.state.ended && resultOf(this.state)));
    if (this.state.people === "link" && this.heard !== null) this.changed(this.heard);
  }

  // Shows what happened, lets the other players move, and shows that, too.
  async showAll(answer) {
    while (answer) {
      const { events = [], state } = await answer;
      this.sending = false;
      this.taken.clear();
      this.advice = null;
      if (this.closed) return;
      // The next player thinks while this move is shown.
      this.state = { ...state, narration: this.state.narration, view: this.state.view };
      answer = othersMove(this) ? this.ask("step") : null;
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
  }

  async recover(error) {
    if (!(error instanceof Refused)) throw error;
    this.running = this.sending = false;
    const both = this.state.people === "link" && error.status === 409; // Two pages let the players move.
    if (!both) notice(error.message);
    this.busy = false;
    await this.refetch();
  }

  ended() {
    sound("end");
    this.judge();
    if (this.state.seat !== null) remember(`taught.${this.state.game}`, "yes");
    forgetJoined(this.id);
  }

  // Has the coach review the game, unless the person did without it.
  async judge() {
    if (this.state.seat === null || this.state.hints === "off") return;
    const review = await get(`history/${this.state.record ?? this.id}/review`).catch(() => null);
    if (!review || this.closed) return;
    this.verdict = verdictOf(review);
    this.render();
  }

  lastWords = () => merged(this.state.narration).at(-1)?.text ?? "";

  // Shows the moves of others one at a time: view, text and what was revealed.
  async play(events, ended) {
    for (const [place, event] of events.entries()) {
      await count(this, event);
      if (this.closed) return;
      if (event.text) this.state.narration = [...this.state.narration, { seat: event.seat, text: event.text }];
      this.reveals = event.reveals ?? [];
      if (isOneOfMany(event, events[place + 1])) continue;
      this.state.view = event.showdown ?? event.view;
      this.render();
      if (event.text) say(event.text);
      await this.linger(event, ended && event === events.at(-1));
      this.reveals = this.reveals.filter((shown) => shown.banner && !event.showdown);
      this.state.view = event.view;
    }
    this.reveals = [];
  }

  // Waits until a move has been read. A showdown stays until the person goes on; the last one stays anyway.
  async linger(event, last) {
    const stays = last && this.reveals.filter((shown) => !shown.banner).length < 2; // As hands and a banner do.
    this.paused = Boolean(event.showdown) && !this.running && !stays;
    if (this.paused) {
      this.render();
      await new Promise((resolve) => (this.hurry = resolve));
      this.paused = false;
      this.sent = "";
    } else if (event.text || this.reveals.length) await this.wait(speed() * lengthOf(event));
  }

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

  async act(action) {
    if (!mayAct(this)) return;
    this.sent = this.state.actions.find((made) => made.action === action)?.text ?? "";
    if (remembered("warn", "") && this.state.hints !== "off" && !(await this.confirmed(action))) return;
    await this.send("action", { action, others: false });
  }

  // Whether the person still wants an action after the coach's warning; a second click meanwhile is no second move.
  async confirmed(action) {
    this.busy = true;
    this.render();
    const advice = this.advice ?? (await this.askCoach().catch(() => null));
    const warning = advice && blunder(advice, action);
    const answer = warning ? await this.warn(warning) : "play";
    this.busy = false;
    if (this.closed) return false;
    if (answer === "play") return true;
    this.taken.clear();
    if (answer === "show") this.hint();
    else this.render();
    return false;
  }

  warn(words) {
    const dialog = document.getElementById("warning");
    document.getElementById("warning-text").textContent = words;
    dialog.returnValue = "";
    dialog.showModal();
    return new Promise((answer) => dialog.addEventListener("close", () => answer(dialog.returnValue), { once: true }));
  }

  askCoach = (how = "") => get(`tables/${this.id}/advice?seat=${this.seat}${how}`);

  // Advice that takes long has a first answer, which is replaced by the better one.
  async hint() {
    if (!mayAct(this) || this.state.hints === "off" || this.thinking) return;
    const version = this.state.version;
    const think = (words) => {
      this.thinking = words;
      if (!this.busy && version === this.state.version) this.render();
    };
    this.panel = "hint";
    think("The coach thinks …");
    await attempt(async () => {
      for (const how of ["&glance=1", ""]) {
        const advice = await telling(this.askCoach(how), think);
        if (this.closed || version !== this.state.version) break;
        this.advice = advice;
        think(advice.first ? "A first answer, to be refined …" : "");
        if (!advice.first) say(`The coach: ${advice.actions[0].text}. ${advice.actions[0].reason}`);
        if (!advice.first) break;
      }
    });
    think("");
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

  // At a table by link, the others are asked to join; or this page joins the table that one of them has opened.
  again = () =>
    once(this, async () => {
      const [name, code] = [remembered("name", ""), this.state.rematch];
      if (code) return joinTable(code, name);
      location.hash = `#/table/${(await post("tables", likeThis(this.state, name))).table}`;
    });

  key(event) {
    const { key } = event;
    const go = key === " " || key === "Enter";
    const arrow = { ArrowRight: 1, ArrowLeft: -1 }[key];
    const idle = watching(this) && !this.state.ended;
    if (this.busy && key === "r" && this.running) this.run();
    else if (this.busy && go) this.hurry?.();
    else if (this.busy) return;
    else if (go && covered(this)) this.uncover();
    else if (key === "h") this.hint();
    else if (key === "u" && this.state.can_undo) this.send("undo");
    else if (arrow && idle) step(this, arrow);
    else if (key === "n" && idle) step(this, 1);
    else if (key === "r" && idle) this.run();
    else if (key === "Escape") this.putBack("shut");
    else if (arrow) focusNext(arrow);
    else document.querySelector(`.actions button[data-key="${CSS.escape(key)}"]`)?.click();
    if (arrow || (go && (this.busy || covered(this)))) event.preventDefault();
  }

  putBack(panel = this.panel) {
    this.panel = panel;
    this.taken.clear();
    this.render();
  }

  toggle() {
    this.panel = this.panel === "shut" ? "log" : "shut";
    this.render();
  }

  render() {
    if (this.closed || !this.state) return;
    const page = drawTable(this);
    moving(document.getElementById("main"), () => {
      update(page);
      this.fit();
    });
    if (this.busy) return;
    weigh(this);
    this.check();
  }

  // The sealed deal, looked at when the table is opened and when the game is over.
  async check() {
    if (this.checked === this.state.ended) return;
    this.checked = this.state.ended;
    this.deal = await checkDeal(this.state);
    this.render();
  }

  // The log's last lines stay in sight when its height changes, unless the person has scrolled up.
  fit() {
    const log = document.querySelector(".log");
    fit(this.sizes);
    if (this.atEnd && log) log.scrollTop = 1e6;
  }
}

// Focuses the next card that can be taken, or the previous one for step -1.
function focusNext(step) {
  const items = [...document.querySelectorAll("button.item")];
  const at = items.indexOf(document.activeElement);
  const first = step > 0 ? 0 : -1;
  items.at(at < 0 ? first : (at + step) % items.length)?.focus();
}
