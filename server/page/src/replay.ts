// The positions that moves lead to, as the server says.

import type { Api } from "./api.js";
import { t } from "./language.js";
import { format, parse } from "./position.js";
import type { Answer } from "./types.js";
import type { Board } from "./view.js";

/** ReplayError says that a move is not legal after so many others. */
export class ReplayError extends Error {
  constructor(
    readonly played: number,
    move: string,
  ) {
    super(played === 0 ? t("replay.first", { move }) : t("replay.later", { move, n: played }));
  }
}

/** Replay is a game that was played. */
export interface Replay {
  /** The positions from the first one on, one more than there are moves. */
  positions: string[];
  /** What the server says of each position in which a move was made. */
  answers: Answer[];
}

/** replay plays moves from a position on; sides is that of parse. It throws a PositionError, a ReplayError or an ApiError. */
export async function replay(api: Api, board: Board, sides: boolean, start: string, moves: string[]): Promise<Replay> {
  const positions = [format(parse(start, board.size, sides))];
  const answers: Answer[] = [];
  for (const [played, text] of moves.entries()) {
    const answer = await api.position(board, positions[played] ?? "");
    const move = answer.moves.find((m) => m.move === text);
    if (!move) throw new ReplayError(played, text);
    answers.push(answer);
    positions.push(move.position);
  }
  return { positions, answers };
}
