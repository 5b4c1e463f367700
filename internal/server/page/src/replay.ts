// The positions that moves lead to, from the server.

import { t } from "./language.js";
import { passes } from "./position.js";
import type { Answer } from "./types.js";

/** ReplayError says that a move is not legal, and how many came before it. */
export class ReplayError extends Error {
  constructor(
    readonly played: number,
    move: string,
  ) {
    super(played === 0 ? t("replay.first", { move }) : t("replay.later", { move, n: played }));
  }
}

/** PassError says that a pass is missing after a number of moves, where nothing else is legal. */
export class PassError extends Error {
  constructor(readonly played: number) {
    super();
  }
}

/** Replay is a game as played. */
export interface Replay {
  /** The positions from the first one on, one more than there are moves. */
  positions: string[];
  /** The server's answer for each position in which a move was made. */
  answers: Answer[];
}

/** replay plays moves from a position; ask answers about it and the positions that follow. It throws a ReplayError, a
 * PassError, or what ask throws. */
export async function replay(ask: (position: string) => Promise<Answer>, start: string, moves: string[]): Promise<Replay> {
  const positions = [start];
  const answers: Answer[] = [];
  for (const [played, text] of moves.entries()) {
    const answer = await ask(positions[played] ?? "");
    const move = answer.moves.find((m) => m.move === text);
    if (!move && answer.moves[0]?.move === passes) throw new PassError(played);
    if (!move) throw new ReplayError(played, text);
    answers.push(answer);
    positions.push(move.position);
  }
  return { positions, answers };
}
