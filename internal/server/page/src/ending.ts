// The end of a game: the winner and the lines that decide.

import { discs, markOf, playerName, pushes, word } from "./games.js";
import { isFree, kindOf } from "./kinds.js";
import { listed, t } from "./language.js";
import { completeLines, mover, other, type BoardLine, type Player, type Position } from "./position.js";
import type { GameInfo, Outcome } from "./types.js";
import { capital } from "./words.js";

/** Result is the end of a game. */
export interface Result {
  /** null where nobody has won. */
  winner: Player | null;
  /** Why it ended this way, as a sentence. */
  reason: string;
  /** The lines that decided it. */
  lines: BoardLine[];
}

type Reason = Pick<Result, "reason" | "lines">;

/** result returns how a finished game ended. The outcome is the server's, for the player to move; you is the player whom
 * the sentence addresses, if any. */
export function result(p: Position, game: GameInfo, outcome: Outcome, you: Player | null, end = ""): Result {
  const winner = winnerOf(p, outcome);
  if (discs(game)) {
    const empty = winner ? p.cells.filter((cell) => cell === ".").length : 0;
    return { winner, reason: empty > 0 ? `${counted(p)} ${t("ending.empty", { n: empty })}` : counted(p), lines: [] };
  }
  if (isFree(game)) return { winner, reason: whyOver(game, winner, end), lines: [] };
  if (winner === null) return { winner, ...drawn(p, game) };
  if (kindOf(game) === "nine") return { winner, reason: t("ending.boards", { player: playerName(winner, game) }), lines: [] };
  if (kindOf(game) !== "grid") return { winner, reason: movedLast(p, game, winner, you), lines: [] };
  const decided = game.complete_line === "wins" ? won(p, game, winner, you) : game.complete_line ? completed(p, game, game.complete_line, you) : null;
  return { winner, ...(decided ?? { reason: t("ending.over"), lines: [] }) };
}

/** whyOver is a custom game's own reason for the end: from its rules, or from its text for the winner. */
function whyOver(game: GameInfo, winner: Player | null, end: string): string {
  const said = end || game.layout?.ends[winner ?? "draw"];
  return said ? word(said, game) : t("ending.over");
}

function winnerOf(p: Position, outcome: Outcome): Player | null {
  return outcome === "draw" ? null : outcome === "win" ? mover(p) : other(mover(p));
}

/** counted says how many discs there are. */
export function counted(p: Position): string {
  const count = (mark: string) => p.cells.filter((cell) => cell === mark).length;
  return t("ending.discs", { dark: count("X"), light: count("O") });
}

/** movedLast is the reason when no move is left: the player who moved last wins, or loses. */
function movedLast(p: Position, game: GameInfo, winner: Player, you: Player | null): string {
  const last = other(mover(p));
  const rule = t(winner === last ? "ending.last.wins" : "ending.last.loses");
  return `${capital(t(`ending.last.${person(last, you)}`, { player: playerName(last, game) }))} ${rule}`;
}

function drawn(p: Position, game: GameInfo): Reason {
  const full = !p.cells.includes(".");
  if (kindOf(game) === "nine") return { reason: t("ending.noBoards"), lines: [] };
  const both = game.complete_line === "wins" ? [completeLines(p, "X"), completeLines(p, "O")] : [];
  if (both.length > 0 && both.every((lines) => lines.length > 0)) return { reason: t("ending.both"), lines: both.flat() };
  return { reason: full && game.complete_line ? t("ending.full") : t("ending.nobody"), lines: [] };
}

/** completed is the reason where whoever completes a line loses, or wins; null where there is no line. */
function completed(p: Position, game: GameInfo, rule: "loses" | "mover-wins", you: Player | null): Reason | null {
  const lines = [...completeLines(p, "X"), ...completeLines(p, "O")];
  if (lines.length === 0) return null;
  const last = other(mover(p)); // who made the last move
  const reason = t(`ending.${rule}.${person(last, you)}`, { player: playerName(last, game), lines: names(lines) });
  return { reason: capital(reason), lines };
}

/** won is the reason where a line wins for the player whose mark it is; null where the winner has none. */
function won(p: Position, game: GameInfo, winner: Player, you: Player | null): Reason | null {
  const mark = markOf(winner, game);
  const lines = completeLines(p, mark);
  if (lines.length === 0) return null;
  const last = other(mover(p));
  if (last === winner || !pushes(game)) return { reason: capital(t("ending.line", { n: lines.length, lines: names(lines), mark })), lines };
  const own = completeLines(p, markOf(last, game));
  const values = { player: playerName(last, game), lines: names(lines), mark, own: names(own) };
  const by = person(last, you);
  return { reason: capital(own.length > 0 ? t(`ending.besides.${by}`, values) : t(`ending.given.${by}`, values)), lines };
}

/** person returns how a sentence refers to a player; you is the player whom it addresses, if any. */
function person(player: Player, you: Player | null): "you" | "opponent" | "player" {
  if (you === null) return "player";
  return player === you ? "you" : "opponent";
}

/** names joins the names of lines: row 1, column b, and the diagonal from a3 to c1. */
function names(lines: BoardLine[]): string {
  return listed(lines.map((line) => line.name));
}
