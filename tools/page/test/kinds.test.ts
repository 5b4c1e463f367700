import assert from "node:assert/strict";
import { test } from "node:test";
import { result } from "../../../internal/server/page/src/ending.js";
import { fileAt, kindOf, read, write } from "../../../internal/server/page/src/kinds.js";
import { painted } from "../../../internal/server/page/src/paint.js";
import { mover, PositionError, splitMove } from "../../../internal/server/page/src/position.js";
import type { BoardKind, BoardSize, GameInfo } from "../../../internal/server/page/src/types.js";
import { valueText } from "../../../internal/server/page/src/words.js";

// Games as the server describes them; their names do not matter.
function game(board: BoardKind, marks: number): GameInfo {
  return { name: "a", title: "A", summary: "", marks, board, move_form: "", tables: true, boards: [] };
}

const nine = game("nine", 2);
const boards = game("boards", 1);
const heaps = game("heaps", 0);
const row = game("row", 0);
const discs: GameInfo = { ...game("grid", 2), move_kind: "enclose" };
const rows = game("rows", 0);
const free = game("text", 0);
const empty9 = Array(9).fill(".........").join("/");

const texts: [GameInfo, BoardSize, string][] = [
  [game("grid", 2), 3, "X.O/.../O.X o"],
  [nine, 9, `${empty9} x -`],
  [nine, 9, `X${empty9.slice(1)} o a3`],
  [boards, 2, "X../.../...+XXX/.../..."],
  [boards, 1, ".X./.../..."],
  [boards, "3+2+1", ".X./.../...+X./..+."],
  [heaps, 3, "1/0/15"],
  [heaps, 2, "3/4 o"],
  [row, 5, "X-.-X"],
  [row, 1, "."],
];

test("what write writes, read reads", () => {
  for (const [g, n, text] of texts) assert.equal(write(read(` ${text}\n`, n, g), kindOf(g)), text);
  assert.equal(write(read(`${empty9} o`, 9, nine), "nine"), `${empty9} o -`);
  assert.equal(write(read("3/4 x", 2, heaps), "heaps"), "3/4");
  assert.equal(kindOf({ ...heaps, board: undefined } as unknown as GameInfo), "grid");
});

test("errors have the column", () => {
  const cases: [GameInfo, BoardSize, string, number, RegExp][] = [
    [nine, 9, `${empty9} x d4`, 93, /“d4” is not a board/],
    [nine, 9, `${empty9} z`, 91, /x or o/],
    [boards, 2, "X../.../...", 12, /2 boards/],
    [boards, 1, "X../.../...+X../.../...", 12, /1 board;/],
    [boards, 2, "X../.../...+X../.O./...", 18, /“O” is not a cell/],
    [boards, "1+2", ".+..", 5, /slash/],
    [heaps, 3, "1/3", 4, /3 heaps/],
    [heaps, 2, "1/16", 3, /from 0 to 15/],
    [heaps, 2, "1/", 3, /from 0 to 15/],
    [heaps, 2, "1/2/3", 4, /x or o/],
    [heaps, 2, "1/2 x y", 7, /2 heaps/],
    [heaps, 1, "", 1, /from 0 to 15/],
    [row, 5, "..X..", 2, /5 files/],
    [row, 5, "-....", 1, /5 files/],
    [row, 3, "XX-", 2, /3 files/],
    [row, 3, "....", 4, /3 files/],
    [row, 3, "..", 3, /3 files/],
  ];
  for (const [g, n, text, column, reason] of cases) {
    assert.throws(
      () => read(text, n, g),
      (error: unknown) => error instanceof PositionError && error.column === column && reason.test(error.message),
      JSON.stringify(text),
    );
  }
});

test("who is to move", () => {
  const turns = texts.map(([g, n, text]) => mover(read(text, n, g)));
  assert.deepEqual(turns, ["second", "first", "second", "first", "second", "first", "first", "second", "first", "first"]);
});

