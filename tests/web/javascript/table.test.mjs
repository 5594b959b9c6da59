// What a table waits for, and which moves its page offers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { leftOf, marksOf, movesOf } from "../../../src/cardgym/table/web/static/moves.js";
import * as phases from "../../../src/cardgym/table/web/static/phases.js";

const STATE = { seat: 0, people: "one", turn: null, ended: false, waits_for: "", actions: [{}], view: { to_act: 0 } };
const table = (changes, rest = {}) => ({ state: { ...STATE, ...changes }, busy: false, paused: false, ...rest });

test("each table is in one phase", () => {
  const cases = [
    [table({}), "yours"],
    [table({}, { busy: true, paused: true }), "paused"],
    [table({ ended: true }, { busy: true }), "busy"],
    [table({ ended: true }), "ended"],
    [table({ people: "hot", seat: null, turn: 1, waits_for: "Bob" }), "covered"],
    [table({ people: "link", actions: [], waits_for: "Bob" }), "waiting"],
    [table({ seat: null, actions: [] }), "watching"],
  ];
  for (const [shown, phase] of cases) assert.equal(phases.phaseOf(shown), phase);
});

test("the seat to move has a badge", () => {
  const others = { view: { to_act: 1 } };
  const cases = [
    [table({}), "your turn"],
    [table({}, { busy: true }), ""],
    [table({}, { busy: true, sending: true }), "sent …"],
    [table(others), "to move"],
    [table(others, { busy: true }), "thinking …"],
    [table({ ended: true }), ""],
    [table(others, { paused: true }), ""],
  ];
  for (const [shown, badge] of cases) assert.equal(phases.badgeOf(shown), badge);
  assert.equal(phases.viewOf(table({}, { busy: true })).to_act, -1);
  assert.equal(phases.viewOf(table({}, { busy: true, sending: true })).to_act, 0);
});

test("others move only where no person is to decide", () => {
  const idle = { actions: [] };
  assert.ok(phases.othersMove(table(idle)));
  for (const other of [{}, { ...idle, ended: true }, { ...idle, seat: null }, { ...idle, waits_for: "Bob" }])
    assert.ok(!phases.othersMove(table(other)));
  assert.ok(phases.mayAct(table({})));
  assert.ok(!phases.mayAct(table({}, { busy: true })));
});

test("a screen reader hears the end, whose turn it is, or what happened", () => {
  const say = (changes) => phases.spoken(table({ names: ["You", "Bob"], ...changes }), "Bob bets.", "You win");
  assert.equal(say({ ended: true }), "You win");
  assert.equal(say({}), "Bob bets. Your turn.");
  assert.equal(say({ seat: null, turn: 1, actions: [] }), "Pass to Bob.");
  assert.equal(say({ actions: [] }), "Bob bets.");
});

test("deals are one step, and what is counted takes its time", () => {
  const deal = { seat: -1, reveals: [] };
  assert.ok(phases.isOneOfMany(deal, deal));
  assert.ok(!phases.isOneOfMany(deal, { seat: 0 }));
  assert.ok(!phases.isOneOfMany({ ...deal, reveals: [{}] }, deal));
  assert.ok(!phases.isOneOfMany(deal, undefined));
  assert.equal(phases.lengthOf(deal), 0.3);
  assert.equal(phases.lengthOf({ seat: 0, reveals: [{ lines: ["a", "b"] }] }), 1 + 0.4 * 3);
});

test("another game is like the last one", () => {
  const names = ["Ann", "Greedy", "Bob"];
  const state = { game: "A", options: { n: 1 }, host: 0, hints: "off", people: "one", names, lesson: null };
  const alone = phases.likeThis({ ...state, opponents: ["greedy"] });
  assert.deepEqual([alone.options, alone.seat, alone.names], [{ n: 1 }, 0, undefined]);
  assert.deepEqual(phases.likeThis({ ...state, opponents: ["greedy"], lesson: {} }).options, {});
  const two = phases.likeThis({ ...state, people: "hot", opponents: ["greedy", "human"] });
  assert.deepEqual(two.names, ["Ann", "Bob"]);
  const linked = phases.likeThis({ ...state, table: "t", people: "link", opponents: ["human"] }, "Ann");
  assert.deepEqual([linked.rematch, linked.names, linked.seed], ["t", ["Ann"], null]);
});

// -- moves ------------------------------------------------------------------------------------------------------------

const items = (...ids) => ids.map((id) => ({ id }));
const VIEW = {
  zones: [
    { name: "Ann's line", kind: "row", items: items("a", "b", "c", "d") },
    { name: "tiles", kind: "palette", items: items("x", "y") },
  ],
};
const action = (number, text, ...items) => ({ action: number, text, items });
const none = new Set();

test("few moves are buttons, in the order of their cards", () => {
  const moves = [action(0, "play b", "b"), action(1, "play a", "a")];
  assert.deepEqual(movesOf(VIEW, moves, none, 4), { buttons: [moves[1], moves[0]], prompt: "" });
  const mixed = [action(0, "play b", "b"), action(1, "pass")];
  assert.deepEqual(movesOf(VIEW, mixed, none, 4).buttons, mixed);
});

test("many moves are chosen on the table", () => {
  const single = ["a", "b", "c"].map((item, number) => action(number, `play ${item}`, item));
  assert.deepEqual(movesOf(VIEW, single, none, 2), { buttons: [], prompt: "On the table, choose what to play." });
  const several = [action(0, "play a", "a"), action(1, "keep b", "b"), action(2, "keep c", "c")];
  assert.equal(movesOf(VIEW, several, none, 2).prompt, "On the table, choose what to do.");
  const pairs = [
    action(0, "discard a b", "a", "b"),
    action(1, "discard a c", "a", "c"),
    action(2, "discard b c", "b", "c"),
  ];
  assert.equal(movesOf(VIEW, pairs, none, 2).prompt, "On the table, choose two cards to discard.");
  assert.equal(movesOf(VIEW, leftOf(pairs, new Set("a")), new Set("a"), 1).prompt, "Choose one more.");
});

test("a guess begins with the place, and a move to stop stays a button", () => {
  const guesses = [..."ab"].flatMap((place) => [..."xy"].map((tile) => action(place + tile, "guess", place, tile)));
  const stop = action("stop", "stop", "c");
  const { buttons, prompt } = movesOf(VIEW, [...guesses, stop], none, 4);
  assert.deepEqual([buttons, prompt], [[stop], "Choose one of Ann's line, then what it is, or:"]);
  const left = leftOf(guesses, new Set("a"));
  const chosen = left.map((one) => one.action);
  assert.deepEqual(chosen, ["ax", "ay"]);
  const named = "Now choose what it is; the faded ones cannot be there.";
  assert.equal(movesOf(VIEW, left, new Set("a"), 1).prompt, named);
});

test("the best and the chosen items are marked", () => {
  assert.deepEqual(marksOf(["a", "b"], ["b", "c"]), { a: "better", b: "chosen better", c: "chosen" });
});
