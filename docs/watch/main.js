// The site's pages: a shelf of recorded games and puzzles; the review and the puzzles are those of `cardgym serve`.
import { get } from "./api.js";
import { h, loadSprite } from "./dom.js";
import { drawFan } from "./lobby.js";
import { Puzzles } from "./puzzles.js";
import { Review } from "./review.js";
import { openRules } from "./rules.js";
import { run } from "./shell.js";
import { title } from "./words.js";

const ABOUT =
  "Players that come with cardgym play each other. Each game opens at its costliest decision, with the better action " +
  "marked.";

async function shelf() {
  const { games } = await get("lobby");
  await Promise.all(games.map(async (game) => (game.symbols = await loadSprite(game.id))));
  return h("section.lobby", h("h1", "Games to step through"), h("p", ABOUT), h("div.games", games.map(drawGame)));
}

function drawGame(game) {
  const sides = game.players.length > 1 ? game.players : [...game.players, "the house"];
  return h(
    "article.game",
    h("div.fan", h("h2", title(game.id)), drawFan(game)),
    h("p", game.line),
    h("p.quiet", `${sides.join(" against ")}.`),
    h(
      "div.row",
      h("a.button.sit", { href: `#/review/${game.id}` }, "Watch the game"),
      game.puzzles && h("a.button", { href: `#/puzzles/${game.id}` }, "Puzzles"),
      h("button", { onclick: () => openRules(game.id) }, "Rules"),
    ),
  );
}

run({ "": shelf, puzzles: (id) => new Puzzles(id), review: (id) => new Review(encodeURIComponent(id)) });