test("moves name a cell of their board, or none", () => {
  assert.deepEqual(["1b2", "e9", "c15", "d", "c1a10", "pass", ""].map((move) => splitMove(move).from), ["1b2", "e9", "c15", "d", "c1", "", ""]);
  assert.equal(splitMove("c1a10").to, "a10");
});

test("files are blocked by a move, and empty beside it", () => {
  const p = read("X-..", 4, row);
  assert.deepEqual([0, 1, 2, 3].map((file) => fileAt(p, file)), ["X", "-", ".", "."]);
});

test("a click sets up what the board has", () => {
  const after = (g: GameInfo, n: number, text: string, index: number) => painted(read(text, n, g), index, "cycle", kindOf(g));
  assert.equal(after(heaps, 2, "1/3", 4), "5/3"); // the fifth place of the first heap
  assert.equal(after(heaps, 2, "5/3", 4), "4/3"); // its last counter goes away
  assert.equal(after(heaps, 2, "5/3 o", 15), "5/1 o");
  assert.equal(after(row, 5, ".....", 2), ".-X-.");
  assert.equal(after(row, 5, ".-X-.", 1), "-X-..");
  assert.equal(after(row, 5, ".-X-.", 2), ".....");
  assert.equal(after(boards, 2, "X../.../...+.../.../...", 9), "X../.../...+X../.../...");
  assert.equal(after(nine, 9, `${empty9} o a3`, 0), `X${empty9.slice(1)} o -`);
});

test("how a game ends that is no grid of lines", () => {
  const end = (g: GameInfo, n: number, text: string, outcome: "win" | "lose" | "draw", you: "first" | "second" | null = null) => result(read(text, n, g), g, outcome, you);
  assert.deepEqual(end(heaps, 2, "0/0 o", "lose"), { winner: "first", reason: "The first player made the last move, and whoever makes it wins.", lines: [] });
  assert.equal(end(heaps, 2, "0/0", "win", "second").reason, "You made the last move, and whoever makes it loses.");
  assert.equal(end(row, 3, "-X-", "win", "second").reason, "The opponent made the last move, and whoever makes it loses.");
  assert.deepEqual(end(discs, 2, "XX/OX x", "win"), { winner: "first", reason: "Black has 3 discs, White 1.", lines: [] });
  assert.equal(end(discs, 2, "XX/OO o", "draw").winner, null);
  assert.match(end(nine, 9, `${empty9} o -`, "lose").reason, /^X has won three boards in a line/);
  assert.match(end(nine, 9, `${empty9} o -`, "draw").reason, /^No cell is left/);
});

test("values have a score or nothing where they have no steps", () => {
  assert.equal(valueText({ outcome: "win", steps: null, score: 4 }), "win by 4");
  assert.equal(valueText({ outcome: "lose", steps: null, score: -12 }), "lose by 12");
  assert.equal(valueText({ outcome: "draw", steps: null, score: 0 }), "draw");
  assert.equal(valueText({ outcome: "unknown", steps: null }), "not known");
  assert.equal(valueText({ outcome: "win", steps: 3, nimber: 2 }), "win in 3");
});

test("of a free game the rows and the side are read", () => {
  const p = read(".O.../?O..X/.O...+x o", 1, rows);
  assert.deepEqual([p.rows, mover(p), p.cells.length, p.cells[9]], [[".O...", "?O..X", ".O..."], "second", 15, "X"]);
  assert.deepEqual([read("21 o", 1, free).side, read("21", 1, free).side], ["o", "x"]);
  assert.deepEqual([write(p, "rows"), write(read(" 21 o\n", 1, free), "text")], [".O.../?O..X/.O...+x o", "21 o"]);
  assert.deepEqual(result(read("0 o", 1, free), free, "lose", null).winner, "first");
  assert.equal(painted(p, 3, "cycle", "rows"), p.text);
});
