// The review: it opens at the costliest decision, with the position beside the verdict; then move by move, face up.
import { get, post } from "./api.js";
import { standingsChart } from "./charts.js";
import { drawActions, drawPage, h, keyed, loadSprite, once, say, svg, update, waiting } from "./dom.js";
import { fit } from "./motion.js";
import { marksOf } from "./moves.js";
import { offerRules } from "./rules.js";
import { drawView } from "./view.js";
import { costOf, lastLines, plain, title, withoutCost } from "./words.js";

const GRADES = { "??": "A blunder: it", "?": "A mistake: it", "?!": "Inexact: it", "": "It" };

export class Review {
  constructor(id) {
    Object.assign(this, { id, at: 0, sizes: new Map() });
  }

  async start() {
    const bar = waiting("Reviewing the game …");
    const asking = Promise.all([get(`history/${this.id}/review`), get(`history/${this.id}/replay`)]);
    const polling = setInterval(async () => {
      const { done, total } = await get(`history/${this.id}/progress`).catch(() => ({}));
      if (total) Object.assign(bar, { max: total, value: done });
    }, 400);
    const [review, replay] = await asking.finally(() => clearInterval(polling));
    if (this.closed) return;
    this.review = review;
    offerRules(review.env, review.options);
    this.frames = replay.events; // Each shows the table after its move.
    await loadSprite(review.env);
    this.players = review.players;
    this.at = review.worst.length ? this.frameOf(review.decisions[review.worst[0]]) : this.frames.length - 1;
    this.render();
  }

  close = () => (this.closed = true);

  // The frame that a decision was made at, and the decision that follows a frame.
  frameOf(decision) {
    const before = this.frames.findLastIndex((frame) => frame.move < decision.move);
    return Math.max(0, before);
  }

  decisionAt(at) {
    const [from, to] = [this.frames[at].move, this.frames[at + 1]?.move ?? Infinity];
    return this.review.decisions.find((decision) => decision.move > from && decision.move <= to);
  }

  go(frame) {
    this.at = Math.min(Math.max(frame, 0), this.frames.length - 1);
    this.render();
    say(this.frames[this.at].text);
  }

