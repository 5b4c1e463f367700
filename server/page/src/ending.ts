// How a game has ended: who has won, and by which lines.

import { markOf, playerName, pushes } from "./games.js";
import { completeLines, mover, other, type BoardLine, type Player, type Position } from "./position.js";
import type { GameInfo, Outcome } from "./types.js";
import { capital } from "./words.js";

/** Result is the end of a game. */
export interface Result {
  /** null where nobody has won. */
  winner: Player | null;
  /** Why it has ended so, a sentence. */
  reason: string;
  /** The lines that have decided it. */
  lines: BoardLine[];
}

type Reason = Pick<Result, "reason" | "lines">;

/** result tells how a position that is over has ended. The outcome is the server's, for the player to move; you is who
 * the sentence addresses, if anyone. */
export function result(p: Position, game: GameInfo, outcome: Outcome, you: Player | null): Result {
  if (outcome === "draw") return { winner: null, ...drawn(p, game) };
  const winner = outcome === "win" ? mover(p) : other(mover(p));
  const name = (player: Player) => (you === null ? playerName(player, game) : player === you ? "you" : "the opponent");
  const decided = game.complete_line === "loses" ? lost(p, name) : game.complete_line === "wins" ? won(p, game, winner, name) : null;
  return { winner, ...(decided ?? { reason: "The game is over.", lines: [] }) };
}

function drawn(p: Position, game: GameInfo): Reason {
  const full = !p.cells.includes(".");
  return { reason: full && game.complete_line ? "The board is full, and no line is complete." : "Nobody has won.", lines: [] };
}

/** lost is the reason where whoever completes a line loses; null where there is no line. */
function lost(p: Position, name: (player: Player) => string): Reason | null {
  const lines = [...completeLines(p, "X"), ...completeLines(p, "O")];
  if (lines.length === 0) return null;
  return { reason: `${capital(name(other(mover(p))))} completed ${names(lines)}, and whoever completes a line loses.`, lines };
}

/** won is the reason where a line wins for the player whose mark it is; null where the winner has none. */
function won(p: Position, game: GameInfo, winner: Player, name: (player: Player) => string): Reason | null {
  const mark = markOf(winner, game);
  const lines = completeLines(p, mark);
  if (lines.length === 0) return null;
  const last = other(mover(p)); // who made the last move
  if (last === winner || !pushes(game)) return { reason: `${capital(names(lines))} ${lines.length > 1 ? "are" : "is"} full of ${mark}.`, lines };
  const own = completeLines(p, markOf(last, game));
  const besides = own.length > 0 ? `, and that counts more than ${name(last) === "you" ? "your" : "their"} own ${names(own)}` : "";
  return { reason: `${capital(name(last))} completed ${names(lines)} of ${mark}${besides}.`, lines };
}

/** names joins the names of lines: row 1, column b and the diagonal from a3 to c1. */
function names(lines: BoardLine[]): string {
  const all = lines.map((line) => line.name);
  return all.length < 2 ? all.join() : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
}
