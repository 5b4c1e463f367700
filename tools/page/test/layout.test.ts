import assert from "node:assert/strict";
import { test } from "node:test";
import { chosen, nextCells, pathsOf } from "../../../internal/server/page/src/choice.js";
import { read } from "../../../internal/server/page/src/kinds.js";
import { layoutOf } from "../../../internal/server/page/src/layout.js";
import { rowsOfSpots, surfaceOf } from "../../../internal/server/page/src/surface.js";
import type { GameInfo, Move } from "../../../internal/server/page/src/types.js";

function game(said: unknown, board: "rows" | "text" = "rows"): GameInfo {
  const layout = layoutOf(said);
  return { name: "a", title: "A 4×4", summary: "", marks: 0, board, move_form: "", tables: true, boards: [], ...(layout ? { layout } : {}) };
}

function move(text: string, position = ""): Move {
  return { move: text, position, outcome: "win", steps: 1 };
}

const morris = game({
  board: { points: { a5: [0, 4], c5: [2, 4], b4: [1, 3], c4: [2, 3] }, lines: [["a5", "c5"], ["c5", "c4", "b9"]] },
  order: ["a5", "c5", "b4", "c4"], pieces: { X: [0, "disc"], O: [1, "disc"] },
});

test("points stand where the game says, and rows are those of the picture", () => {
  const surface = surfaceOf(read("XO/..+3", 1, morris), morris.layout);
  assert.equal(surface.kind, "points");
  assert.deepEqual(surface.spots.map(({ name }) => name), ["a5", "c5", "b4", "c4"]);
  assert.deepEqual(rowsOfSpots(surface), [[0, 1], [2, 3]]);
  assert.deepEqual(surface.letters.map(([text]) => text), ["a", "c", "b"]);
  assert.equal(surface.lines[1]?.length, 2, "a line leaves out what is no point");
});

test("a game without a layout is a grid of its rows", () => {
  const surface = surfaceOf(read("X.O/...", 1, game(undefined)), undefined);
  assert.equal(surface.kind, "grid");
  assert.deepEqual(surface.spots.map(({ name }) => name), ["a2", "b2", "c2", "a1", "b1", "c1"]);
});

test("moves are clicked place by place", () => {
  const paths = (text: string, moves: Move[], g = morris) => pathsOf(moves, read(text, 1, g), g, (p) => read(p, 1, g));
  const slides = paths("XO/..+6", [move("a5b4"), move("a5b4c5"), move("c4")]);
  assert.deepEqual([...nextCells(slides, []).keys()], ["a5", "c4"]);
  assert.deepEqual([...nextCells(slides, ["a5", "b4"]).keys()], ["c5"]);
  assert.equal(chosen(slides, ["c4"], false)?.move, "c4");
  assert.equal(chosen(slides, ["a5", "b4"], false), undefined, "it may yet take");
  assert.equal(chosen(slides, ["a5", "b4"], true)?.move, "a5b4");
  const dominoes = game({ board: {}, pieces: { X: [-1, "domino"] } });
  assert.deepEqual([...nextCells(paths("../..", [move("a1a2")], dominoes), []).keys()], ["a1", "a2"], "in any order");
  assert.deepEqual(paths("../..", [move("pass"), move("zz9"), move("../.X")], dominoes), [], "what names no place");
});

test("pieces in hand are clicked before or not at all", () => {
  const shogi = game({ board: {}, pieces: { C: [0, "chick"], c: [1, "chick"], g: [1, "giraffe"] } });
  const p = read("../..+Cgc o", 1, shogi);
  assert.deepEqual(p.held, [["C"], ["g", "c"]]);
  const paths = pathsOf([move("a1=c"), move("a1=g")], p, shogi, () => p);
  assert.deepEqual([...nextCells(paths, []).keys()], ["=c", "=g"]);
  assert.equal(surfaceOf(p, shogi.layout).spots.filter(({ name }) => name.startsWith("=")).length, 3);
});

test("counters are a run of a heap, or where it breaks", () => {
  const heaps = game({ board: { heaps: 1 } }, "text");
  const p = read("3/5", 1, heaps);
  assert.deepEqual(p.heaps, [3, 5]);
  const paths = pathsOf([move("3/3", "3/3"), move("1/2/3", "1/2/3"), move("3/1/4", "3/1/4")], p, heaps, (text) => read(text, 1, heaps));
  assert.deepEqual(paths.map(({ move, cells }) => `${move.move} ${cells.join("-")}`), [
    "3/3 b4-b5", "3/3 b5-b4", "3/3 b1-b2", "3/3 b2-b1",
    "1/2/3 b2-b3", "1/2/3 b3-b2", "1/2/3 b3-b4", "1/2/3 b4-b3",
    "3/1/4 b2", "3/1/4 b5",
  ]);
});

test("what a hostile game says is left out", () => {
  for (const said of [null, 7, [], {}, { board: 7 }, { board: [] }]) assert.equal(layoutOf(said), undefined);
  const layout = layoutOf({
    board: { points: { __proto__: [0, 0], "<b>": [0, 0], a1: ["0", 0], b1: [1e9, 0], c1: [1, 2] }, lines: [7, ["a1", 7]], holes: "a1", heaps: "x" },
    pieces: { X: "disc", YY: [0, "disc"], Z: [0, "constructor"] }, sides: ["a", 7], ends: { first: 7, second: "b" }, texts: { de: 7, fr: { a: "b" } }, order: [{}],
  });
  assert.deepEqual(Object.keys(layout?.board.points ?? {}), ["c1"]);
  assert.deepEqual(layout?.board.lines, [[], ["a1"]]);
  assert.deepEqual(Object.keys(layout?.pieces ?? {}), ["Z"]);
  assert.equal(layout?.sides, undefined);
  assert.deepEqual(layout?.ends, { second: "b" });
  const g = game({ board: { points: { c1: [1, 2] } }, order: ["z9", "z9"] });
  assert.doesNotThrow(() => surfaceOf(read("X/O", 1, g), g.layout));
  assert.doesNotThrow(() => surfaceOf(read("", 1, g), g.layout));
});
