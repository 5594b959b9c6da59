// The site's pages: a shelf of recorded games and puzzles; the review and the puzzles are those of `cardgym serve`.
import { get } from "./api.js";
import { h, notice, remember, remembered, show } from "./dom.js";
import { title } from "./lobby.js";
import { Puzzles } from "./puzzles.js";
import { Review } from "./review.js";

let page = null;

async function route() {
  page?.close?.();
  page = null;
  notice("");
  const [, place = "", id = ""] = location.hash.split("/");
  const safe = encodeURIComponent(id);
  try {
    page = { review: () => new Review(safe), puzzles: () => new Puzzles(id) }[place]?.() ?? null;
    await (page ? page.start() : shelf());
  } catch (error) {
    notice(error.message);
  }
}

async function shelf() {
  const { games } = await get("lobby");
  show(h("section", { class: "lobby" }, h("h1", {}, "Games to step through"),
    h("p", {}, "Played by agents that come with cardgym. Each opens at the first player's costliest decision, with the better action marked."),
    h("div", { class: "games" }, games.map((game) => h("article", { class: "game" }, h("h2", {}, title(game.id)),
      h("p", {}, game.players.join(" against ")),
      h("p", {}, h("a", { href: `#/review/${game.id}` }, "Watch the game"), game.puzzles && [" · ", h("a", { href: `#/puzzles/${game.id}` }, "Solve puzzles")]))))));
}

function setting(name, apply) {
  const field = document.getElementById(name);
  field.value = remembered(name, field.value);
  apply?.(field.value);
  field.addEventListener("change", () => (remember(name, field.value), apply?.(field.value)));
}

setting("speed");
setting("sounds");
setting("look", (value) => (document.documentElement.dataset.look = value));
const help = document.getElementById("help");
document.getElementById("help-button").addEventListener("click", () => (document.getElementById("settings").hidePopover(), help.showModal()));
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, dialog, summary, [popover]")) return;
  page?.key?.(event);
});
addEventListener("hashchange", route);
route();
