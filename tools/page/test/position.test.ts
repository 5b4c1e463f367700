import assert from "node:assert/strict";
import { test } from "node:test";
import { cellName, completeLines, empty, format, mover, parse, PositionError, splitMove } from "../../../server/page/src/position.js";

test("what format writes, parse reads", () => {
  for (const text of ["X.O/.../O.X x", "XXX/.../... o"]) assert.equal(format(parse(text, 3, true)), text);
  for (const text of ["X../.X./...", ".../.../..."]) assert.equal(format(parse(text, 3, false)), text);
  assert.equal(format(empty(2, true)), "../.. x");
  assert.equal(format(empty(2, false)), "../..");
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
  assert.deepEqual([0, 3, 12, 15].map((cell) => cellName(4, cell)), ["a4", "d4", "a1", "d1"]);
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