  key(event) {
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      this.go(this.at + (event.key === "ArrowRight" ? 1 : -1));
      event.preventDefault();
    } else document.querySelector(`.actions button[data-key="${CSS.escape(event.key)}"]`)?.click();
  }

  render() {
    if (this.closed || !this.players) return;
    const { review, frames } = this;
    const decision = this.decisionAt(this.at);
    const said = frames.slice(0, this.at + 1).findLast((shown) => shown.text)?.text ?? "The game begins.";
    const step = (by, name) => h("button.soft", { "data-key": name, onclick: () => this.go(this.at + by) }, name);
    const marks = marksOf(decision?.best_items ?? [], decision?.chosen_items ?? []);
    const next = review.decisions.find((made) => made.grade && this.frameOf(made) > this.at);
    const steps = [
      step(-this.at, "First"),
      step(-1, "Back"),
      h("span.prompt", `${this.at + 1} of ${frames.length}`),
      step(1, "Next"),
      step(frames.length, "End"),
      next && keyed("button.soft", "m", "m", "Next mistake", () => this.go(this.frameOf(next))),
    ];
    const table = [
      drawView(review.env, frames[this.at].view, this.players, review.person, { marks }),
      h("p.now", h("span", lastLines(said))),
      drawActions("Step through the game", {}, h("div.moves", steps)),
    ];
    const lists = [this.drawWorst(), this.drawTotals(), this.drawAll()];
    const side = [
      decision ? this.drawVerdict(decision) : drawNoDecision(review.worst.length > 0),
      this.drawChart(),
      h("div.lists", { tabIndex: 0, role: "region", "aria-label": "All decisions" }, lists),
    ];
    update(drawPage("div.table.review", `Review: ${title(review.env)}`, table, "Decisions", side));
    fit(this.sizes);
  }

  drawVerdict(decision) {
    const { blunder, cost, grade, unit, chosen_reason: reason } = decision;
    const look = `decision verdict${blunder ? " blunder" : ""}${decision.chosen_items.length ? " marked" : ""}`;
    const verdict = cost > 0 ? `${GRADES[grade]} cost ${costOf(cost, unit)}.` : "The best choice.";
    const why = cost > 0 ? withoutCost(reason) : reason;
    const mayTry = this.review.again && decision.seat === this.review.person;
    return h(
      "section",
      { class: look, "data-part": "verdict" },
      h("h2", this.said(decision)),
      h("p", h("strong", verdict)),
      why && h("p.quiet", why),
      cost > 0 && h("p.instead", "Better: ", h("strong", decision.best_text), "."),
      cost > 0 && decision.reason && h("p.quiet", decision.reason),
      h(
        "div.row",
        mayTry && h("button.again", { onclick: () => this.again(decision) }, "Try this one again"),
        h("a", { href: `#/explore/${this.review.env}?record=${this.id}&move=${decision.move}` }, "Explore"),
      ),
      h("p.quiet", `Values by ${decision.source}.`),
    );
  }

  said({ seat, text }) {
    return seat === this.review.person ? text[0].toUpperCase() + text.slice(1) : `${this.players[seat]}: ${text}`;
  }

  again = ({ move }) =>
    once(this, async () => (location.hash = `#/table/${(await post(`history/${this.id}/again`, { move })).table}`));

  drawWorst() {
    const worst = this.review.worst.map((number) => this.review.decisions[number]);
    const list = worst.length ? this.drawList(worst) : h("p", "None cost anything.");
    const { again, decisions, env, person } = this.review;
    const moves = decisions.filter((made) => made.grade && made.seat === person).map((made) => made.move);
    const retry = { href: `#/puzzles/${env}?record=${this.id}&moves=${moves}` };
    const all = again && moves.length > 0 && h("a.button.again", retry, "Retry all mistakes in a row");
    return h("section", h("h2", "The costliest decisions"), list, all);
  }

  drawTotals() {
    const { totals, luck, luck_unit: unit, person } = this.review;
    const heads = ["decision", "best", "cost"].map((head) => h("th", { scope: "col" }, head));
    const rows = totals.map(({ seat, kind, best, decisions, cost, unit }) => {
      const who = person === null ? `${this.players[seat]}: ` : "";
      const cells = [`${who}${kind}`, `${best} of ${decisions}`, costOf(cost, unit)].map((cell) => h("td", cell));
      return h("tr", cells);
    });
    return h(
      "section",
      h("table", h("caption.unseen", "By kind of decision"), h("thead", h("tr", heads)), h("tbody", rows)),
      luck && h("p.quiet", `Luck, in ${unit}: ${this.bySeat(luck)}`),
    );
  }

  bySeat = (values) => values.map((value, seat) => `${this.players[seat]} ${plain(value)}`).join(", ");

  drawAll() {
    const { decisions } = this.review;
    const summary = decisions.length === 1 ? "The one decision" : `All ${decisions.length} decisions`;
    return h("details", h("summary", summary), this.drawList(decisions));
  }

  drawList(decisions) {
    const link = (decision) => {
      const worth = h("span.worth", decision.cost > 0 ? `${decision.grade} −${plain(decision.cost)}` : "best");
      return h("button.link", { onclick: () => this.go(this.frameOf(decision)) }, this.said(decision), worth);
    };
    const items = decisions.map((decision) => h("li", link(decision)));
    return h("ol", items);
  }

  drawChart() {
    const { frames } = this;
    const { chart, chart_unit: unit, decisions } = this.review;
    if (!chart?.length) return null;
    const last = Math.max(chart.at(-1).move, frames.at(-1).move + 1);
    const { size, left, right, bottom, x, grid, lines, moveAt } = standingsChart(chart, last);
    const at = x(frames[this.at].move + 1); // The chart has how a move was found, a frame how it left the table.
    const label = `${unit} by move: at the end ${this.bySeat(chart.at(-1).values)}`;
    const levels = grid.flatMap(({ value, y }) => [
      svg("line", { x1: left, x2: right, y1: y, y2: y, class: "grid" }),
      svg("text", { x: left - 4, y: y + 4, class: "number" }, plain(value)),
    ]);
    const curves = lines.map((points, seat) => svg("polyline", { class: `line seat${seat % 4}`, points }));
    const mark = (made) => svg("path", { class: "mark", d: `M${x(made.move)} ${bottom}l-4 8h8z` });
    const marks = decisions.filter((made) => made.blunder).map(mark);
    const cursor = svg("line", { x1: at, x2: at, y1: 2, y2: bottom, class: "cursor" });
    const about = { viewBox: `0 0 ${size.join(" ")}`, class: "chart", role: "img", "aria-label": label };
    const drawing = svg("svg", about, ...levels, ...curves, ...marks, cursor);
    const keys = this.players.map((name, seat) => h("span", { class: `key seat${seat % 4}` }, name));
    const figure = h("figure", drawing, h("figcaption", keys, h("span", `${unit}; ▲ a blunder`)));
    figure.onclick = (event) => {
      const box = figure.querySelector("svg").getBoundingClientRect();
      const move = moveAt(((event.clientX - box.left) / box.width) * size[0]);
      const near = frames.map((frame) => Math.abs(frame.move + 1 - move));
      this.go(near.indexOf(Math.min(...near)));
    };
    return figure;
  }
}

function drawNoDecision(elsewhere) {
  const [words, hint] = elsewhere
    ? ["No decision here", "Step on, or pick a decision below."]
    : ["A faultless game", "None of your decisions cost anything."];
  return h("section.decision.verdict", { "data-part": "verdict" }, h("h2", words), h("p.quiet", hint));
}
