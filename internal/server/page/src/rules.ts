// The rules of a game in a few sentences, from the server's description of board, moves and end.

import { hasSides } from "./games.js";
import { kindOf } from "./kinds.js";
import { language, translate, type Key, type Language } from "./language.js";
import { hasDiagonals, isPlain, shapeOf, type Shape } from "./shape.js";
import type { BoardSize, GameInfo } from "./types.js";

/** rules are the rules of a game in a language, that of the page where none is said, on the board of a size, and the language
 * in which they are: the server's own words are English, are of n×n boards, and are all there is of a game of which it says
 * too little. */
export function rules(game: GameInfo, size: BoardSize = 3, name: Language = language): { text: string; lang: Language } {
  const shape = shapeOf(size);
  const sentences = name === "en" && (isPlain(shape) || kindOf(game) !== "grid") ? [] : sentencesOf(game, shape);
  if (sentences.length === 0) return { text: game.summary, lang: "en" };
  const line = translate(name, lineKey(shape), { n: shape.run });
  return { text: sentences.map((key) => translate(name, key, { line })).join(" "), lang: name };
}

function lineKey(shape: Shape): Key {
  return shape.run > 0 ? "rules.line.run" : hasDiagonals(shape) ? "rules.line.any" : "rules.line.straight";
}

/** sentencesOf are the sentences that say the rules; none where too little is known. */
function sentencesOf(game: GameInfo, shape: Shape): Key[] {
  const last = game.last_move && lastMove[game.last_move];
  const kind = kindOf(game);
  switch (kind) {
    case "grid":
      return onGrid(game, shape.variant);
    case "nine":
      return ["rules.nine"];
    case "rows":
    case "text":
      return [];
    default:
      return last ? [boards[kind], last] : [];
  }
}

function onGrid(game: GameInfo, variant: string[]): Key[] {
  const { move_kind: move, complete_line: line } = game;
  if (move === "enclose") return ["rules.enclose"];
  if (!move || !line) return [];
  const moves = move === "push" ? "rules.push" : hasSides(game) ? "rules.mark.own" : "rules.mark.shared";
  if (move === "push") return [moves, lines[line], variant.includes("both-win") ? "rules.both-win" : variant.includes("both-draw") ? "rules.both-draw" : "rules.both-lose"];
  return variant.includes("torus") ? [moves, lines[line], "rules.torus"] : [moves, lines[line]];
}

const boards = { boards: "rules.boards", heaps: "rules.heaps", row: "rules.files" } as const;
const lines = { wins: "rules.line.wins", loses: "rules.line.loses", "mover-wins": "rules.line.mover-wins" } as const;
const lastMove = { wins: "rules.last.wins", loses: "rules.last.loses" } as const;
