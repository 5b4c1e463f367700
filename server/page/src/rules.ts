// The rules of a game in a few sentences, from the server's description of board, moves and end.

import { hasSides } from "./games.js";
import { kindOf } from "./kinds.js";
import { language, translate, type Key, type Language } from "./language.js";
import type { GameInfo } from "./types.js";

/** rules are the rules of a game in a language, that of the page where none is said, and the language in which they are:
 * the server's own words are English, and are all there is of a game of which it says too little. */
export function rules(game: GameInfo, name: Language = language): { text: string; lang: Language } {
  const sentences = name === "en" ? [] : sentencesOf(game);
  if (sentences.length === 0) return { text: game.summary, lang: "en" };
  return { text: sentences.map((key) => translate(name, key)).join(" "), lang: name };
}

/** sentencesOf are the sentences that say the rules; none where too little is known. */
function sentencesOf(game: GameInfo): Key[] {
  const last = game.last_move && lastMove[game.last_move];
  const kind = kindOf(game);
  switch (kind) {
    case "grid":
      return onGrid(game);
    case "nine":
      return ["rules.nine"];
    case "rows":
    case "text":
      return [];
    default:
      return last ? [boards[kind], last] : [];
  }
}

function onGrid(game: GameInfo): Key[] {
  const { move_kind: move, complete_line: line } = game;
  if (move === "enclose") return ["rules.enclose"];
  if (!move || !line) return [];
  return [move === "push" ? "rules.push" : hasSides(game) ? "rules.mark.own" : "rules.mark.shared", lines[line]];
}

const boards = { boards: "rules.boards", heaps: "rules.heaps", row: "rules.files" } as const;
const lines = { wins: "rules.line.wins", loses: "rules.line.loses" } as const;
const lastMove = { wins: "rules.last.wins", loses: "rules.last.loses" } as const;
