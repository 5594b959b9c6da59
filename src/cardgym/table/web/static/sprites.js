// The drawings of the games' cards.
import { addSprite } from "./dom.js";

// Adds a game's symbols to the page once.
const sprites = new Map();
export function loadSprite(game) {
  if (!sprites.has(game)) {
    sprites.set(game, fetch(`symbols/${encodeURIComponent(game)}.svg`).then(async (answer) => (answer.ok ? addSprite(game, await answer.text()) : [])));
  }
  return sprites.get(game);
}
