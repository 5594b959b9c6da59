// The review: the chart, the decisions with their costs, and the game step by step with everything face up.
import { get } from "./api.js";
import { h, loadSprite, plain, say, show, svg } from "./dom.js";
import { drawView, forgetTrails } from "./view.js";

export class Review {
  constructor(id) {
    this.id = id;
    this.at = 0;
  }

  async start() {
    forgetTrails();
    show(h("p", { class: "quiet" }, "Reviewing the game …"));
    const [review, replay] = await Promise.all([get(`history/${this.id}/review`), get(`history/${this.id}/replay`)]);
    this.review = review;
    this.frames = replay.events; // Each shows the table after its move.
    await loadSprite(this.review.env);
    this.players = this.review.players.map((name, seat) => (seat === this.review.person ? "you" : name));
    if (this.review.worst.length) this.at = this.frameOf(this.review.decisions[this.review.worst[0]]);
    this.render();
  }

  close() {
    this.closed = true;
  }

  // The frame that a decision was made at, and the decision that follows a frame.
  frameOf(decision) {
    return Math.max(0, this.frames.findLastIndex((frame) => frame.move < decision.move));
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
    }
  }

  render() {
    if (this.closed) return;
    const { review, frames } = this;
    const held = document.activeElement?.dataset?.keep;
    const frame = frames[this.at];
    const decision = this.decisionAt(this.at);
    const step = (by, name) => h("button", { type: "button", class: "soft", "data-keep": name, onclick: () => this.go(this.at + by) }, name);
    show(h("div", { class: "table review" },
      h("h1", {}, `Review: ${review.env}`, h("small", {}, this.summary())),
      h("div", { class: "left" },
        this.drawChart(),
        h("p", { class: "latest" }, frames.slice(0, this.at + 1).findLast((shown) => shown.text)?.text ?? "The game begins."),
        drawView(review.env, frame.view, this.players, review.person),
        h("div", { class: "actions", role: "group", "aria-label": "Step through the game" },
          step(-this.at, "First"), step(-1, "Back"),
          h("span", { class: "prompt" }, `${this.at + 1} of ${frames.length}`),
          step(1, "Next"), step(frames.length, "End"))),
      h("div", { class: "right" }, h("aside", { class: "side", "aria-label": "Decisions" }, decision && this.drawDecision(decision), this.drawWorst(), this.drawAll()))));
    if (held) document.querySelector(`[data-keep="${held}"]`)?.focus();
  }

  summary() {
    const totals = this.review.totals.map((total) =>
      `${this.players[total.seat]}: ${total.best} of ${total.decisions} ${total.kind} decisions best, cost ${plain(total.cost)} ${total.unit}`);
    const luck = this.review.luck ? [`luck ${this.review.luck.map((value, seat) => `${this.players[seat]} ${plain(value)}`).join(", ")} ${this.review.luck_unit}`] : [];
    return [...totals, ...luck].join(" · ");
  }

  // -- decisions ------------------------------------------------------------------------------------------------------

  drawDecision(decision) {
    const cost = decision.cost > 0 ? `cost ${plain(decision.cost)} ${decision.unit}` : "the best choice";
    return h("section", { class: `decision${decision.blunder ? " blunder" : ""}` },
      h("h2", {}, `${this.players[decision.seat]}: ${decision.text}`),
      h("p", {}, h("strong", {}, cost), decision.chosen_reason && ` (${decision.chosen_reason})`),
      decision.cost > 0 && h("p", {}, "Best: ", h("strong", {}, decision.best_text), decision.reason && ` (${decision.reason})`),
      h("p", { class: "quiet" }, `Values by ${decision.source}`));
  }

  drawWorst() {
    const worst = this.review.worst.map((number) => this.review.decisions[number]).filter((decision) => decision.cost > 0);
    return h("section", {}, h("h2", {}, "The costliest decisions"),
      worst.length ? h("ol", {}, worst.slice(0, 3).map((decision) => h("li", {}, this.link(decision)))) : h("p", {}, "None cost anything."));
  }

  drawAll() {
    return h("details", {}, h("summary", {}, `All ${this.review.decisions.length} decisions`),
      h("ol", {}, this.review.decisions.map((decision) => h("li", {}, this.link(decision)))));
  }

  link(decision) {
    const cost = decision.cost > 0 ? `−${plain(decision.cost)}` : "best";
    return h("button", { type: "button", class: "link", "data-keep": `move ${decision.move}`, onclick: () => this.go(this.frameOf(decision)) },
      `${this.players[decision.seat]}: ${decision.text}`, h("span", { class: "worth" }, cost));
  }

  // -- the chart ------------------------------------------------------------------------------------------------------

  drawChart() {
    const { frames } = this;
    const { chart, chart_unit: unit } = this.review;
    if (!chart?.length) return null;
    const [width, height, left, bottom] = [Math.min(innerWidth - 60, 860), 150, 44, 20];
    const values = chart.flatMap((point) => point.values);
    const [low, high] = [Math.min(0, ...values), Math.max(...values, 0.001)];
    const last = Math.max(chart.at(-1).move, frames.at(-1).move, 1);
    const x = (move) => left + ((width - left - 8) * move) / last;
    const y = (value) => 8 + ((height - bottom - 8) * (high - value)) / (high - low || 1);
    const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img",
      "aria-label": `${unit} by move: at the end ${chart.at(-1).values.map((value, seat) => `${this.players[seat]} ${plain(value)}`).join(", ")}` });
    for (const value of [low, (low + high) / 2, high]) {
      drawing.append(svg("line", { x1: left, x2: width - 8, y1: y(value), y2: y(value), class: "grid" }),
        svg("text", { x: left - 6, y: y(value) + 4, class: "number" }, String(Number(value.toPrecision(3)))));
    }
    chart[0].values.forEach((_, seat) => {
      drawing.append(svg("polyline", { class: `line seat${seat % 4}`, points: chart.map((point) => `${x(point.move)},${y(point.values[seat])}`).join(" ") }));
    });
    for (const decision of this.review.decisions.filter((made) => made.blunder)) {
      drawing.append(svg("path", { class: "mark", d: `M${x(decision.move)} ${height - bottom}l-5 9h10z` }));
    }
    const at = x(frames[this.at].move);
    drawing.append(svg("line", { x1: at, x2: at, y1: 4, y2: height - bottom, class: "cursor" }));
    drawing.addEventListener("click", (event) => {
      const move = ((event.offsetX / drawing.clientWidth) * width - left) * last / (width - left - 8);
      const near = frames.map((frame) => Math.abs(frame.move - move));
      this.go(near.indexOf(Math.min(...near)));
    });
    return h("figure", {}, drawing, h("figcaption", {},
      this.players.map((name, seat) => h("span", { class: `key seat${seat % 4}` }, name)), h("span", {}, `${unit}, by move; ▲ a blunder`)));
  }
}
