// The rules: paragraphs with headings, and pictures of what counts.
import { get } from "./api.js";
import { h, loadSprite, notice } from "./dom.js";
import { drawReveal } from "./view.js";

export const offerRules = (game, path) =>
  document.getElementById("tools").replaceChildren(h("button", { type: "button", onclick: () => openRules(game, path) }, "Rules"));

export async function openRules(game, path) {
  try {
    const [{ rules, examples }] = await Promise.all([get(path), loadSprite(game)]);
    const named = !rules[0][0] && !rules[0][1].includes("\n"); // A line above all paragraphs is their title.
    document.getElementById("rules-title").textContent = named ? headline(rules.shift()[1]) : "Rules";
    const sections = rules.map(([heading, text]) => h("section", {}, heading && h("h3", {}, heading), ...blocks(text)));
    if (examples.length) sections.splice(1, 0, h("div", { class: "examples" }, examples.map((shown) => drawReveal(game, shown)))); // What the game is about, then what counts.
    document.getElementById("rules-text").replaceChildren(...sections);
    document.getElementById("rules").showModal();
    document.getElementById("rules-text").scrollTop = 0;
  } catch (error) {
    notice(error.message);
  }
}

// A title in capitals, as a terminal has it, in letters as on the lobby's cards.
const headline = (words) => words.replace(/^[A-Z ]{4,}(?=[,(])/, (name) => name.toLowerCase().replace(/\b\w/g, (letter) => letter.toUpperCase()));

// Lines that are indented are a list; others run on.
function blocks(text) {
  const out = [];
  for (const line of text.split("\n")) {
    const listed = /^ {2}\S/.test(line);
    if (listed || !out.length) out.push({ listed, lines: [line.trim()] });
    else out.at(-1).lines.push(line.trim());
  }
  return out.map(({ listed, lines }) => h("p", { class: listed && "listed" }, lines.join(" ").split("`").map((part, place) => (place % 2 ? h("code", {}, part) : part))));
}
