// Parts of a table that need only what they draw: what was revealed, the log, how the seats stand.
import { post } from "./api.js";
import { resultWithMuggins } from "./counting.js";
import { fitsMedia, h, notice, reopen, twice } from "./dom.js";
import { movesOf } from "./moves.js";
import { drawReveal } from "./view.js";
import { costOf, merged, outcome, percent, plain, resultOf } from "./words.js";

// What was just revealed, above the felt: a banner with the rule that decided, and the points one by one. `bare` leaves
// out the cards; `more` is for the people at the table.
export function drawStage(game, reveals, bare, more) {
  const drawBanner = ({ name, lines }) =>
    h("div.banner", { "data-part": name + lines }, h("strong", name), h("span", lines.join("; ")));
  const banners = reveals.filter((shown) => shown.banner).map(drawBanner);
  const others = reveals.filter((shown) => !shown.banner);
  const part = { "data-part": others.map((reveal) => reveal.name + reveal.lines).join() };
  const counted = others.map((reveal) => drawReveal(game, reveal, bare));
  const stage = [more, banners, others.length > 0 && h("div.reveals", part, counted)];
  return h("div.stage", { role: "region", "aria-label": "Just revealed" }, stage);
}

const KEYS = "1234567890abcdefgijklmoqtvwxyz"; // Without the keys of other commands: h, n, p, r, s, u.

// How many buttons there are at most: more would be too small to read.
const maxButtons = () => (fitsMedia("width < 40em") ? 4 : fitsMedia("height < 43.75em") ? 6 : 12);

// A button for each action that is left, or what to choose on the table; the action `guide` is marked.
export function drawMoves(view, left, taken, act, guide) {
  const { buttons, prompt } = movesOf(view, left, taken, maxButtons());
  const button = ({ action, text }, number) => {
    const onclick = ({ detail }) => detail !== 2 && act(action); // A double click is no second move; a third means it.
    const properties = { class: action === guide ? "guide" : "", "data-key": KEYS[number], onclick };
    return h("button", properties, text, KEYS[number] && h("kbd", KEYS[number]));
  };
  return [prompt && h("span.prompt", { "data-part": "prompt" }, prompt), buttons.map(button)];
}

export function drawLog(narration, onscroll) {
  const lines = merged(narration).map((entry) => h("p", { class: entry.seat < 0 ? "chance" : "" }, entry.text));
  const about = { role: "log", "aria-label": "What happened", tabIndex: 0, onscroll };
  return h("section.so-far", h("h2", "So far"), h("div.log", about, lines));
}

// A button to give up a game, unless it is watched; one in which nothing was decided is gone then.
export const drawResign = ({ table, person }) =>
  person !== null &&
  twice("resign", async () => {
    const { deleted } = await post(`tables/${table}/resign`);
    if (deleted && location.hash.startsWith("#/table/")) location.hash = "#/";
    else reopen();
  });

export function drawStanding(names, standing) {
  const { values, unit } = standing ?? { values: names.map(() => 0), unit: "" };
  const total = values.reduce((sum, value) => sum + Math.max(value, 0), 0);
  const draw = (value, seat) => {
    const bar = { max: total || 1, value: Math.max(value, 0), "aria-label": names[seat] };
    return h("p", h("span", names[seat]), h("progress", bar), h("span.worth", plain(value)));
  };
  const heading = h("h2", "How they stand", h("small", unit));
  return h("section.standing", { "aria-label": "How the seats stand" }, heading, values.map(draw));
}

// How the game ended; if the coach has reviewed it, how well the person decided, and the costliest decision.
export function drawEnd(table) {
  const { state, verdict, id } = table;
  const end = outcome({ person: state.seat, people: state.names, ...state.result });
  const { best, decisions, worst } = verdict ?? {};
  const exact = decisions ? `Accuracy ${percent(best / decisions, 0)}: ${best} of ${decisions}` : "";
  const costly = worst && `Costliest: ${worst.text}, −${costOf(worst.cost, worst.unit)}`;
  const review = { href: `#/review/${state.record ?? id}` };
  const byMuggins = resultWithMuggins(table, resultOf(state));
  return h(
    "div.banner.end",
    { class: end ?? "", "data-part": "end" },
    h("strong.result", resultOf(state)),
    byMuggins && h("span", byMuggins),
    exact && h("span", exact),
    costly && h("a.button", review, costly),
  );
}

// At a screen that people share: whose turn it is to look. At a table by link: where and how the others join.
export function drawPeople(state, covered) {
  if (covered) {
    const words = [h("strong", `Pass to ${state.names[state.turn]}`), h("span", "then press Show my cards")];
    return h("div.banner", { "data-part": "covered" }, words);
  }
  if (!state.free || !state.code) return null;
  const place = `${state.address || `${location.origin}/`}#/join/${state.code}`;
  const where = state.address ? "On another device" : "In another browser on this computer";
  return h(
    "div.banner.join",
    { "data-part": "join" },
    h("strong", `Waiting for ${state.free === 1 ? "another person" : `${state.free} more people`}`),
    h("span", `${where}, open `, h("a", { href: place }, place), " or choose Join a table and type the code."),
    h("b.code", state.code.replace(/.{5}(?!$)/, "$&-")),
    h("button.copy", { onclick: (event) => copy(place, event.target) }, "Copy the address"),
    !state.address &&
      h("small", "For other devices, start the server with ", h("code", "cardgym serve --host 0.0.0.0"), "."),
  );
}

// Browsers have a clipboard for pages of this computer or with https only; elsewhere a selection is copied.
async function copy(words, button) {
  try {
    await navigator.clipboard.writeText(words);
  } catch {
    getSelection().selectAllChildren(button.parentElement.querySelector("a"));
    if (!document.execCommand("copy"))
      return notice("The browser does not let the page copy: the address is selected.");
  }
  button.textContent = "Copied";
}
