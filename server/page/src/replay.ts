// The positions that moves lead to, as the server says.

import type { Api } from "./api.js";
import { format, parse } from "./position.js";
import type { Board } from "./view.js";

/** ReplayError says that a move is not legal after so many others. */
export class ReplayError extends Error {
  constructor(
    readonly played: number,
    move: string,
  ) {
    super(`“${move}” is not a legal move after ${played === 0 ? "the first position" : `move ${played}`}; the moves end there.`);
  }
}

/** replay returns the positions from the first one on, one more than there are moves; sides is that of parse. It throws a
 * PositionError, a ReplayError or an ApiError. */
export async function replay(api: Api, board: Board, sides: boolean, start: string, moves: string[]): Promise<string[]> {
  const positions = [format(parse(start, board.size, sides))];
  for (const [played, text] of moves.entries()) {
    const answer = await api.position(board, positions[played] ?? "");
    const move = answer.moves.find((m) => m.move === text);
    if (!move) throw new ReplayError(played, text);
    positions.push(move.position);
  }
  return positions;
}
