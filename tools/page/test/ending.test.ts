import assert from "node:assert/strict";
import { test } from "node:test";
import { result, type Result } from "../../../internal/server/page/src/ending.js";
import { gameOn, hasSides } from "../../../internal/server/page/src/games.js";
import { parse, type Player } from "../../../internal/server/page/src/position.js";
import { shapeOf } from "../../../internal/server/page/src/shape.js";
import type { BoardSize, GameInfo, Outcome } from "../../../internal/server/page/src/types.js";

// Games as the server describes them; their names do not matter.
const shared: GameInfo = { name: "a", title: "A", summary: "", marks: 1, move_kind: "mark", complete_line: "loses", move_form: "", tables: true, boards: [] };
const pushed: GameInfo = { name: "b", title: "B", summary: "", marks: 2, move_kind: "push", complete_line: "wins", move_form: "", tables: true, boards: [] };
const marked: GameInfo = { name: "c", title: "C", summary: "", marks: 2, move_kind: "mark", complete_line: "wins", move_form: "", tables: true, boards: [] };
const unknown: GameInfo = { name: "d", title: "D", summary: "", marks: 2, move_form: "", tables: true, boards: [] };

function end(game: GameInfo, text: string, outcome: Outcome, you: Player | null, size: BoardSize = 3): Result {
  return result(parse(text, shapeOf(size), hasSides(game)), game, outcome, you);
}

test("with shared marks, the player who completes a line loses", () => {
  const over = end(shared, "XXX/.X./...", "win", null); // four marks: the second player has moved
  assert.equal(over.winner, "first");
  assert.equal(over.reason, "The second player completed row 3, and whoever completes a line loses.");
  assert.match(end(shared, "XXX/.X./...", "win", "first").reason, /^The opponent completed row 3/);
  assert.match(end(shared, "XXX/.X./...", "win", "second").reason, /^You completed row 3/);
  assert.match(end(shared, "XXX/X../X..", "win", null).reason, /row 3 and column a/);
});

test("where tiles are pushed, a line of the own mark wins, also when the opponent completes it", () => {
  const own = end(pushed, "OOO/XX./... x", "lose", null);
  assert.deepEqual([own.winner, own.reason], ["second", "Row 3 is full of O."]);
  const given = end(pushed, "XXX/OO./... x", "win", null);
  assert.deepEqual([given.winner, given.reason], ["first", "O completed row 3 of X."]);
  const both = end(pushed, "XXX/OOO/... x", "win", "second");
  assert.deepEqual([both.winner, both.reason], ["first", "You completed row 3 of X, and that counts more than your own row 2."]);
  assert.equal(end(pushed, "XXX/OOO/... x", "win", null).reason, "O completed row 3 of X, and that counts more than their own row 2.");
  assert.deepEqual(both.lines.map((line) => line.cells), [[0, 1, 2]]);
});

test("where cells are marked, a line wins, and nobody completes that of the opponent", () => {
  const won = end(marked, "XXX/OO./... o", "lose", "first");
  assert.deepEqual([won.winner, won.reason, won.lines.length], ["first", "Row 3 is full of X.", 1]);
  assert.equal(end(marked, "XXX/OO./... x", "win", null).reason, "Row 3 is full of X."); // set up, not played
});

test("a full board without a line is a draw", () => {
  const drawn = end(marked, "XOX/XOO/OXX o", "draw", "first");
  assert.deepEqual(drawn, { winner: null, reason: "The board is full, and no line is complete.", lines: [] });
  assert.equal(end(unknown, "XXX/XXX/XXX x", "draw", null).reason, "Nobody has won.");
  assert.equal(end(marked, "X../.../... o", "draw", null).reason, "Nobody has won.");
});

test("how a game ends that has other rules is said in plain words", () => {
  assert.deepEqual(end(unknown, "XXX/.../... o", "win", null), { winner: "second", reason: "The game is over.", lines: [] });
  assert.deepEqual(end(pushed, "XX./.../... o", "lose", null), { winner: "first", reason: "The game is over.", lines: [] });
  assert.deepEqual(end(shared, "XX./.../...", "lose", null), { winner: "second", reason: "The game is over.", lines: [] });
});

test("in variants a line decides what their rules say", () => {
  const on = (game: GameInfo, size: BoardSize) => gameOn({ ...game, board: "grid" }, size) ?? game;
  const won = end(on(shared, "2x3,normal"), "XXX/...", "lose", "first", "2x3,normal"); // three marks: the first player has moved
  assert.deepEqual([won.winner, won.reason], ["first", "You completed row 2, and whoever completes a line wins."]);
  const lost = end(on(marked, "3x4,three,misere"), "XXX./OO../O... o", "win", null, "3x4,three,misere");
  assert.deepEqual([lost.winner, lost.reason], ["second", "X completed the line from a3 to c3, and whoever completes a line loses."]);
  const both = end(on(pushed, "2x3,both-draw"), "XXX/OOO x", "draw", null, "2x3,both-draw");
  assert.deepEqual([both.winner, both.reason, both.lines.length], [null, "Both players have a complete line.", 2]);
});
