// Draws a view: the zones and counters of the players around the middle of the table. Every zone keeps its room.
import { h, picture, remembered, svg, symbolSize } from "./dom.js";

// `choice` is which items can be taken: {open: Set, taken: Set, take(id)}; `marks` names items by class.
// `names` are by seat; `viewer` sits at the bottom; `badge` is what the seat to move is doing, `did` what others did.
export function drawView(game, view, names, viewer, { choice, marks = {}, badge, did = [], kinds = [], over } = {}) {
  const seats = [...names.keys()];
  const own = viewer ?? 0;
  const around = seats.slice(1).map((ahead) => (own + ahead) % seats.length);
  return h(
    "div.felt",
    { "data-seats": seats.length },
    around.length > 0 && h("div.others", { style: { "--columns": around.length } }, around.map(player)),
    h("section.middle", { "aria-label": "Middle of the table" }, zones(null), counters(null)),
    player(own),
    over,
  );

  function player(seat) {
    const active = view.to_act === seat;
    const look = `player${active ? " active" : ""}${seat === own ? " own" : ""}`;
    const [doing, done] = [active && badge, did[seat] ?? ""];
    const state = doing ? "" : done ? " done" : " idle";
    const status = h("span", { class: `turn${state}`, title: done }, doing || done || "…");
    const name = h("span", { class: `seat${seat}` }, names[seat], kinds[seat] && h("small", kinds[seat]));
    const about = { class: look, "aria-label": names[seat], "data-part": `seat${seat}` };
    return h("section", about, h("h2", name, status), zones(seat), counters(seat));
  }

  function counters(seat) {
    const found = view.counters.filter((counter) => counter.seat === seat);
    const isShort = (value) => /^\d+ of \d+$/.test(value) || String(value).length < 8;
    const draw = ({ name, value, chips }) => {
      const about = { class: isShort(value) ? "" : "words", "data-chips": chips && `${seat}:${name}` };
      return h("div", about, h("dt", name), h("dd", String(value)));
    };
    return h("dl.counters", found.map(draw));
  }

  function zones(seat) {
    return view.zones
      .filter((zone) => zone.seat === seat)
      .map((zone) => {
        if (zone.kind === "board") return drawBoard(game, zone);
        const lines = zone.items.map((item) => h("p", item.label));
        if (zone.kind === "text") return h("div.zone.text", lines);
        const room = Math.max(zone.room ?? zone.items.length, 1);
        const size = room < 5 ? " small-hand" : room > 9 ? " long" : "";
        const look = `zone ${zone.kind}${size}${zone.captions === false ? " bare" : ""}`;
        const style = { "--room": room, "--items": Math.max(zone.items.length, 1) };
        const about = { class: look, role: "group", "aria-label": zone.name, "data-part": zone.name, style };
        const items = zone.items.map((item) => drawItem(game, item, choice, marks[item.id]));
        return h("div", about, h("p.name", zone.name), h("div.items", items));
      });
  }
}

export const hasMarks = ({ zones }) => zones.some(({ items }) => items.some(({ marks }) => marks));

export function drawItem(game, item, choice, mark = "") {
  const marks = remembered("marks", "") && item.marks?.filter(Boolean);
  const label = marks ? `${item.label}, can be ${marks.join(", ")}` : item.label;
  const few = marks?.length < 4 ? ".few" : "";
  const open = choice?.open.has(item.id);
  const taken = choice?.taken.has(item.id);
  const shut = choice?.open.size && !open ? " shut" : "";
  const content = [picture(game, item.symbol), h("small", { "aria-hidden": "true" }, item.caption ?? "")];
  if (marks)
    content.push(
      h(
        `span.marks${few}`,
        { "aria-hidden": "true" },
        (few ? marks : item.marks).map((one) => h("i", one)),
      ),
    );
  const look = `item${item.faded ? " faded" : ""}${taken ? " taken" : ""}${mark ? ` ${mark}` : ""}`;
  const data = { "data-item": item.id, "data-symbol": item.symbol, title: label };
  if (!choice?.open.size || (!open && !taken))
    return h("span", { class: look + shut, role: "img", "aria-label": label, ...data }, content);
  const pressed = choice.plain ? undefined : String(taken);
  const about = { class: look, "aria-label": label, "aria-pressed": pressed, ...data };
  return h("button", { ...about, onclick: ({ detail }) => detail !== 2 && choice.take(item.id) }, content);
}

// The position of every peg before its last move, for the back peg that shows what was just scored.
const trails = new Map();

function drawBoard(game, zone) {
  const { width, height } = symbolSize(game, zone.symbol);
  const label = zone.items.map((item) => item.label).join(", ");
  const symbol = `${game}:${zone.symbol}`;
  const size = { viewBox: `0 0 ${width} ${height}`, class: "board", "data-symbol": symbol };
  const about = { ...size, role: "img", "aria-label": label };
  const board = svg("svg", about, svg("use", { href: `#${symbol}`, width, height }));
  for (const item of zone.items) {
    const trail = trails.get(item.id) ?? { at: item, from: null };
    if (trail.at.x !== item.x || trail.at.y !== item.y) trail.from = trail.at;
    trail.at = item;
    trails.set(item.id, trail);
    if (trail.from) board.append(peg(trail.from, "back"));
    board.append(peg(item, "front"));
  }
  return h("div.zone.board-zone", board);

  function peg(item, look) {
    const { width, height } = symbolSize(game, item.symbol);
    const place = { width, height, x: item.x - width / 2, y: item.y - height / 2 };
    return svg("use", { href: `#${game}:${item.symbol}`, class: look, ...place });
  }
}

export const forgetTrails = () => trails.clear();

// `bare` leaves out the cards, for hands that lie on the table.
export function drawReveal(game, shown, bare = false) {
  const about = { "aria-label": shown.name, "data-part": [shown.name, shown.total, ...shown.lines].join() };
  const items = shown.items.map((item) => drawItem(game, item));
  const lines = shown.lines.map((line) => h("li", line));
  return h(
    "section.reveal",
    about,
    h("h3", shown.name, shown.total && h("strong", shown.total)),
    items.length > 0 && !bare && h("div.items", items),
    lines.length > 0 && h("ol", lines),
  );
}
