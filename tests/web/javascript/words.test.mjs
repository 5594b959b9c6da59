// How values, games and their moves are written.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as words from "../../../src/cardgym/table/web/static/words.js";

test("figures have the page's minus sign, and texts of games get it", () => {
  assert.deepEqual([-1.234, 3, 0.5, -2].map(words.plain), ["−1.23", "3", "0.50", "−2"]);
  assert.deepEqual([0.0034, -0.0034, -1e-17, 0].map(words.plain), ["0.003", "−0.003", "0", "0"]);
  assert.deepEqual([-12.4, 12.6].map(words.points), ["−12", "+13"]);
  assert.equal(words.percent(0.1234), "12.3 %");
  const shares = [0, 0.002, 0.5, 0.996, 1].map((share) => words.percent(share, 0));
  assert.deepEqual(shares, ["0 %", "under 1 %", "50 %", "over 99 %", "100 %"]); // Only all is 100 %.
  assert.equal(words.signed("You hold -3, +4: half-5 and a-b"), "You hold −3, +4: half-5 and a-b");
  assert.equal(words.signed("3 +- 1 credits"), "3 ± 1 credits");
});

test("a seat shows what it did last, in a few words", () => {
  const said = [
    [1, "Ada raises, paying 2"],
    [0, "You match, paying 2"],
    [-1, "You get the spike 4"],
    [1, "Ada's hand 5 scores 2"],
  ];
  const state = { names: ["You", "Ada", "Bob"], narration: said.map(([seat, text]) => ({ seat, text })) };
  assert.deepEqual(words.lastActions(state), ["match", "raises", ""]);
});

test("a seat's kind says what its name does not, and the verdict counts the person's own decisions", () => {
  const state = { names: ["You", "Ada", "Greedy"], kinds: ["", "Expert", "Greedy"], level: "Hard" };
  assert.deepEqual(words.kindsOf(state), ["", "Expert, Hard", "Hard"]);
  const decisions = [0, 2, 0, 3].map((cost, number) => ({ cost, seat: number === 3 ? 1 : 0 }));
  const verdict = words.verdictOf({ decisions, worst: [1], person: 0 });
  assert.deepEqual(verdict, { best: 2, decisions: 3, worst: decisions[1] });
});

test("an id is shown without its version, in words", () => {
  assert.deepEqual(["CorellianSpike-v0", "Cribbage-v12"].map(words.title), ["Corellian Spike", "Cribbage"]);
});

test("a listed game names the other players", () => {
  assert.equal(words.withWhom({ people: ["You", "Ann", "PPO"], person: 0 }), "with Ann, PPO");
  assert.equal(words.withWhom({ people: ["Ann", "PPO"], person: null }), "watching Ann, PPO");
  assert.equal(words.withWhom({ people: ["You"], person: 0 }), "");
});

test("cards dealt one after another are one line for each seat", () => {
  const texts = ["You are dealt 5", "Ann is dealt a card", "You are dealt 6", "You bet", "You are dealt 7"];
  const lines = words.merged(texts.map((text) => ({ seat: -1, text }))).map((entry) => entry.text);
  assert.deepEqual(lines, ["You are dealt 5, 6", "Ann is dealt a card", "You bet", "You are dealt 7"]);
  assert.equal(words.lastLines("one\ntwo\nthree"), "two\nthree");
});

test("the result is the game's own words or all scores, and banners that say no more are left out", () => {
  const players = [0, 1].map((seat) => ({ seat, score: seat }));
  const state = { names: ["You", "Ann"], result: { text: "", players } };
  assert.equal(words.resultOf(state), "You 0, Ann 1");
  const banners = [
    { name: "Ann wins", lines: ["by 2"] },
    { name: "Ann wins", lines: ["with a run"] },
  ];
  const ended = { ...state, result: { text: "Ann wins by 2", players }, banners };
  assert.deepEqual(words.newsOf(ended), [banners[1]]);
});

test("a blunder is named without the better move", () => {
  const actions = [1, 0.9, -1].map((value, action) => ({ action, value, text: `move ${action}` }));
  const advice = { actions, unit: "credits", blunder: 0.5 };
  assert.equal(words.blunder(advice, 2), "“move 2” costs 2 credits against the best move.");
  assert.deepEqual([words.blunder(advice, 1), words.blunder(advice, 9)], [null, null]);
  assert.equal(words.blunder({ ...advice, blunder: undefined }, 2), null);
  assert.equal(words.withoutCost("2 credits less than the best: the queen beats it"), "the queen beats it");
  assert.equal(words.withoutCost("2 credits less than the best"), "");
});

