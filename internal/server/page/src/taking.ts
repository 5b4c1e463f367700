// Take-back in a game against the opponent.

import type { Player } from "./position.js";
import type { Seat } from "./view.js";

/** takenBack is the number of moves that remain after taking back the player's last move and the reply. With two people at one board, only
 * the last move is taken back. */
export function takenBack(first: Player, you: Seat, at: number): number {
  if (at === 0 || you === "both") return Math.max(0, at - 1);
  const last = (first === you) === ((at - 1) % 2 === 0) ? at - 1 : at - 2;
  return Math.max(0, last);
}
