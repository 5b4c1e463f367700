// Repetitions in a game. Under best play they mean an endless game, a draw.

import type { Worth } from "./types.js";

/** Repetition is a position that stood before. */
export interface Repetition {
  /** The numbers of moves after which it stood first, and again. */
  first: number;
  again: number;
  /** Whether it is drawn under best play. */
  drawn: boolean;
}

/** repetition returns the last position, of those after at most that number of moves, that stood before; null where none has
 * come back. outcomes are what is known of the positions. */
export function repetition(positions: string[], outcomes: (Worth | undefined)[], at: number): Repetition | null {
  for (let again = at; again > 0; again--) {
    const first = positions.indexOf(positions[again] ?? "");
    if (first < again) return { first, again, drawn: (outcomes[again] ?? outcomes[first]) === "draw" };
  }
  return null;
}
