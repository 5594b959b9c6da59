// Draws a view: the zones and counters of the players around the middle of the table. Every zone keeps its room.
import { h, picture, svg, symbolSize } from "./dom.js";

// `choice` is which items can be taken: {open: Set, taken: Set, take(id)}; `marks` names items by class.
// `names` are by seat; `viewer` sits at the bottom; `badge` is what the seat to move is doing.
export function drawView(game, view, names, viewer, { choice, marks = {}, badge = "", over } = {}) {
  const seats = [...names.keys()];
  const own = viewer ?? 0;
  const around = seats.slice(1).map((ahead) => (own + ahead) % seats.length);
  return h(
    "div.felt",
    { "data-seats": seats.length },
    around.length > 0 &&
      h(
        "div.others",
        { style: { "--columns": around.length } },
        around.map((seat) => player(seat)),
      ),
    h("section.middle", { "aria-label": "Middle of the table" }, zones(null), counters(null)),
    player(own),
    over,
  );

  function player(seat) {
    const active = view.to_act === seat;
    return h(
      "section",
      {
        class: `player${active ? " active" : ""}${seat === own ? " own" : ""}`,
        "aria-label": names[seat],
        "data-part": `seat${seat}`,
      },
      h(
        "h2",
        h("span", names[seat]),
        h("span", { class: `turn${active && badge ? "" : " idle"}` }, (active && badge) || "…"),
      ),
      zones(seat),
      counters(seat),
    );
  }

  function counters(seat) {
    const found = view.counters.filter((counter) => counter.seat === seat);
    return h(
      "dl.counters",
      found.map((counter) =>
        h(
          "div",
          { class: /^\d+ of \d+$/.test(counter.value) || String(counter.value).length < 8 ? "" : "words" },
          h("dt", counter.name),
          h("dd", String(counter.value)),
        ),
      ),
    );
  }

  function zones(seat) {
    return view.zones
      .filter((zone) => zone.seat === seat)
      .map((zone) => {
        if (zone.kind === "board") return drawBoard(game, zone);
        if (zone.kind === "text")
          return h(
            "div.zone.text",
            zone.items.map((item) => h("p", item.label)),
          );
        const room = Math.max(zone.room ?? zone.items.length, 1);
        return h(
          "div",
          {
            class: `zone ${zone.kind}${room < 5 ? " small-hand" : ""}${zone.captions === false ? " bare" : ""}`,
            role: "group",
            "aria-label": zone.name,
            "data-part": zone.name,
            style: { "--room": room, "--items": Math.max(zone.items.length, 1) },
          },
          h("p.name", zone.name),
          h(
            "div.items",
            zone.items.map((item) => drawItem(game, item, choice, marks[item.id])),
          ),
        );
      });
  }
}

export function drawItem(game, item, choice, mark = "") {
  const open = choice?.open.has(item.id);
  const taken = choice?.taken.has(item.id);
  const shut = choice?.open.size && !open ? " shut" : "";
  const content = [picture(game, item.symbol), h("small", { "aria-hidden": "true" }, item.caption ?? "")];
  const look = `item${item.faded ? " faded" : ""}${taken ? " taken" : ""}${mark ? ` ${mark}` : ""}`;
  const data = { "data-item": item.id, "data-symbol": item.symbol, title: item.label };
  if (!choice?.open.size || (!open && !taken))
    return h("span", { class: look + shut, role: "img", "aria-label": item.label, ...data }, content);
  return h(
    "button",
    {
      class: look,
      "aria-label": item.label,
      "aria-pressed": choice.plain ? undefined : String(taken),
      onclick: () => choice.take(item.id),
      ...data,
    },
    content,
  );
}

// The position of every peg before its last move, for the back peg that shows what was just scored.
const trails = new Map();

function drawBoard(game, zone) {
  const { width, height } = symbolSize(game, zone.symbol);
  const board = svg(
    "svg",
    {
      viewBox: `0 0 ${width} ${height}`,
      class: "board",
      role: "img",
      "aria-label": zone.items.map((item) => item.label).join(", "),
    },
    svg("use", { href: `#${game}:${zone.symbol}`, width, height }),
  );
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
    const size = symbolSize(game, item.symbol);
    return svg("use", {
      href: `#${game}:${item.symbol}`,
      class: look,
      width: size.width,
      height: size.height,
      x: item.x - size.width / 2,
      y: item.y - size.height / 2,
    });
  }
}

export const forgetTrails = () => trails.clear();

// `bare` leaves out the cards, for hands that lie on the table.
export function drawReveal(game, shown, bare = false) {
  return h(
    "section.reveal",
    { "aria-label": shown.name, "data-part": [shown.name, shown.total, ...shown.lines].join() },
    h("h3", shown.name, shown.total && h("strong", shown.total)),
    shown.items.length > 0 &&
      !bare &&
      h(
        "div.items",
        shown.items.map((item) => drawItem(game, item)),
      ),
    shown.lines.length > 0 &&
      h(
        "ol",
        shown.lines.map((line) => h("li", line)),
      ),
  );
}
