// Values, results and numbers in plain words.

import { completeLines, mover, other, parse, hasSides, type BoardLine, type Mark, type Player, type Position } from "./position.js";
import type { Outcome, Value } from "./types.js";

/** rules is each game's rules in a sentence. */
export const rules: Record<string, string> = {
  notakto: "Both players mark an empty cell with X in turn. Whoever completes a row, a column or a main diagonal loses.",
  quixo:
    "Take a tile of the border that is blank or shows your mark, and push it back in, with your mark up, from another end of its " +
    "row or column. A full row, column or main diagonal of your mark wins; whoever completes the opponent’s loses, even when " +
    "completing an own one by the same push.",
};

export const outcomes: readonly Outcome[] = ["win", "draw", "lose"];

/** letter stands for an outcome where there is little room. */
export function letter(outcome: Outcome): string {
  return { win: "W", draw: "D", lose: "L" }[outcome];
}

/** valueText is a value in words: win in 21, draw, lose. */
export function valueText(value: Value): string {
  return value.steps === null ? value.outcome : `${value.outcome} in ${value.steps}`;
}

/** capital makes the first letter of a sentence a capital one. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** plural counts things: 1 ply, 2 plies. */
export function plural(count: number, one: string, many: string): string {
  return `${number(count)} ${count === 1 ? one : many}`;
}

const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

/** number writes a count with its thousands apart. */
export function number(count: number): string {
  return whole.format(count);
}

/** compact writes a large count in few characters: 43M. */
export function compact(count: number): string {
  return short.format(count);
}

/** bytes writes a size in binary units. */
export function bytes(count: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const unit = count < 1024 ? 0 : Math.min(4, Math.floor(Math.log2(count) / 10));
  return `${unit === 0 ? count : (count / 1024 ** unit).toPrecision(3)} ${units[unit]}`;
}

/** percent writes a part of a whole. */
export function percent(part: number, of: number): string {
  if (part === 0) return "0 %";
  const share = (100 * part) / of;
  return share > 0 && share < 0.1 ? "< 0.1 %" : `${share.toFixed(1)} %`;
}

/** markName is what a cell shows, for those who hear it. */
export function markName(mark: Mark, game: string): string {
  if (mark !== ".") return mark;
  return hasSides(game) ? "blank" : "empty";
}

/** playerName names a player: X and O, or the first and the second player. */
export function playerName(player: Player, game: string): string {
  if (hasSides(game)) return player === "first" ? "X" : "O";
  return `the ${player} player`;
}

/** Result is the end of a game. */
export interface Result {
  winner: Player;
  /** Why the winner has won, a sentence. */
  reason: string;
  lines: BoardLine[];
}

/** result tells who has won a position that is over, and by which lines. The outcome is the server's, for the
 * player to move; you is who the sentence addresses, if anyone. */
export function result(text: string, game: string, n: number, outcome: Outcome, you: Player | null): Result {
  const p = parse(text, n, hasSides(game));
  const winner = outcome === "win" ? mover(p) : other(mover(p));
  return { winner, ...(hasSides(game) ? quixoReason(p, winner, you) : notaktoReason(p, winner, you)) };
}

function notaktoReason(p: Position, winner: Player, you: Player | null): { reason: string; lines: BoardLine[] } {
  const lines = completeLines(p, "X");
  const loser = you === null ? playerName(other(winner), "notakto") : you === winner ? "the opponent" : "you";
  return { reason: `${capital(loser)} completed ${names(lines)}, and whoever completes a line loses.`, lines };
}

function quixoReason(p: Position, winner: Player, you: Player | null): { reason: string; lines: BoardLine[] } {
  const mark = winner === "first" ? "X" : "O";
  const lines = completeLines(p, mark);
  const own = completeLines(p, winner === "first" ? "O" : "X");
  const last = other(mover(p)); // who made the last move
  if (last === winner) return { reason: `${capital(names(lines))} ${lines.length > 1 ? "are" : "is"} full of ${mark}.`, lines };
  const who = you === null ? playerName(last, "quixo") : you === last ? "you" : "the opponent";
  const besides = own.length > 0 ? `, and that counts more than ${who === "you" ? "your" : "the"} own ${names(own)}` : "";
  return { reason: `${capital(who)} completed ${names(lines)} of ${mark}${besides}.`, lines };
}

/** names joins the names of lines: row 1, column b and the diagonal from a3 to c1. */
function names(lines: BoardLine[]): string {
  const all = lines.map((line) => line.name);
  return all.length < 2 ? all.join() : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
}
