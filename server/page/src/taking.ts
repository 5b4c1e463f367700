// Taking moves back in a game against the opponent.

import type { Player } from "./position.js";

/** takenBack is how many moves remain when the last one of a player is taken back, with what came after it. */
export function takenBack(first: Player, you: Player, at: number): number {
  if (at === 0) return 0;
  const last = (first === you) === ((at - 1) % 2 === 0) ? at - 1 : at - 2;
  return Math.max(0, last);
}