test("rules are paragraphs and lists, under a title in letters", () => {
  assert.equal(words.headline("CORELLIAN SPIKE, for two"), "Corellian Spike, for two");
  assert.equal(words.headline("SPIKE is short"), "SPIKE is short");
  const shown = words.paragraphs("It runs\non.\n  an item\nthat goes on\n  another");
  assert.deepEqual(shown, [
    { listed: false, text: "It runs on." },
    { listed: true, text: "an item that goes on" },
    { listed: true, text: "another" },
  ]);
});

const played = (unit, own, other) => ({
  unit,
  person: 1,
  people: ["Ann", "You"],
  players: [
    { seat: 1, score: own, return: own },
    { seat: 0, score: other, return: other },
  ],
});

test("a game of the record is won, lost or drawn, with what it brought", () => {
  const games = [played("credits", 2, -2), played("credits", -1.5, 1.5), played("reward", 1, 1)];
  assert.deepEqual(games.map(words.outcome), ["won", "lost", "drawn"]);
  const brought = ["Ann −2, You +2 credits", "Ann +1.50, You −1.50 credits", "Ann 1, You 1"];
  assert.deepEqual(games.map(words.scores), brought);
  assert.equal(words.outcome({ ...games[0], person: null }), null);
  const alone = { unit: "credits", person: 0, players: [{ seat: 0, return: -1 }] };
  assert.equal(words.outcome(alone), "lost"); // To the house.
  assert.deepEqual(
    [
      { resigned: true, lesson: true },
      { again: true },
      { lesson: true },
      { helped: true, undone: true },
      { undone: true },
      {},
    ].map(words.mark),
    ["resigned", "tried again", "lesson", "with hints", "with undo", ""],
  );
});

test("results say what they have in common with no other line, and how often the person won", () => {
  const results = [
    { env: "A", options: { num_players: 2, hands: 1 } },
    { env: "A", options: { num_players: 3, hands: 1 } },
    { env: "B", options: { num_players: 9 } },
  ];
  const shown = results.map((result) => words.differing(result, results));
  assert.deepEqual(shown, [" (players 2)", " (players 3)", ""]);
  assert.equal(words.won({ win_rate: 0.5, win_rate_ci95: [0.4, 0.6] }), "50.0 % [40.0 %, 60.0 %]");
  assert.equal(words.won({ win_rate: 0.5, win_rate_ci95: [null, null] }), "50.0 %");
  assert.equal(words.won({}), "");
  assert.equal(words.gained({ players: [{ mean_return: 1.5 }], unit: "credits" }), "+1.50 credits");
  assert.equal(words.gained({ players: [{ mean_return: 1.5 }], unit: "reward" }), "");
  const net = { players: [{ mean_return: 1.5, metrics: { net: 0.5 } }], unit: "credits", payoff: "net" };
  assert.equal(words.gained(net), "+0.50 credits");
});

test("what a game brought is what it is played for, without the ante that the return leaves out", () => {
  const player = { seat: 0, return: 1, score: 0.5, metrics: { net: 0 } };
  const game = { person: 0, people: ["You"], players: [player], unit: "credits", payoff: "net" };
  assert.equal(words.scores(game), "You 0 credits");
  assert.equal(words.outcome(game), "drawn");
});

test("values have as many decimals as their error allows, and costs of shares are percentage points", () => {
  const rounded = [0, 0.004, 0.04, 0.58, 1.7].map((error) => words.rounded(-3.4567, error));
  assert.deepEqual(rounded, ["−3.46", "−3.457", "−3.46", "−3.5", "−3"]);
  assert.equal(words.rounded(-0.02, 0.5), "0");
  assert.equal(words.costOf(1.5, "% of games"), "1.50 percentage points");
  assert.equal(words.costOf(2, "credits"), "2 credits");
});

test("a tally counts the streak and keeps the last twenty", () => {
  const start = { streak: 2, best: 2, solved: 5, tried: 20 };
  const right = words.tallied(start, { right: true, skill: 1, rating: 2, half_width: 3 });
  assert.deepEqual([right.streak, right.best, right.solved, right.tried], [3, 3, 6, 21]);
  const wrong = words.tallied(right, { right: false });
  assert.deepEqual([wrong.streak, wrong.best, wrong.solved, wrong.tried], [0, 3, 6, 22]);
});
