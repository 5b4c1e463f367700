import assert from "node:assert/strict";
import { test } from "node:test";
import { recordMoves } from "../../../internal/server/page/src/record.js";
import { PassError, replay } from "../../../internal/server/page/src/replay.js";
import type { Answer } from "../../../internal/server/page/src/types.js";

test("games are read as transcripts and as the main line of a record", () => {
  const moves = ["f5", "d6", "pass", "c3"];
  for (const text of [
    "f5d6passc3", " F5 D6\n--C3 PS ",
    "(;FF[4]GM[2]SZ[8]C[a \\] (;B\\[a1\\]];B[fe];W[df]C[)](;B[];W[cc];B[tt];W[tt])(;B[a1]))",
    "1 (;GM[Othello]PB[x]BO[8 --- *]B[F5//4.09]W[d6/-48.5/0.9]B[pass//1.67]W[C3];)",
  ]) assert.deepEqual(recordMoves(text), moves, text);
  for (const text of ["", "f", "f5d", "XXXX/.... x", "f9", "(f5)"]) assert.equal(recordMoves(text), null, text);
});

test("a pass that is left out is found", async () => {
  const ask = async () => ({ moves: [{ move: "pass", outcome: "win", steps: null, position: "" }] }) as unknown as Answer;
  await assert.rejects(replay(ask, "X", ["pass", "a1"]), (error) => error instanceof PassError && error.played === 1);
});
