// The site's pages: a shelf of recorded games and puzzles; the review and the puzzles are those of `cardgym serve`.
import { get } from "./api.js";
import { h, loadSprite } from "./dom.js";
import { drawFan, title } from "./lobby.js";
import { Puzzles } from "./puzzles.js";
import { Review } from "./review.js";
import { openRules } from "./rules.js";
import { run } from "./shell.js";

async function shelf() {
  const { games } = await get("lobby");
  await Promise.all(games.map(async (game) => (game.symbols = await loadSprite(game.id))));
  return h("section", { class: "lobby" }, h("h1", {}, "Games to step through"),
    h("p", {}, "Players that come with cardgym play each other. Each game opens at its costliest decision, with the better action marked."),
    h("div", { class: "games" }, games.map((game) => h("article", { class: "game" }, h("div", { class: "fan" }, h("h2", {}, title(game.id)), drawFan(game)),
      h("p", {}, game.line),
      h("p", { class: "quiet" }, `${[...game.players, "the house"].slice(0, Math.max(game.players.length, 2)).join(" against ")}.`),
      h("div", { class: "row" }, h("a", { class: "button sit", href: `#/review/${game.id}` }, "Watch the game"), game.puzzles && h("a", { class: "button", href: `#/puzzles/${game.id}` }, "Puzzles"),
        h("button", { type: "button", onclick: () => openRules(game.id, `games/${game.id}/rules`) }, "Rules"))))));
}

run({ "": shelf, puzzles: (id) => new Puzzles(id), review: (id) => new Review(encodeURIComponent(id)) });
