import assert from "node:assert/strict";
import { test } from "node:test";
import { decode, encode, home, sameBoard, type View } from "../../../server/page/src/view.js";

const quixo: View = { ...home, board: { game: "quixo", size: 4, after: [] } };

test("a view is what its address says", () => {
  const views: View[] = [
    home,
    quixo,
    { ...quixo, mode: "statistics" },
    { ...quixo, start: "XXOO/O.XO/O..X/XXO. o", moves: ["d1d4", "a1a4", "b1b4"], at: 1 },
    { ...quixo, board: { game: "notakto", size: 5, after: ["a1", "c3"] }, mode: "edit", start: "X..../...../..X../...../.....", at: 0 },
    { ...quixo, board: { game: "four-2-in-a-row", size: 12, after: [] } },
    { ...quixo, mode: "play", you: "second", strength: { policy: "optimal", blunder: 0.35 }, values: true },
    { ...quixo, mode: "play", moves: ["a1a4"], at: 1 },
  ];
  for (const view of views) assert.deepEqual(decode(encode(view)), view, encode(view));
});

test("addresses can be read by people", () => {
  assert.equal(encode({ ...quixo, start: "X../.../... o", moves: ["a1a3"], at: 1 }), "#quixo/4?p=X../.../..._o&moves=a1a3");
});

test("what cannot be read is as usual", () => {
  for (const text of ["", "#", "#/", "#quixo", "#quixo/0", "#quixo/x", "#../4", "#QUIXO/4"]) assert.deepEqual(decode(text), home, text);
  assert.deepEqual(decode("#quixo/4?mode=win&policy=best&blunder=2&you=third&at=-1"), quixo);
  assert.equal(decode("#quixo/4?moves=a1a4&at=99").at, 1);
  assert.equal(decode("#quixo/4?moves=a1a4.b1b4").at, 2);
  assert.equal(decode("#quixo/4?policy=optimal&blunder=x").strength, null);
  assert.deepEqual(decode("#/quixo/4"), quixo);
});

test("boards", () => {
  assert.ok(sameBoard(quixo.board, { game: "quixo", size: 4, after: [] }));
  assert.ok(!sameBoard(quixo.board, { game: "quixo", size: 4, after: ["c3"] }));
  assert.ok(!sameBoard(quixo.board, null));
});
