// Points that people miss by muggins, and the holes that pegs go to.
import assert from "node:assert/strict";
import { test } from "node:test";
import { missedOf, resultWithMuggins, withMuggins } from "../../../src/cardgym/table/web/static/counting.js";
import { nearest } from "../../../src/cardgym/table/web/static/motion.js";

const CLAIMS = [
  { table: "one", at: 4, points: 2 },
  { table: "one", at: 9, points: 3 },
  { table: "two", at: 1, points: 7 },
];

test("what was missed is counted for a table, without moves that were taken back", () => {
  assert.equal(missedOf(CLAIMS, "one", 12), 5);
  assert.equal(missedOf(CLAIMS, "one", 9), 2);
  assert.equal(missedOf(CLAIMS, "one", 4), 0);
  assert.equal(missedOf(CLAIMS, "three", 12), 0);
});

test("muggins goes from the person to the other, beside the points of the rules", () => {
  const view = { counters: [{ name: "Points", value: 40, seat: 1 }], zones: [] };
  const shown = withMuggins({ state: { seat: 1 } }, view, 3).counters;
  assert.deepEqual(shown.slice(1), [
    { name: "Muggins", value: "+3", seat: 0 },
    { name: "Muggins", value: "−3", seat: 1 },
  ]);
  assert.deepEqual(withMuggins({ state: { seat: 1 } }, view, 0), view);
});

test("a result is told by muggins, too", () => {
  assert.equal(resultWithMuggins({}, "You win 121 to 110", 8), "With muggins 113 to 118");
  for (const [text, points] of [
    ["You win 121 to 110", 0],
    ["You win 8 credits", 3],
  ])
    assert.ok(!resultWithMuggins({}, text, points));
});

test("a click takes the nearest hole", () => {
  const holes = [10, 30, 50].map((x) => ({ x, y: 5 }));
  assert.equal(nearest(holes, { x: 37, y: 0 }), 1);
  assert.equal(nearest(holes, { x: 41, y: 9 }), 2);
});
