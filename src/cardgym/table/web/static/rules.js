// The rules: paragraphs with headings, and pictures of what counts.
import { get } from "./api.js";
import { attempt, h, loadSprite } from "./dom.js";
import { drawReveal } from "./view.js";
import { headline, paragraphs } from "./words.js";

export const offerRules = (game, options) =>
  document.getElementById("tools").replaceChildren(h("button", { onclick: () => openRules(game, options) }, "Rules"));

export const openRules = (game, options = {}) =>
  attempt(async () => {
    const asking = get(`games/${game}/rules?${new URLSearchParams(options)}`);
    const [{ rules, examples }] = await Promise.all([asking, loadSprite(game)]);
    const named = !rules[0][0] && !rules[0][1].includes("\n"); // A line above all paragraphs is their title.
    document.getElementById("rules-title").textContent = named ? headline(rules.shift()[1]) : "Rules";
    const sections = rules.map(([heading, text]) => h("section", heading && h("h3", heading), drawText(text)));
    const shown = examples.map((example) => drawReveal(game, example));
    if (shown.length) sections.splice(1, 0, h("div.examples", shown)); // What the game is about, then what counts.
    document.getElementById("rules-text").replaceChildren(...sections);
    document.getElementById("rules").showModal();
    document.getElementById("rules-text").scrollTop = 0;
  });

const drawText = (text) =>
  paragraphs(text).map(({ listed, text }) => {
    const parts = text.split("`").map((part, place) => (place % 2 ? h("code", part) : part));
    return h("p", { class: listed ? "listed" : "" }, parts);
  });
