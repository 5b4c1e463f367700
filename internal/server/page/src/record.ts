// Records of games with discs, in the formats of other programs.

import { passes } from "./position.js";

const transcript = /^\s*(([a-h][1-8]|pass|pa|ps|--)\s*)+$/i;
/** A property of SGF with its values, or a parenthesis around a line of play. */
const property = /[()]|[A-Za-z]+\s*(?:\[(?:[^\]\\]|\\[^])*\]\s*)+/g;

/** recordMoves returns the moves of a transcript, f5d6c3…, or of the main line of SGF or GGF, and null if the text is none of
 * these. They count rows from the top but also mirror the start, so all cells have the same names. */
export function recordMoves(text: string): string[] | null {
  if (transcript.test(text)) return whole((text.match(/[a-h][1-8]|pass|pa|ps|--/gi) ?? []).map(named));
  if (!/^[\d\s]*\(;/.test(text)) return null;
  const all: string[] = text.match(property) ?? [];
  const end = all.indexOf(")");
  const line = end < 0 ? all : all.slice(0, end);
  return whole(line.flatMap((p) => {
    const [, move] = /^[BW]\s*\[([^\]/]*)/.exec(p) ?? [];
    return move === undefined ? [] : [named(move.trim())];
  }));
}

/** whole leaves out passes at the end, which some records have after the game is over. */
function whole(moves: string[]): string[] {
  return moves.at(-1) === passes ? whole(moves.slice(0, -1)) : moves;
}

/** named returns the name that a move has here; in SGF, a cell may be two letters. */
function named(move: string): string {
  const text = move.toLowerCase();
  if (["", "pa", "ps", "--", "tt", passes].includes(text)) return passes;
  return /^[a-h][a-h]$/.test(text) ? text.charAt(0) + String(text.charCodeAt(1) - 96) : text;
}
