// What the lobby's forms mean, and where the charts' lines are.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ratingChart, scale, standingsChart } from "../../../src/cardgym/table/web/static/charts.js";
import * as forms from "../../../src/cardgym/table/web/static/forms.js";

const GAME = {
  id: "A-v0",
  opponent: "b",
  seats: [2, 8],
  options: [
    { name: "num_players", default: 2, low: 2, high: 8, step: 1 },
    { name: "mode", default: "x", choices: ["x", "y"] },
  ],
};
const PLAYERS = [
  { name: "a", level: "Easy" },
  { name: "b", level: "Hard" },
  { name: "c", level: "" },
];
const FIELDS = { "option.num_players": "2", "option.mode": "y", hints: "off", people: "one", seat: "any", seed: "" };
const three = { "A-v0.num_players": "3" };

test("options of a table of four have other values, unless they are chosen", () => {
  const option = { name: "cap", default: 0, crowd: 1 };
  const values = (players) => ({ "A-v0.num_players": players });
  assert.deepEqual(
    ["3", "4", "8"].map((players) => forms.optionOf(GAME, values(players), option)),
    ["0", "1", "1"],
  );
  assert.equal(forms.optionOf(GAME, { ...values("8"), "A-v0.cap": "0" }, option), "0");
});

test("seats and people follow the options, the seat and whom one plays with", () => {
  const cases = [
    [{}, 2, 1],
    [{ ...three, people: "hot" }, 3, 2],
    [{ people: "link" }, 2, 2],
    [{ people: "hot", seat: "watch" }, 2, 0],
    [{ people: "hot", "A-v0.num_players": "1" }, 1, 1],
  ];
  for (const [values, seats, persons] of cases) {
    assert.equal(forms.seatsOf(GAME, values), seats);
    assert.equal(forms.personsOf(GAME, values), persons);
  }
  assert.equal(forms.seatsOf({ ...GAME, options: [] }, {}), 8);
  assert.deepEqual(forms.seatChoices(1), [
    ["any", "random"],
    ["0", "1"],
    ["watch", "none: watch"],
  ]);
});

test("a level stands for its player; other players are chosen by name", () => {
  const usual = forms.opponentsOf(GAME, {}, PLAYERS);
  assert.deepEqual([usual.levels, usual.level, usual.known], [["Easy", "Hard"], "Hard", [PLAYERS[1]]]);
  assert.deepEqual(forms.opponentsOf(GAME, { level: "Easy" }, PLAYERS).known, [PLAYERS[0]]);
  assert.equal(forms.opponentsOf(GAME, { level: "Gone" }, PLAYERS).level, "Hard");
  const values = { ...three, level: "choose", opponent0: "c", opponent1: "gone" };
  const chosen = forms.opponentsOf(GAME, values, PLAYERS);
  assert.deepEqual([chosen.level, chosen.names, chosen.known], ["choose", ["c", "b"], PLAYERS.slice(1)]);
  assert.equal(forms.opponentsOf(GAME, {}, [PLAYERS[2]]).level, "choose");
  assert.deepEqual(forms.opponentsOf(GAME, { people: "hot" }, PLAYERS).known, []); // Nobody else.
});

test("a form becomes the request for a table", () => {
  const alone = forms.tableOf(GAME, {}, PLAYERS, { ...FIELDS, level: "Easy" });
  assert.deepEqual(alone, {
    game: "A-v0",
    options: { num_players: 2, mode: "y" },
    opponents: ["a"],
    hints: "off",
    people: "one",
    names: [],
    seat: "any",
    seed: null,
  });
  const named = { ...FIELDS, level: "choose", opponent0: "c", opponent1: "a", seat: "1", seed: "7" };
  const chosen = forms.tableOf(GAME, three, PLAYERS, named);
  assert.deepEqual([chosen.opponents, chosen.seat, chosen.seed], [["c", "a"], 1, 7]);
  const people = { ...FIELDS, people: "hot", name: "Ann", name2: "Bob", level: "Easy" };
  const two = forms.tableOf(GAME, { ...three, people: "hot" }, PLAYERS, people);
  assert.deepEqual([two.opponents, two.people, two.names], [["human", "a"], "hot", ["Ann", "Bob"]]);
  assert.equal(forms.tableOf(GAME, { seat: "watch" }, PLAYERS, { ...FIELDS, seat: "watch" }).seat, null);
});

// -- charts -----------------------------------------------------------------------------------------------------------

const numbers = (points) => points.split(" ").map((point) => point.split(",").map(Number));

test("a scale is linear, and flat where all values are equal", () => {
  assert.deepEqual([0, 5, 10].map(scale(0, 10, 100, 0)), [100, 50, 0]);
  assert.equal(scale(3, 3, 8, 20)(3), 8);
});

test("a rating is a line in its band, between the players that are near", () => {
  const rated = {
    rating: 100,
    curve: [
      [0, 300],
      [100, 50],
    ],
    players: { near: 120, below: 20, far: 2000 },
  };
  const chart = ratingChart(rated, (name) => name);
  const curve = numbers(chart.curve);
  assert.equal(curve[0][0], 6);
  assert.ok(curve[0][1] > curve[1][1]); // It rises.
  assert.equal(numbers(chart.band).length, 4);
  for (const [x, y] of numbers(chart.band)) assert.ok(x >= 6 && x <= 324 && y >= 8 && y <= 132);
  assert.deepEqual(
    chart.levels.map((level) => level.name),
    ["near", "below"],
  );
  assert.equal(chart.above, "below");
  assert.equal(ratingChart({ ...rated, rating: -5 }, (name) => name).above, null);
  assert.equal(numbers(ratingChart({ ...rated, curve: [[0, 9]] }, (name) => name).curve).length, 2);
});

test("names of players with equal ratings do not lie on one another", () => {
  const players = Object.fromEntries([..."abcdefgh"].map((name) => [name, 0]));
  const chart = ratingChart({ rating: 0, curve: [[0, 100]], players }, (name) => name);
  const places = chart.levels.filter((level) => level.name).map((level) => level.y);
  for (const [number, place] of places.entries()) if (number) assert.ok(place - places[number - 1] >= 13);
  assert.ok(places.length < 8); // Those without room have a line only.
});

test("a click on the standings finds its move", () => {
  const chart = [0, 10].map((move) => ({ move, values: [move, 20 - move] }));
  const { lines, grid, x, moveAt, bottom, left, right } = standingsChart(chart, 10);
  assert.deepEqual(
    grid.map((line) => line.value),
    [0, 20],
  );
  assert.deepEqual(numbers(lines[0]), [
    [left, bottom],
    [right, (bottom + 6) / 2],
  ]);
  for (const move of [0, 4, 10]) assert.equal(Math.round(moveAt(x(move))), move);
});
