import assert from "node:assert/strict";
import { test } from "node:test";
import { chosen, isLong, nextCells, pathsOf } from "../../../internal/server/page/src/choice.js";
import { read } from "../../../internal/server/page/src/kinds.js";
import { ReplayError, replay } from "../../../internal/server/page/src/replay.js";
import type { Player } from "../../../internal/server/page/src/position.js";
import { takenBack } from "../../../internal/server/page/src/taking.js";
import type { Answer, GameInfo, Move, Outcome } from "../../../internal/server/page/src/types.js";
import type { Seat } from "../../../internal/server/page/src/view.js";

function move(text: string, outcome: Outcome, steps: number | null, position = ""): Move {
  return { move: text, outcome, steps, position };
}

const ranked = [move("d1d4", "win", 11), move("a4d4", "draw", null), move("d1a1", "lose", 10), move("a4a1", "lose", 4)];

const quixo: GameInfo = { name: "quixo", title: "Quixo", summary: "", marks: 2, board: "grid", move_form: "", tables: true, boards: [] };
const empty = read("..../..../..../.... x", 4, quixo);
const paths = pathsOf(ranked, empty, quixo, () => empty);

test("a tile is worth its best move", () => {
  assert.deepEqual([...nextCells(paths, [])].map(([cell, m]) => [cell, m.move]), [["d1", "d1d4"], ["a4", "a4d4"]]);
});

test("a tile that is taken goes back in where its moves say", () => {
  assert.deepEqual([...nextCells(paths, ["d1"])].map(([cell, m]) => [cell, m.outcome]), [["d4", "win"], ["a1", "lose"]]);
  assert.equal(nextCells(paths, ["b2"]).size, 0);
});

test("a cell may be the whole move", () => {
  const single = pathsOf([move("b3", "win", 1)], empty, quixo, () => empty);
  assert.equal(chosen(single, ["b3"], false)?.move, "b3");
  assert.ok(!isLong(single, ["b3"]));
  assert.ok(isLong(paths, ["d1"]));
  assert.equal(chosen(paths, ["d1"], false), undefined);
});

test("moves are replayed by what the server says", async () => {
  const moves: Record<string, Move[]> = { "../..": [move("a1", "lose", 1, "../X.")], "../X.": [move("b1", "lose", 1, "../XX")] };
  const ask = async (p: string) => ({ moves: moves[p] ?? [] }) as unknown as Answer;
  const played = await replay(ask, "../..", ["a1", "b1"]);
  assert.deepEqual(played.positions, ["../..", "../X.", "../XX"]);
  assert.deepEqual(played.answers.map((a) => a.moves[0]?.move), ["a1", "b1"]);
  await assert.rejects(replay(ask, "../..", ["a1", "a1"]), (error) => error instanceof ReplayError && error.played === 1);
});

test("taking back ends before the own last move", () => {
  const cases: [Player, Seat, number, number][] = [
    ["first", "first", 2, 0],
    ["first", "first", 1, 0],
    ["first", "first", 4, 2],
    ["first", "second", 3, 1],
    ["first", "second", 2, 1],
    ["first", "second", 1, 0],
    ["second", "second", 2, 0],
    ["first", "first", 0, 0],
    ["first", "both", 3, 2],
    ["second", "both", 1, 0],
    ["first", "both", 0, 0],
  ];
  for (const [begins, you, at, want] of cases) assert.equal(takenBack(begins, you, at), want, `${begins} ${you} ${at}`);
});
