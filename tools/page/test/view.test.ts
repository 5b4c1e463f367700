import assert from "node:assert/strict";
import { test } from "node:test";
import { decode, encode, home, sameBoard, type View } from "../../../internal/server/page/src/view.js";

const quixo: View = { ...home, board: { game: "quixo", size: 4, after: [] } };

test("a view is what its address says", () => {
  const views: View[] = [
    home,
    quixo,
    { ...quixo, mode: "statistics" },
    { ...quixo, board: { game: "notakto", size: "4x5", after: ["a1"] } },
    { ...quixo, board: { game: "quixo", size: "5x5,four,both-win", after: [] } },
    { ...quixo, board: { game: "notakto-boards", size: "3+4", after: [] } },
    { ...quixo, start: "XXOO/O.XO/O..X/XXO. o", moves: ["d1d4", "a1a4", "b1b4"], at: 1 },
    { ...quixo, board: { game: "notakto", size: 5, after: ["a1", "c3"] }, mode: "edit", start: "X..../...../..X../...../.....", at: 0 },
    { ...quixo, board: { game: "four-2-in-a-row", size: 12, after: [] } },
    { ...quixo, mode: "play", you: "second", strength: { policy: "optimal", blunder: 0.35 }, values: true },
    { ...quixo, mode: "play", moves: ["a1a4"], at: 1 },
    { ...quixo, moves: ["a1a4", "d1d4"], at: 1, lines: [["a1a4", "b1b4", "2*1.2"], ["d1d4"]] },
    { ...quixo, moves: ["2.1", "X../..O+%2E", "a%2Eb"], at: 3 },
    { ...quixo, mode: "play", opponent: "net-2" },
    { ...quixo, mode: "play", you: "both", moves: ["a1a4"], at: 1, ended: true },
    { ...quixo, mode: "puzzle", seed: "20301231" },
    { ...quixo, mode: "puzzle", lesson: 2 },
    { ...quixo, mode: "puzzle", start: "XXOO/O.XO/O..X/XXO. o", you: "second", values: true },
  ];
  for (const view of views) assert.deepEqual(decode(encode(view)), { view, wrong: [] }, encode(view));
});

test("addresses can be read by people", () => {
  assert.equal(encode({ ...quixo, start: "X../.../... o b2" }), "#quixo/4?p=X../.../..._o_b2");
  assert.equal(decode("#quixo/4?p=X../.../..._o_b2").view.start, "X../.../... o b2");
  assert.equal(encode({ ...quixo, start: "X../.../... o", moves: ["a1a3"], at: 1 }), "#quixo/4?p=X../.../..._o&moves=a1a3");
});

test("no address is the list of tables", () => {
  for (const text of ["", "#", "#/"]) assert.deepEqual(decode(text), { view: home, wrong: [] }, text);
});

test("an address that names no board is reported", () => {
  for (const text of ["#quixo", "#quixo/0", "#quixo/x", "#quixo/4x", "#quixo/4x5,", "#quixo/3+", "#../4", "#QUIXO/4", "#?mode=play"]) {
    const { view, wrong } = decode(text);
    assert.deepEqual(view, home, text);
    assert.match(wrong.join(), /is not a board/, text);
  }
});

test("what cannot be read takes its default, and is reported", () => {
  const cases: [string, RegExp[]][] = [
    ["#quixo/4?mode=win", [/“mode=win”.*analyse, play/]],
    ["#quixo/4?policy=best&blunder=2&you=third", [/you=third/, /policy=best/, /blunder=2.*0 … 1/]],
    ["#quixo/4?at=-1", [/at=-1/]],
    ["#quixo/4?values=yes&end=win", [/values=yes/, /end=win.*draw/]],
    ["#quixo/4?lines=1.a1a4*x*0", [/lines=1\.a1a4/, /lines=x/, /lines=0/]],
    ["#quixo/4?foo=1&foo=2&bar", [/“foo” means nothing/, /“bar” means nothing/]],
  ];
  for (const [text, reasons] of cases) {
    const { view, wrong } = decode(text);
    assert.deepEqual(view, quixo, text);
    assert.equal(wrong.length, reasons.length, `${text}: ${wrong}`);
    reasons.forEach((reason, i) => assert.match(wrong[i] ?? "", reason));
  }
});

test("what is right of an address is read", () => {
  assert.deepEqual([decode("#quixo/4?moves=a1a4&at=99")].map(({ view, wrong }) => [view.at, wrong.length]), [[1, 1]]);
  assert.equal(decode("#quixo/4?moves=a1a4.b1b4").view.at, 2);
  assert.equal(decode("#quixo/4?policy=optimal&blunder=x").view.strength, null);
  assert.deepEqual(decode("#/quixo/4"), { view: quixo, wrong: [] });
});

test("boards", () => {
  assert.ok(sameBoard(quixo.board, { game: "quixo", size: 4, after: [] }));
  assert.ok(!sameBoard(quixo.board, { game: "quixo", size: 4, after: ["c3"] }));
  assert.ok(!sameBoard(quixo.board, null));
});
