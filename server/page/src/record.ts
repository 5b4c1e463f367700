// Games with discs as others write them.

import { passes } from "./position.js";

const transcript = /^\s*(([a-h][1-8]|pass|pa|ps|--)\s*)+$/i;
/** A property of SGF with its values, or what opens and closes a line of play. */
const property = /[()]|[A-Za-z]+\s*(?:\[(?:[^\]\\]|\\[^])*\]\s*)+/g;

/** recordMoves returns the moves of a transcript, f5d6c3…, or the main line of a record in SGF or GGF, and null where the text
 * is neither. These count rows from the top, but begin with the mirrored position: all cells have the same names. */
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

/** whole leaves out passes at the end, where some records have them though the game is over. */
function whole(moves: string[]): string[] {
  return moves.at(-1) === passes ? whole(moves.slice(0, -1)) : moves;
}

/** named is a move as it is called here; cells in SGF may be two letters. */
function named(move: string): string {
  const text = move.toLowerCase();
  if (["", "pa", "ps", "--", "tt", passes].includes(text)) return passes;
  return /^[a-h][a-h]$/.test(text) ? text.charAt(0) + String(text.charCodeAt(1) - 96) : text;
}
