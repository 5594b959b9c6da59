// The site's pages: a shelf of recorded games and puzzles; the review and the puzzles are those of `cardgym serve`.
import { get } from "./api.js";
import { h } from "./dom.js";
import { title } from "./lobby.js";
import { Puzzles } from "./puzzles.js";
import { Review } from "./review.js";
import { run } from "./shell.js";

async function shelf() {
  const { games } = await get("lobby");
  return h("section", { class: "lobby" }, h("h1", {}, "Games to step through"),
    h("p", {}, "Players that come with cardgym play each other. Each game opens at its costliest decision, with the better action marked."),
    h("div", { class: "games" }, games.map((game) => h("article", { class: "game" }, h("h2", {}, title(game.id)),
      h("p", {}, game.players.join(" against ")),
      h("p", {}, h("a", { href: `#/review/${game.id}` }, "Watch the game"), game.puzzles && [" · ", h("a", { href: `#/puzzles/${game.id}` }, "Solve puzzles")])))));
}

run({ "": shelf, puzzles: (id) => new Puzzles(id), review: (id) => new Review(encodeURIComponent(id)) });
