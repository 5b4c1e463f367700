// Positions as text, and the cells and lines of a board, without values.

import { t } from "./language.js";
import { alongColumn, alongRow, cellName, linesOf, type Line, type Shape } from "./shape.js";

export type Mark = "X" | "O" | ".";
export type Side = "x" | "o";

/** Position is a board with its cells row by row from the top left, or several boards one after the other. */
export interface Position {
  cells: Mark[];
  /** The shape of one board of cells. */
  shape?: Shape;
  /** The rows of each of several n×n boards. */
  sides?: number[];
  /** The side to move; null in a game where both players mark with X. */
  side: Side | null;
  /** Of nine boards the one to play in, a1 to c3, or - for any. */
  board?: string;
  /** The counters of each heap, where there are heaps and no cells. */
  heaps?: number[];
  /** The text of a position that only its game can read. */
  text?: string;
  /** Its rows, if it has any, character by character. */
  rows?: string[];
  pieces?: string[];
  /** What the first and the second player have in hand, in games that have such pieces. */
  held?: Held;
}

/** Held is what the players have in hand: the first one's pieces, and the second one's. */
export type Held = [string[], string[]];

/** PositionError says where and why a text is not a position; columns count from 1. */
export class PositionError extends Error {
  constructor(
    readonly column: number,
    reason: string,
  ) {
    super(reason);
  }
}

/** parse reads the text of a position on a board, with white space around it or without; sides says whether the players have
 * marks of their own. It throws a PositionError. */
export function parse(text: string, shape: Shape, sides: boolean): Position {
  const { rows, columns } = shape;
  const chars = [...text];
  let at = chars.findIndex((c) => c.trim() !== "");
  if (at < 0) throw new PositionError(1, t("position.none", { n: rows }));
  const cells: Mark[] = [];
  for (let row = 0; row < rows; row++) {
    if (row > 0) expect(chars, at++, "/", t("position.slash", { row, n: columns }));
    for (let column = 0; column < columns; column++) cells.push(cellAt(chars, at++, shape, sides));
  }
  const side = sides ? sideAt(chars, at) : null;
  if (side && side.given) at = side.end;
  const rest = chars.findIndex((c, i) => i >= at && c.trim() !== "");
  if (rest >= 0) throw new PositionError(rest + 1, t(sides ? "position.rest.sides" : "position.rest", { n: rows }));
  return { cells, shape, side: side && side.side };
}

function expect(chars: string[], at: number, want: string, reason: string): void {
  if (chars[at] !== want) throw new PositionError(at + 1, reason);
}

function cellAt(chars: string[], at: number, { rows, columns }: Shape, sides: boolean): Mark {
  const c = chars[at];
  if (c === "X" || c === "." || (c === "O" && sides)) return c;
  const cells = t(sides ? "position.cells.sides" : "position.cells");
  if (c === undefined || c === "/" || c.trim() === "") throw new PositionError(at + 1, t("position.missing", { rows, n: columns, cells }));
  throw new PositionError(at + 1, t("position.cell", { cell: c, cells }));
}

/** sideAt reads the side to move after white space, x where nothing follows. */
export function sideAt(chars: string[], at: number): { side: Side; given: boolean; end: number } {
  let i = at;
  while (i < chars.length && chars[i]?.trim() === "") i++;
  const c = chars[i];
  if (c === undefined) return { side: "x", given: false, end: at };
  if (i > at && (c === "x" || c === "o")) return { side: c, given: true, end: i + 1 };
  throw new PositionError(i + 1, t("position.side", { side: c }));
}

/** format returns the text that parse reads. */
export function format(p: Position): string {
  const { rows, columns } = p.shape ?? { rows: 0, columns: 0 };
  const texts = Array.from({ length: rows }, (_, row) => p.cells.slice(row * columns, (row + 1) * columns).join(""));
  return texts.join("/") + (p.side ? " " + p.side : "");
}

/** empty returns the board without a mark, X to move. */
export function empty(shape: Shape, sides: boolean): Position {
  return { cells: Array<Mark>(shape.rows * shape.columns).fill("."), shape, side: sides ? "x" : null };
}

/** passes is the move of a player who has no other. */
export const passes = "pass";

/** splitMove returns the first and the last cell that a move names, which are the same where there is only one, and ""
 * where there is none. A cell is called by a letter with a number behind it, before it or without one. */
export function splitMove(move: string): { from: string; to: string } {
  const names = move === passes ? [] : (move.match(/\d*[a-z]\d*/g) ?? []);
  return { from: names[0] ?? "", to: names[1] ?? names[0] ?? "" };
}

/** Player is one of two: the first one begins the game, with X where the players have marks of their own. */
export type Player = "first" | "second";

/** mover says who is to move. Where both players mark with X, the number of marks tells. */
export function mover(p: Position): Player {
  if (p.side) return p.side === "x" ? "first" : "second";
  return p.cells.filter((c) => c === "X").length % 2 === 0 ? "first" : "second";
}

/** other is the opponent. */
export function other(player: Player): Player {
  return player === "first" ? "second" : "first";
}

/** BoardLine is a line with its name in a sentence. */
export interface BoardLine {
  name: string;
  cells: number[];
}

/** completeLines returns the lines whose cells all have the mark. */
export function completeLines({ cells, shape }: Position, mark: Mark): BoardLine[] {
  if (!shape) return [];
  const complete = linesOf(shape).filter((line) => line.cells.every((cell) => cells[cell] === mark));
  return complete.map((line) => ({ name: lineName(line, shape), cells: line.cells }));
}

function lineName({ step, cells }: Line, shape: Shape): string {
  const names = cells.map((cell) => cellName(shape, cell));
  const [from = "", to = ""] = [names[0] ?? "", names.at(-1) ?? ""].sort();
  if (shape.run > 0) return t("line.run", { from, to });
  if (step === alongRow) return t("line.row", { row: from.slice(1) });
  if (step === alongColumn) return t("line.column", { column: from.charAt(0) });
  return shape.variant.includes("torus") ? t("line.through", { cells: names.join(", ") }) : t("line.diagonal", { from, to });
}
