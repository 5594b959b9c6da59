// The review: it opens at the costliest decision, with the position beside the verdict; then move by move, face up.
import { get, post } from "./api.js";
import { h, loadSprite, notice, plain, say, show, svg, update } from "./dom.js";
import { fit } from "./motion.js";
import { lastLines } from "./panels.js";
import { offerRules } from "./rules.js";
import { drawView, forgetTrails } from "./view.js";

export class Review {
  constructor(id) {
    Object.assign(this, { id, at: 0, sizes: new Map() });
  }

  async start() {
    forgetTrails();
    const bar = h("progress", { max: 1 });
    show(h("div", { class: "waiting" }, h("p", {}, "Reviewing the game …"), bar));
    const asking = Promise.all([get(`history/${this.id}/review`), get(`history/${this.id}/replay`)]);
    const polling = setInterval(async () => {
      const { done, total } = await get(`history/${this.id}/progress`).catch(() => ({}));
      if (total) Object.assign(bar, { max: total, value: done });
    }, 400);
    const [review, replay] = await asking.finally(() => clearInterval(polling));
    if (this.closed) return;
    this.review = review;
    offerRules(review.env, `games/${review.env}/rules?${new URLSearchParams(review.options)}`);
    this.frames = replay.events; // Each shows the table after its move.
    await loadSprite(review.env);
    this.players = review.players;
    this.at = review.worst.length ? this.frameOf(review.decisions[review.worst[0]]) : this.frames.length - 1;
    this.render();
  }

  close = () => (this.closed = true);

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

  fit = () => fit(this.sizes);

  render() {
    if (this.closed) return;
    const { review, frames } = this;
    const frame = frames[this.at];
    const decision = this.decisionAt(this.at);
    const step = (by, name) => h("button", { type: "button", class: "soft", "data-key": name, onclick: () => this.go(this.at + by) }, name);
    const marks = {};
    for (const item of decision?.best_items ?? []) marks[item] = "better";
    for (const item of decision?.chosen_items ?? []) marks[item] = marks[item] ? "chosen better" : "chosen";
    update(h("div", { class: "table review" },
      h("h1", { class: "unseen" }, `Review: ${review.env}`),
      drawView(review.env, frame.view, this.players, review.person, { marks }),
      h("p", { class: "now" }, h("span", {}, lastLines(frames.slice(0, this.at + 1).findLast((shown) => shown.text)?.text ?? "The game begins."))),
      h("div", { class: "actions", role: "group", "aria-label": "Step through the game" }, h("div", { class: "moves" },
        step(-this.at, "First"), step(-1, "Back"), h("span", { class: "prompt" }, `${this.at + 1} of ${frames.length}`),
        step(1, "Next"), step(frames.length, "End"))),
      h("aside", { class: "side", "aria-label": "Decisions" }, this.drawVerdict(decision), this.drawChart(),
        h("div", { class: "lists", tabIndex: 0, role: "region", "aria-label": "All decisions" }, this.drawWorst(), this.drawTotals(), this.drawAll()))));
    this.fit();
  }

  // -- decisions ------------------------------------------------------------------------------------------------------

  drawVerdict(decision) {
    if (!decision) {
      return h("section", { class: "decision verdict", "data-part": "verdict" }, h("h2", {}, this.review.worst.length ? "No decision here" : "A faultless game"),
        h("p", { class: "quiet" }, this.review.worst.length ? "Step on, or pick a decision below." : "None of your decisions cost anything."));
    }
    const wrong = decision.cost > 0;
    return h("section", { class: `decision verdict${decision.blunder ? " blunder" : ""}${decision.chosen_items.length ? " marked" : ""}`, "data-part": "verdict" },
      h("h2", {}, this.said(decision)),
      h("p", {}, h("strong", {}, wrong ? `${decision.blunder ? "A blunder: it" : "It"} cost ${plain(decision.cost)} ${decision.unit}.` : "The best choice.")),
      wrong ? [decision.chosen_reason.includes(": ") && h("p", { class: "quiet" }, decision.chosen_reason.replace(/^[^:]*: /, "")), // What it cost is said.
        h("p", { class: "instead" }, "Better: ", h("strong", {}, decision.best_text), "."), decision.reason && h("p", { class: "quiet" }, decision.reason)]
        : decision.chosen_reason && h("p", { class: "quiet" }, decision.chosen_reason),
      h("div", { class: "row" }, this.review.again && decision.seat === this.review.person && h("button", { type: "button", class: "again", onclick: () => this.again(decision) }, "Try this one again"),
        h("a", { href: `#/explore/${this.review.env}?record=${this.id}&move=${decision.move}` }, "Explore")),
      h("p", { class: "quiet" }, `Values by ${decision.source}.`));
  }

