import assert from "node:assert/strict";
import { test } from "node:test";
import { boardName, titleOf } from "../../../internal/server/page/src/games.js";
import { languages, type Language } from "../../../internal/server/page/src/language.js";
import { goal, rules } from "../../../internal/server/page/src/rules.js";
import type { GameInfo } from "../../../internal/server/page/src/types.js";

// Games as the server describes them; their names do not matter.
const bare: GameInfo = { name: "a", title: "A", summary: "The server's words.", marks: 2, board: "grid", move_form: "", tables: true, boards: [] };
const described: [GameInfo, RegExp][] = [
  [{ ...bare, move_kind: "push", complete_line: "wins" }, /Stein heraus .* Es gewinnt, wer eine Zeile, Spalte oder große Diagonale mit dem eigenen Zeichen füllt/],
  [{ ...bare, move_kind: "mark", complete_line: "wins" }, /der zweite O\. Es gewinnt, wer/],
  [{ ...bare, marks: 1, move_kind: "mark", complete_line: "loses" }, /ein X .* verliert\.$/],
  [{ ...bare, move_kind: "enclose" }, /einschließen; .* mehr Steine/],
  [{ ...bare, board: "nine" }, /drei gewonnene Bretter/],
  [{ ...bare, marks: 1, board: "boards", last_move: "loses" }, /ist tot, .* letzten Zug macht, verliert\.$/],
  [{ ...bare, marks: 0, board: "heaps", last_move: "wins" }, /einem der Haufen, .* letzten Zug macht, gewinnt\.$/],
  [{ ...bare, marks: 0, board: "row", last_move: "loses" }, /Schlagzwang: .* verliert\.$/],
];

test("the rules of every kind of game are said in each language", () => {
  for (const name of Object.keys(languages) as Language[]) {
    for (const [game] of described) {
      const said = rules(game, 3, name);
      assert.equal(said.lang, name);
      assert.equal(said.text === game.summary, name === "en", said.text);
      assert.ok(!said.text.includes("{"), said.text);
    }
  }
  for (const [game, text] of described) assert.match(rules(game, 3, "de").text, text);
});

test("a card says in one sentence what one does and who wins", () => {
  for (const [game] of described) {
    const { text } = goal(game);
    assert.match(text, /^[^.]*\b(win|wins|loses)\b[^.]*\.$/, `${game.board} ${game.move_kind}`);
  }
  const own: GameInfo = { ...bare, board: "rows", summary: "A move drops. Four win. No more.", layout: { board: {}, pieces: {}, ends: {}, texts: { de: { "Four win.": "Vier gewinnen." } } } };
  assert.equal(goal(own).text, "A move drops. Four win.");
  assert.deepEqual(rules(own, 1, "de"), { text: "Vier gewinnen.", lang: "de" });
  assert.deepEqual(rules(own, 1, "fr"), { text: own.summary, lang: "en" });
});

test("where the server says too little of a game, its own words stand for the rules", () => {
  const { board: _, ...noBoard } = bare;
  for (const game of [bare, noBoard, { ...bare, move_kind: "push" as const }, { ...bare, board: "heaps" as const }, { ...bare, board: "boards" as const }]) {
    assert.deepEqual(rules(game, 3, "de"), { text: bare.summary, lang: "en" });
  }
});

test("a game is called what it is called in a language, or else by its title", () => {
  const game = { ...bare, titles: { de: "Das A" } };
  assert.deepEqual((["en", "de", "fr"] as const).map((name) => titleOf(game, name)), ["A", "Das A", "A"]);
  const own = { ...bare, title: "A with 3 men", layout: { board: {}, pieces: {}, ends: {}, texts: { de: { title: "Das A", "A with 3 men": "Das A mit 3 Steinen" }, fr: { title: "Le A" } } } };
  assert.deepEqual((["en", "de", "fr"] as const).map((name) => titleOf(own, name)), ["A with 3 men", "Das A mit 3 Steinen", "Le A 3 men"]);
  assert.equal(boardName({ game: "a", size: 3, after: [] }, game), "A 3");
});

test("the rules of variants are said in every language", () => {
  const mark = { ...bare, marks: 1, move_kind: "mark" as const, complete_line: "loses" as const };
  const push = { ...bare, move_kind: "push" as const, complete_line: "wins" as const };
  assert.match(rules(mark, "4x5", "en").text, /completes a row or a column loses\.$/);
  assert.match(rules(mark, "4x4,torus", "de").text, /große Diagonale voll macht, verliert\. Die Ränder/);
  assert.match(rules({ ...mark, complete_line: "mover-wins" }, "4x4,normal", "en").text, /main diagonal wins\.$/);
  assert.match(rules(push, "5x5,four,both-draw", "en").text, /a straight run of 4 cells .* draw\.$/);
  assert.match(rules(push, "3x5", "fr").text, /une ligne ou une colonne .* même si/);
  assert.equal(rules({ ...bare, board: "boards", last_move: "loses" }, "3+4", "en").text, bare.summary);
});
