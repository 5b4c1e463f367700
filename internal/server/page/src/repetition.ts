// Repetitions in a game. Under best play a repetition means that the game never ends, so it is a draw.

import type { Worth } from "./types.js";

/** Repetition is a position that has occurred before. */
export interface Repetition {
  /** The numbers of moves after which it occurred first, and again. */
  first: number;
  again: number;
  /** Whether it is drawn under best play. */
  drawn: boolean;
}

/** repetition returns the latest position within that number of moves that had occurred before, or null if none
 * has. outcomes are the known outcomes of the positions. */
export function repetition(positions: string[], outcomes: (Worth | undefined)[], at: number): Repetition | null {
  for (let again = at; again > 0; again--) {
    const first = positions.indexOf(positions[again] ?? "");
    if (first < again) return { first, again, drawn: (outcomes[again] ?? outcomes[first]) === "draw" };
  }
  return null;
}
