import assert from "node:assert/strict";
import { test } from "node:test";
import { repetition } from "../../../internal/server/page/src/repetition.js";
import { heights, judge, worst, type Verdict } from "../../../internal/server/page/src/review.js";
import type { Answer, Move, Outcome } from "../../../internal/server/page/src/types.js";

function answer(...moves: [string, Outcome, number | null][]): Answer {
  const all: Move[] = moves.map(([move, outcome, steps]) => ({ move, outcome, steps, position: "" }));
  return { game: "a", size: 3, position: "", terminal: false, moves: all, outcome: all[0]?.outcome ?? "draw", steps: all[0]?.steps ?? null };
}

test("the worst moves are those of a player that have spoiled most", () => {
  const to = (best: Outcome, played: Outcome) => judge(answer(["a1", best, null], ["b1", played, null]), "b1");
  const judged = [to("win", "draw"), to("win", "lose"), null, to("draw", "lose"), to("win", "lose"), to("draw", "draw")];
  assert.deepEqual(worst(judged, () => true, 3), [1, 4, 0]);
  assert.deepEqual(worst(judged, (at) => at % 2 === 1, 3), [1, 3]);
});

test("a move is judged by what it has changed", () => {
  const won = answer(["a1", "win", 5], ["b1", "win", 5], ["c1", "win", 9], ["a2", "draw", null], ["b2", "lose", 4]);
  const cases: [Answer, string, Verdict][] = [
    [won, "a1", "kept"],
    [won, "b1", "kept"],
    [won, "c1", "slower"],
    [won, "a2", "spoiled"],
    [won, "b2", "spoiled"],
    [answer(["a1", "draw", null], ["b1", "draw", null], ["c1", "lose", 8]), "b1", "kept"],
    [answer(["a1", "draw", null], ["b1", "draw", null], ["c1", "lose", 8]), "c1", "spoiled"],
    [answer(["a1", "lose", 8], ["b1", "lose", 2]), "a1", "kept"],
    [answer(["a1", "lose", 8], ["b1", "lose", 2]), "b1", "sooner"],
    [answer(["a1", "win", null], ["b1", "win", null], ["c1", "lose", null]), "b1", "kept"],
    [answer(["a1", "win", null], ["b1", "win", null], ["c1", "lose", null]), "c1", "spoiled"],
  ];
  for (const [position, move, want] of cases) {
    const judged = judge(position, move);
    assert.equal(judged?.verdict, want, `${move} of ${JSON.stringify(position.moves)}`);
    assert.equal(judged?.best.move, "a1");
    assert.equal(judged?.played.move, move);
  }
  assert.equal(judge(won, "c3"), null);
  const unknown = { ...won, moves: won.moves.map((m) => ({ ...m, outcome: "unknown" as const, steps: null })) };
  assert.equal(judge(unknown, won.moves[0]?.move ?? ""), null);
  const partly = { ...won, moves: won.moves.map((m) => (m.move === "b2" ? { ...m, outcome: "unknown" as const, steps: null } : m)) };
  assert.equal(judge(partly, "b2"), null);
  assert.equal(judge(partly, "a2")?.verdict, "spoiled");
});

test("the graph rises for the player who began, and toward the end", () => {
  const all = heights([
    { value: { outcome: "win", steps: 3 }, mover: "first" },
    { value: { outcome: "lose", steps: 2 }, mover: "second" },
    { value: { outcome: "draw", steps: null }, mover: "first" },
    { value: { outcome: "win", steps: 2 }, mover: "second" },
    { value: { outcome: "lose", steps: 0 }, mover: "first" },
  ]).map(({ height }) => height);
  const [a, b, c, d, e] = all.map((height) => height ?? NaN) as [number, number, number, number, number];
  assert.ok(0 < a && a < b && b < 1 && c === 0 && d < 0 && e === -1, String(all));
  assert.ok(heights([{ value: { outcome: "lose", steps: 0 }, mover: "second" }])[0]?.height === 1);
  assert.deepEqual(heights([{ value: { outcome: "win", steps: null }, mover: "second" }]).map((h) => h.height), [-0.8]);
});

test("what is not known has no height in the graph, where nobody can win it is level", () => {
  const both = heights([
    { value: { outcome: "unknown", steps: null }, mover: "first" },
    { value: { outcome: "draw", steps: null }, mover: "second" },
  ]);
  assert.deepEqual(both.map(({ height }) => height), [null, 0]);
});

test("the last position that came back is found", () => {
  const positions = ["s x", "a o", "b x", "a o", "c x", "b x"];
  const outcomes: Outcome[] = ["draw", "draw", "draw", "draw", "win", "win"];
  assert.equal(repetition(positions, outcomes, 2), null);
  assert.deepEqual(repetition(positions, outcomes, 3), { first: 1, again: 3, drawn: true });
  assert.deepEqual(repetition(positions, outcomes, 4), { first: 1, again: 3, drawn: true });
  assert.deepEqual(repetition(positions, outcomes, 5), { first: 2, again: 5, drawn: false });
  assert.equal(repetition(["s x"], ["draw"], 0), null);
});
