import assert from "node:assert/strict";
import { test } from "node:test";
import { completeLines, empty, format, mover, parse as parseOn, PositionError, splitMove } from "../../../internal/server/page/src/position.js";
import { cellName, linesOf, shapeOf } from "../../../internal/server/page/src/shape.js";
import type { BoardSize } from "../../../internal/server/page/src/types.js";

const parse = (text: string, size: BoardSize, sides: boolean) => parseOn(text, shapeOf(size), sides);

test("what format writes, parse reads", () => {
  for (const text of ["X.O/.../O.X x", "XXX/.../... o"]) assert.equal(format(parse(text, 3, true)), text);
  for (const text of ["X../.X./...", ".../.../..."]) assert.equal(format(parse(text, 3, false)), text);
  assert.equal(format(empty(shapeOf(2), true)), "../.. x");
  assert.equal(format(empty(shapeOf(2), false)), "../..");
});

test("white space around a position and a missing side are read", () => {
  assert.equal(format(parse("  X./..\n", 2, true)), "X./.. x");
  assert.equal(format(parse("X./..   o ", 2, true)), "X./.. o");
});

test("errors have the column", () => {
  const cases: [string, boolean, number, RegExp][] = [
    ["", true, 1, /no position/],
    ["X./.Y", true, 5, /“Y” is not a cell/],
    ["O./..", false, 1, /X or \./],
    ["X../..", true, 3, /slash/],
    ["X./.", true, 5, /missing/],
    ["X", true, 2, /missing/],
    ["X/..", true, 2, /missing/],
    ["X./.. z", true, 7, /x or o/],
    ["X./..x", true, 6, /space/],
    ["X./.. x y", true, 9, /nothing may follow/],
    ["X./.. x", false, 7, /nothing may follow/],
    ["X./../..", true, 6, /side to move/],
    ["é./..", true, 1, /“é”/],
  ];
  for (const [text, sides, column, reason] of cases) {
    assert.throws(
      () => parse(text, 2, sides),
      (error: unknown) => error instanceof PositionError && error.column === column && reason.test(error.message),
      JSON.stringify(text),
    );
  }
});

test("cells are named from the bottom left", () => {
  assert.deepEqual([0, 3, 12, 15].map((cell) => cellName(shapeOf(4), cell)), ["a4", "d4", "a1", "d1"]);
  assert.deepEqual(splitMove("c1a10"), { from: "c1", to: "a10" });
  assert.deepEqual(splitMove("b3"), { from: "b3", to: "b3" });
});

test("who is to move", () => {
  assert.equal(mover(parse(".../.../... x", 3, true)), "first");
  assert.equal(mover(parse(".../.../... o", 3, true)), "second");
  assert.equal(mover(parse("X../.../...", 3, false)), "second");
  assert.equal(mover(parse("XX./.../...", 3, false)), "first");
});

test("complete lines are all rows, columns and main diagonals", () => {
  const names = (text: string, mark: "X" | "O") => completeLines(parse(text, 3, true), mark).map((line) => line.name);
  assert.deepEqual(names("XXX/.X./X.X", "X"), ["row 3", "the diagonal from a3 to c1", "the diagonal from a1 to c3"]);
  assert.deepEqual(names("O.X/O.X/O.X", "O"), ["column a"]);
  assert.deepEqual(names("XX./.../...", "X"), []);
  assert.equal(completeLines(parse("XXX/XXX/XXX", 3, false), "X").length, 8);
});

test("complete lines of other boards", () => {
  const names = (text: string, size: BoardSize) => completeLines(parse(text, size, false), "X").map((line) => line.name);
  assert.deepEqual(names("XXXX/X.../X..X", "3x4"), ["row 3", "column a"]);
  assert.deepEqual(names("X../.X./..X", "3x3,no-diagonals"), []);
  assert.deepEqual(names(".X./X../..X", "3x3,torus"), ["the diagonal through b3, a2, c1"]);
  assert.deepEqual(names("X.../.X../XXX.", "3x4,three"), ["the line from a1 to c1", "the line from a3 to c1"]);
  assert.deepEqual(names("X/X", "2x1"), ["row 2", "row 1", "column a"]);
  // As many as the rules of the games have.
  const counts = [["1x4", 5], ["4x5", 9], ["5x5,no-diagonals", 10], ["5x5,torus", 20], ["2x2,torus", 6], ["4x4,three", 24], ["5x5,four", 28], ["3x5,four", 6], ["6x8,five", 56], ["2x9,nine", 2], ["2x18", 20], ["12x2,twelve", 2]] as const;
  for (const [size, count] of counts) assert.equal(linesOf(shapeOf(size)).length, count, size);
});
