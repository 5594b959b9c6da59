// The site's stand-in for the server: its answers are files, and puzzles come with theirs.
import { addSprite } from "./dom.js";

export class Refused extends Error {}

const solutions = new Map();
let next = 0;

export async function get(path) {
  const [kind, game] = path.split("/");
  const response = await fetch(`api/${path}.json`);
  if (!response.ok) throw new Refused("This page is not part of the site. Install cardgym, and `cardgym serve` has it.");
  const answer = await response.json();
  if (kind !== "puzzles") return answer;
  const puzzle = answer[next++ % answer.length];
  solutions.set(puzzle.puzzle, puzzle);
  return { ...puzzle, game };
}

// Adds a game's symbols to the page once.
const sprites = new Map();
export function loadSprite(game) {
  if (!sprites.has(game)) sprites.set(game, fetch(`symbols/${game}.svg`).then(async (answer) => addSprite(game, await answer.text())));
  return sprites.get(game);
}

export async function post(path, { action }) {
  const puzzle = solutions.get(path.split("/")[1]);
  if (!puzzle) throw new Refused("This needs the server of `cardgym serve`.");
  const cost = puzzle.costs[action];
  return { right: action === puzzle.advice.actions[0].action, cost, advice: puzzle.advice };
}
