import assert from "node:assert/strict";
import { test } from "node:test";
import { branches, follow, known } from "../../../internal/server/page/src/variations.js";

const line = (text: string) => text.split(" ");

test("another move leaves what followed as a variation", () => {
  const first = follow({ moves: line("a b c d"), lines: [] }, line("a b e"));
  assert.deepEqual(first, { moves: line("a b e"), lines: [line("a b c d")] });
  const second = follow(first, line("f"));
  assert.deepEqual(second, { moves: line("f"), lines: [line("a b c d"), line("a b e")] });
  assert.deepEqual(follow(second, line("a b c d")), { moves: line("a b c d"), lines: [line("a b e"), line("f")] });
});

test("a line that goes on, or of which moves are taken back, is kept once", () => {
  assert.deepEqual(follow({ moves: line("a b"), lines: [] }, line("a b c")).lines, []);
  const back = follow({ moves: line("a b c"), lines: [] }, ["a"]);
  assert.deepEqual(back, { moves: ["a"], lines: [line("a b c")] });
  assert.deepEqual(follow(back, line("a d")).lines, [line("a b c")]);
  assert.deepEqual(follow(back, line("a b c")).lines, []);
});

test("the oldest of many variations goes", () => {
  let lines = { moves: ["m0"], lines: [] as string[][] };
  for (let i = 1; i < 20; i++) lines = follow(lines, [`m${i}`]);
  assert.equal(lines.lines.length, 12);
  assert.deepEqual(lines.lines.at(-1), ["m18"]);
});

test("a move that was played before goes on along its line", () => {
  const lines = { moves: line("a b"), lines: [line("a c d"), line("e f")] };
  assert.deepEqual(known(lines, ["a"]), line("a b"));
  assert.deepEqual(known(lines, line("a c")), line("a c d"));
  assert.deepEqual(known(lines, line("a g")), line("a g"));
});

test("variations that go on alike are one, with variations of its own", () => {
  const others = [line("a c d"), line("a c e"), line("a b x"), line("f"), line("a")];
  assert.deepEqual(branches(line("a b"), others, 0), [[line("f")]]);
  assert.deepEqual(branches(line("a b"), others, 1), [[line("a c d"), line("a c e")]]);
  assert.deepEqual(branches(line("a b"), others, 2), [[line("a b x")]]);
  assert.deepEqual(branches(line("a c d"), [line("a c e")], 2), [[line("a c e")]]);
});
