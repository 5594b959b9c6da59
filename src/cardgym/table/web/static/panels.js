// Parts of a table that need only what they draw: what was revealed, the log, how the seats stand.
import { h, notice, plain } from "./dom.js";
import { drawReveal } from "./view.js";

// What was just revealed, above the felt: a banner with the rule that decided, and the points one by one. `bare` leaves
// out the cards; `more` is for the people at the table.
export function drawStage(game, reveals, bare, more) {
  const [banners, others] = [reveals.filter((shown) => shown.banner), reveals.filter((shown) => !shown.banner)];
  return h("div", { class: "stage", role: "region", "aria-label": "Just revealed" }, more,
    banners.map((banner) => h("div", { class: "banner", "data-part": banner.name + banner.lines }, h("strong", {}, banner.name), h("span", {}, banner.lines.join("; ")))),
    others.length > 0 && h("div", { class: "reveals", "data-part": others.map((reveal) => reveal.name + reveal.lines).join() }, others.map((reveal) => drawReveal(game, reveal, bare))));
}

const KEYS = "1234567890abcdefgijklmopqtvwxyz"; // Without the keys of other commands: h, n, r, s, u.
const maxButtons = () => (innerWidth < 640 ? 4 : innerHeight < 700 ? 6 : 12); // More would be too small to read.

// The actions that are about all items taken so far.
export const leftOf = (actions, taken) => actions.filter((action) => [...taken].every((item) => action.items.includes(item)));

// A button for each action that is left, in the order in which their cards are shown; or what to choose on the table.
export function drawMoves(view, left, taken, act, guide) {
  const places = new Map(view.zones.flatMap((zone) => zone.items).map((item, place) => [item.id, place]));
  const place = (action) => places.get(action.items[0]) ?? -1;
  const ordered = left.every((action) => action.items.length) ? [...left].sort((one, other) => place(one) - place(other)) : left;
  // Beside many pairs of items, an action or two about one item, such as to stop, are buttons too.
  const most = Math.max(...left.map((action) => action.items.length));
  const [pairs, single] = [left.filter((action) => action.items.length === most), left.filter((action) => action.items.length < most)];
  const shown = (action) => action.items.length <= taken.size || (single.length <= 2 && single.includes(action));
  const listed = left.length <= maxButtons() ? ordered : ordered.filter(shown);
  const verbs = new Set(pairs.filter((action) => action.items.length).map((action) => action.text.split(" ")[0]));
  const zoneOf = (item) => view.zones.findIndex((zone) => zone.items.some((other) => other.id === item));
  const alike = !taken.size && !single.length && new Set(left.flatMap((action) => action.items).map(zoneOf)).size === 1;
  const count = alike ? most : 1;
  // A place on the table and what is there: the zone to look at first.
  const asked = alike || taken.size || most !== 2 || single.length > 2 ? null : view.zones[zoneOf(pairs[0].items[0])];
  const named = left.every((action) => action.items.filter((item) => !taken.has(item)).every((item) => view.zones[zoneOf(item)].kind === "palette"));
  const what = verbs.size === 1 ? ` ${count > 1 ? `${["two", "three", "four"][count - 2] ?? count} cards` : "what"} to ${[...verbs][0]}` : " what to do";
  return [listed.length < left.length && h("span", { class: "prompt", "data-part": "prompt" }, taken.size ? (named ? "Now choose what it is; the faded ones cannot be there." : "Choose one more.") : asked ? `Choose one of ${asked.name}, then what it is${listed.length ? ", or:" : "."}` : `On the table, choose${what}${listed.length ? ", or:" : "."}`),
    listed.map(({ action, text }, number) => h("button", { type: "button", class: action === guide ? "guide" : "", "data-key": KEYS[number], onclick: () => act(action) },
      text, KEYS[number] && h("kbd", {}, KEYS[number])))];
}

// The end of a text that has many lines, for the line below the table.
export const lastLines = (text) => text.split("\n").slice(-2).join("\n");

export function drawLog(narration, onscroll) {
  return h("section", { class: "so-far" }, h("h2", {}, "So far"),
    h("div", { class: "log", role: "log", "aria-label": "What happened", tabIndex: 0, onscroll },
      merged(narration).map((entry) => h("p", { class: entry.seat < 0 ? "chance" : "" }, entry.text))));
}

// Cards dealt one after another, also in turn to several seats, are one line for each.
export function merged(narration) {
  const out = [];
  for (const { seat, text } of narration) {
    const [, start = null, card] = /(?:^|\n)([^\n]* dealt)( [^\n]*)$/.exec(text) ?? [];
    const dealt = start && out.slice(out.findLastIndex((entry) => entry.start === null) + 1).find((entry) => entry.start === start);
    if (dealt) dealt.text += `,${card}`;
    else out.push({ seat, start, text });
  }
  return out;
}

// How the seats of a watched game stand, given all cards.
export function drawStanding(names, standing) {
  const { values, unit } = standing ?? { values: names.map(() => 0), unit: "" };
  const total = values.reduce((sum, value) => sum + Math.max(value, 0), 0);
  return h("section", { class: "standing", "aria-label": "How the seats stand" },
    h("h2", {}, "How they stand", h("small", {}, unit)),
    values.map((value, seat) => h("p", {}, h("span", {}, names[seat]),
      h("progress", { max: total || 1, value: Math.max(value, 0), "aria-label": names[seat] }), h("span", { class: "worth" }, plain(value)))));
}

// At a screen that people share: whose turn it is to look. At a table by link: where and how the others join.
export function drawPeople(state, covered) {
  if (covered) {
    return h("div", { class: "banner", "data-part": "covered" }, h("strong", {}, `Pass to ${state.names[state.turn]}`),
      h("span", {}, "then press Show my cards"));
  }
  if (!state.free || !state.code) return null;
  const place = `${state.address || `${location.origin}/`}#/join/${state.code}`;
  const where = state.address ? "On another device" : "In another browser on this computer";
  return h("div", { class: "banner join", "data-part": "join" },
    h("strong", {}, `Waiting for ${state.free === 1 ? "another person" : `${state.free} more people`}`),
    h("span", {}, `${where}, open `, h("a", { href: place }, place), " or choose Join a table and type the code."),
    h("b", { class: "code" }, state.code),
    h("button", { type: "button", class: "copy", onclick: (event) => copy(place, event.target) }, "Copy the address"),
    !state.address && h("small", {}, "For other devices, start the server with ", h("code", {}, "cardgym serve --host 0.0.0.0"), "."));
}

// Browsers have a clipboard for pages of this computer or with https only; elsewhere a selection is copied.
async function copy(words, button) {
  try {
    await navigator.clipboard.writeText(words);
  } catch {
    getSelection().selectAllChildren(button.parentElement.querySelector("a"));
    if (!document.execCommand("copy")) return notice("The browser does not let the page copy: the address is selected.");
  }
  button.textContent = "Copied";
}
