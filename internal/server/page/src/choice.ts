// The cells that can be chosen for a move, with their values.

import { splitMove } from "./position.js";
import type { Move } from "./types.js";

/** firstCells returns, for each cell with which a move can begin, the best of these moves. The moves come in the
 * server's order, the best first. */
export function firstCells(moves: Move[]): Map<string, Move> {
  const best = new Map<string, Move>();
  for (const move of moves) {
    const { from } = splitMove(move.move);
    if (!best.has(from)) best.set(from, move);
  }
  return best;
}

/** secondCells returns the moves that take a tile, by the cell where it goes back in. */
export function secondCells(moves: Move[], taken: string): Map<string, Move> {
  const parts = moves.map((move) => ({ move, ...splitMove(move.move) }));
  return new Map(parts.filter((p) => p.from === taken).map((p) => [p.to, p.move]));
}

/** isWhole says whether the first cell of a move that splitMove has split is the whole move. */
export function isWhole({ from, to }: { from: string; to: string }): boolean {
  return from === to;
}
