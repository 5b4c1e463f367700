import assert from "node:assert/strict";
import { test } from "node:test";
import { boardName, gameOn, hasSides, markName, playerName } from "../../../internal/server/page/src/games.js";
import { read, write } from "../../../internal/server/page/src/kinds.js";
import { mover } from "../../../internal/server/page/src/position.js";
import type { GameInfo } from "../../../internal/server/page/src/types.js";

const shared: GameInfo = { name: "notakto", title: "Notakto", summary: "", marks: 1, move_kind: "mark", move_form: "", tables: true, boards: [{ size: 5, start: "", example: "", variant: "5x5" }] };
const pushed: GameInfo = { name: "quixo", title: "Quixo", summary: "", marks: 2, move_kind: "push", move_form: "", tables: true, boards: [{ size: 4, start: "", example: "", variant: "4x4" }] };
const heaps: GameInfo = { name: "heaps", title: "Heaps", summary: "", marks: 0, move_form: "", tables: true, boards: [{ size: 3, start: "", example: "", variant: "1-3-5" }] };

test("boards are called what the server calls them", () => {
  assert.equal(boardName({ game: "notakto", size: 5, after: ["c3", "a1"] }, shared), "Notakto 5×5 after c3, a1");
  assert.equal(boardName({ game: "quixo", size: 4, after: [] }, pushed), "Quixo 4×4");
  assert.equal(boardName({ game: "heaps", size: 3, after: [] }, heaps), "Heaps 1-3-5");
  assert.equal(boardName({ game: "quixo", size: 9, after: [] }, pushed), "Quixo 9"); // there is no such board
  assert.equal(boardName({ game: "notakto", size: "4x5,normal", after: [] }, shared), "Notakto 4×5 normal");
  assert.equal(boardName({ game: "chess", size: 8, after: [] }, undefined), "chess 8");
});

test("variants have other symmetries and rules of lines", () => {
  const game = gameOn({ ...shared, board: "grid", symmetries: "lines", complete_line: "loses" }, "2x3,normal");
  assert.ok(game);
  assert.deepEqual([game.symmetries, game.complete_line], ["square", "mover-wins"]);
  const p = read("X../.X.", "2x3,normal", game);
  assert.deepEqual([write(p, "grid"), p.cells.join(""), mover(p)], ["X../.X.", "X...X.", "first"]);
  assert.equal(mover(read("X../...", "2x3,normal", game)), "second");
  assert.equal(gameOn({ ...pushed, board: "grid", complete_line: "wins" }, "5x5,misere")?.complete_line, "loses");
  assert.equal(gameOn(shared, 5), shared);
});

test("players have the names of their marks where these differ", () => {
  assert.deepEqual([pushed, shared, heaps].map(hasSides), [true, false, false]);
  assert.deepEqual((["first", "second"] as const).map((p) => playerName(p, pushed)), ["X", "O"]);
  assert.deepEqual((["first", "second"] as const).map((p) => playerName(p, shared)), ["the first player", "the second player"]);
});

test("tiles are blank, cells are empty", () => {
  assert.deepEqual([markName(".", pushed), markName(".", shared), markName("O", pushed)], ["blank", "empty", "O"]);
});
