// The rules of a game in a few sentences, from the server's description of board, moves and end.

import { hasSides } from "./games.js";
import { isFree, kindOf } from "./kinds.js";
import { language, spaced, translate, type Key, type Language } from "./language.js";
import { hasDiagonals, isPlain, shapeOf, type Shape } from "./shape.js";
import type { BoardSize, GameInfo } from "./types.js";

/** rules returns the rules of a game on a board of a size in a language, by default the page's, and the language
 * they are in. The server's own text is English, for n×n boards, and is all there is for a game that it describes
 * too briefly. */
export function rules(game: GameInfo, size: BoardSize = 3, name: Language = language): { text: string; lang: Language } {
  if (game.layout) return ownRules(game, name);
  const shape = shapeOf(size);
  const sentences = name === "en" && (isPlain(shape) || kindOf(game) !== "grid") ? [] : sentencesOf(game, shape);
  if (sentences.length === 0) return { text: game.summary, lang: "en" };
  const line = translate(name, lineKey(shape), { n: shape.run });
  return { text: sentences.map((key) => translate(name, key, { line })).join(" "), lang: name };
}

/** ownRules returns the rules of a game that brings translations: of the whole text, or of some sentences. */
function ownRules(game: GameInfo, name: Language): { text: string; lang: Language } {
  const words = game.layout?.texts[name] ?? {};
  const known = Object.keys(words).filter((text) => game.summary.includes(text) && /[.!?]$/.test(text)).sort((a, b) => game.summary.indexOf(a) - game.summary.indexOf(b));
  const text = words["rules"] ?? known.map((sentence) => words[sentence]).join(" ");
  return name === "en" || text === "" ? { text: game.summary, lang: "en" } : { text: spaced(name, text), lang: name };
}

/** goal says in one sentence how to play and who wins. */
export function goal(game: GameInfo): { text: string; lang: Language } {
  if (game.layout || isFree(game)) {
    const { text, lang } = rules(game);
    return { text: text.split(/(?<=\.)\s/).slice(0, 2).join(" "), lang };
  }
  const kind = kindOf(game);
  const onCells = game.move_kind && game.move_kind !== "mark" ? goals[game.move_kind] : hasSides(game) ? "goal.own" : "goal.shared";
  const key = kind === "grid" ? onCells : kind === "nine" ? "goal.nine" : lastGoals[kind as keyof typeof lastGoals][game.last_move ?? "loses"];
  return { text: translate(language, key), lang: language };
}

function lineKey(shape: Shape): Key {
  return shape.run > 0 ? "rules.line.run" : hasDiagonals(shape) ? "rules.line.any" : "rules.line.straight";
}

/** sentencesOf returns the rules as sentences; none if too little is known. */
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

const goals = { push: "goal.push", enclose: "goal.enclose" } as const;
const lastGoals = {
  boards: { wins: "goal.boards.wins", loses: "goal.boards.loses" },
  heaps: { wins: "goal.heaps.wins", loses: "goal.heaps.loses" },
  row: { wins: "goal.row.wins", loses: "goal.row.loses" },
} as const;
const boards = { boards: "rules.boards", heaps: "rules.heaps", row: "rules.files" } as const;
const lines = { wins: "rules.line.wins", loses: "rules.line.loses", "mover-wins": "rules.line.mover-wins" } as const;
const lastMove = { wins: "rules.last.wins", loses: "rules.last.loses" } as const;
