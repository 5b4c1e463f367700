// The shapes of boards: rows, columns and lines.

import type { BoardSize } from "./types.js";

/** Shape is the shape of a board of cells. */
export interface Shape {
  rows: number;
  columns: number;
  /** The length of lines that are straight runs of cells; 0 where they are whole rows, columns and main diagonals. */
  run: number;
  /** The other words of the variant. */
  variant: string[];
}

/** The words for lengths of lines, from two on. */
const runs = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/** shapeOf is the shape of the board of a size: n, or a word such as 4x5,four. */
export function shapeOf(size: BoardSize): Shape {
  const [board = "", ...words] = String(size).split(",");
  const [rows = 0, columns = rows] = board.split("x").map(Number);
  const run = words.map((word) => runs.indexOf(word) + 2).find((length) => length > 1) ?? 0;
  return { rows, columns, run, variant: words.filter((word) => !runs.includes(word)) };
}

/** sidesOf are the rows of each of several n×n boards, of a size such as 3+4 or the number of 3×3 boards. */
export function sidesOf(size: BoardSize): number[] {
  return typeof size === "number" ? Array<number>(size).fill(3) : size.split("+").map(Number);
}

/** isPlain says whether a board is n×n and has no variant. */
export function isPlain({ rows, columns, run, variant }: Shape): boolean {
  return rows === columns && run === 0 && variant.length === 0;
}

/** hasDiagonals says whether diagonals are lines. */
export function hasDiagonals({ rows, columns, run, variant }: Shape): boolean {
  return run > 0 || (rows === columns && !variant.includes("no-diagonals"));
}

/** cellName returns the name of a cell: the letter of its column and the number of its row, a1 at the bottom left. */
export function cellName({ rows, columns }: Pick<Shape, "rows" | "columns">, cell: number): string {
  return "abcdefghijklmnopqrstuvwxyz".charAt(cell % columns) + String(rows - Math.floor(cell / columns));
}

/** Step is a direction of lines: how many rows down and columns to the right each cell is from the one before. */
type Step = [down: number, right: number];
export const alongRow: Step = [0, 1];
export const alongColumn: Step = [1, 0];
const diagonals: Step[] = [[1, 1], [1, -1]];

/** Line is a line of a board. */
export interface Line {
  step: Step;
  cells: number[];
}

const known = new Map<string, Line[]>();

/** linesOf are the lines of a board, each once. */
export function linesOf(shape: Shape): Line[] {
  const key = JSON.stringify(shape);
  const lines = known.get(key) ?? findLines(shape);
  known.set(key, lines);
  return lines;
}

function findLines(shape: Shape): Line[] {
  const { rows, columns, run, variant } = shape;
  const torus = variant.includes("torus");
  const steps = [alongRow, alongColumn, ...(hasDiagonals(shape) ? diagonals : [])];
  const lines = steps.flatMap((step) => {
    const [down, right] = step;
    const length = run || (down === 0 ? columns : rows);
    const begins = Array.from({ length: rows * columns }, (_, cell) => cell).filter((cell) => {
      const [row, column] = [Math.floor(cell / columns), cell % columns];
      if (torus && down * right !== 0) return row === 0;
      const [lastRow, lastColumn] = [row + down * (length - 1), column + right * (length - 1)];
      return lastRow < rows && lastColumn >= 0 && lastColumn < columns;
    });
    const at = (cell: number, i: number) => ((Math.floor(cell / columns) + i * down) % rows) * columns + (((cell % columns) + i * right + length * columns) % columns);
    return begins.map((begin) => ({ step, cells: Array.from({ length }, (_, i) => at(begin, i)) }));
  });
  const keys = lines.map(({ cells }) => [...cells].sort((a, b) => a - b).join());
  return lines.filter((_, i) => keys.indexOf(keys[i] ?? "") === i);
}