  // What was decided, and by whom if it was not the person.
  said({ seat, text }) {
    return seat === this.review.person ? text[0].toUpperCase() + text.slice(1) : `${this.players[seat]}: ${text}`;
  }

  async again(decision) {
    try {
      location.hash = `#/table/${(await post(`history/${this.id}/again`, { move: decision.move })).table}`;
    } catch (error) {
      notice(error.message);
    }
  }

  drawWorst() {
    const worst = this.review.worst.map((number) => this.review.decisions[number]);
    return h("section", {}, h("h2", {}, "The costliest decisions"),
      worst.length ? h("ol", {}, worst.map((decision) => h("li", {}, this.link(decision)))) : h("p", {}, "None cost anything."));
  }

  drawTotals() {
    const { totals, luck, luck_unit: unit } = this.review;
    return h("section", {}, h("table", {}, h("caption", { class: "unseen" }, "By kind of decision"),
      h("thead", {}, h("tr", {}, ["decision", "best", "cost"].map((head) => h("th", { scope: "col" }, head)))),
      h("tbody", {}, totals.map((total) => h("tr", {},
        [this.review.person === null ? `${this.players[total.seat]}: ${total.kind}` : total.kind, `${total.best} of ${total.decisions}`, `${plain(total.cost)} ${total.unit}`].map((cell) => h("td", {}, cell)))))),
      luck && h("p", { class: "quiet" }, `Luck, in ${unit}: ${luck.map((value, seat) => `${this.players[seat]} ${plain(value)}`).join(", ")}`));
  }

  drawAll() {
    return h("details", {}, h("summary", {}, this.review.decisions.length === 1 ? "The one decision" : `All ${this.review.decisions.length} decisions`),
      h("ol", {}, this.review.decisions.map((decision) => h("li", {}, this.link(decision)))));
  }

  link(decision) {
    const cost = decision.cost > 0 ? `−${plain(decision.cost)}` : "best";
    return h("button", { type: "button", class: "link", onclick: () => this.go(this.frameOf(decision)) },
      this.said(decision), h("span", { class: "worth" }, cost));
  }

  // -- the chart ------------------------------------------------------------------------------------------------------

  drawChart() {
    const { frames } = this;
    const { chart, chart_unit: unit } = this.review;
    if (!chart?.length) return null;
    const [width, height, left, bottom] = [298, 90, 34, 12]; // As wide as the panel: 90 px high.
    const values = chart.flatMap((point) => point.values);
    const [low, high] = [Math.min(0, ...values), Math.max(...values, 0.001)];
    const last = Math.max(chart.at(-1).move, frames.at(-1).move + 1);
    const x = (move) => left + ((width - left - 6) * move) / last;
    const y = (value) => 6 + ((height - bottom - 6) * (high - value)) / (high - low || 1);
    const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img",
      "aria-label": `${unit} by move: at the end ${chart.at(-1).values.map((value, seat) => `${this.players[seat]} ${plain(value)}`).join(", ")}` });
    for (const value of [low, high]) {
      drawing.append(svg("line", { x1: left, x2: width - 6, y1: y(value), y2: y(value), class: "grid" }),
        svg("text", { x: left - 4, y: y(value) + 4, class: "number" }, plain(Math.abs(value) < 10 ? value : Math.round(value))));
    }
    chart[0].values.forEach((_, seat) => {
      drawing.append(svg("polyline", { class: `line seat${seat % 4}`, points: chart.map((point) => `${x(point.move)},${y(point.values[seat])}`).join(" ") }));
    });
    for (const decision of this.review.decisions.filter((made) => made.blunder)) {
      drawing.append(svg("path", { class: "mark", d: `M${x(decision.move)} ${height - bottom}l-4 8h8z` }));
    }
    const at = x(frames[this.at].move + 1); // The chart has how a move was found, a frame how it left the table.
    drawing.append(svg("line", { x1: at, x2: at, y1: 2, y2: height - bottom, class: "cursor" }));
    const figure = h("figure", {}, drawing, h("figcaption", {},
      this.players.map((name, seat) => h("span", { class: `key seat${seat % 4}` }, name)), h("span", {}, `${unit}; ▲ a blunder`)));
    figure.onclick = (event) => {
      const box = figure.querySelector("svg").getBoundingClientRect();
      const move = (((event.clientX - box.left) / box.width) * width - left) * last / (width - left - 6);
      const near = frames.map((frame) => Math.abs(frame.move + 1 - move));
      this.go(near.indexOf(Math.min(...near)));
    };
    return figure;
  }
}
