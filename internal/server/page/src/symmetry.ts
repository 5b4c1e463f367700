// Groups of moves that a symmetry of the board maps to each other.

import type { Shape } from "./shape.js";
import type { Symmetries } from "./types.js";

type Sides = Pick<Shape, "rows" | "columns">;

/** A permutation of the cells, row by row from the top left: the mark of cell i goes to cell p[i]. */
type Permutation = number[];

const groups = new Map<string, Permutation[]>();

/** groupOf returns the symmetries of a board, the identity among them. */
export function groupOf(symmetries: Symmetries, { rows, columns }: Sides): Permutation[] {
  const key = `${symmetries} ${rows} ${columns}`;
  const group = groups.get(key) ?? generate(generators(symmetries, rows, columns), rows * columns);
  groups.set(key, group);
  return group;
}

/** generators returns permutations of which all symmetries are made: the reversal of the rows and of the columns, on the n×n
 * board also the transposition; where only the lines matter, also the permutations of the indices that keep them, on rows
 * and columns alike. These are made of exchanges of an index with its mirror image, and of two indices together with their
 * mirror images. */
function generators(symmetries: Symmetries, rows: number, n: number): Permutation[] {
  const cells = (image: (row: number, column: number) => number) => Array.from({ length: rows * n }, (_, i) => image(Math.floor(i / n), i % n));
  const made = [cells((r, c) => (rows - 1 - r) * n + c), cells((r, c) => r * n + n - 1 - c)];
  if (rows !== n) return made;
  made.push(cells((r, c) => c * n + r));
  if (symmetries !== "lines") return made;
  const exchange = (...pairs: [number, number][]) => {
    const to = Array.from({ length: n }, (_, i) => i);
    for (const [a, b] of pairs) [to[a], to[b]] = [b, a];
    made.push(cells((r, c) => (to[r] ?? r) * n + (to[c] ?? c)));
  };
  for (let i = 0; i < Math.floor(n / 2); i++) {
    exchange([i, n - 1 - i]);
    if (i + 1 < Math.floor(n / 2)) exchange([i, i + 1], [n - 1 - i, n - 2 - i]);
  }
  return made;
}

function generate(made: Permutation[], cells: number): Permutation[] {
  const group = [Array.from({ length: cells }, (_, i) => i)];
  const seen = new Set(group.map(String));
  for (const p of group) {
    for (const g of made) {
      const next = p.map((cell) => g[cell] ?? cell);
      if (seen.has(String(next))) continue;
      seen.add(String(next));
      group.push(next); // the loop visits it, too
    }
  }
  return group;
}

/** canonical returns a text that is the same for positions that are images of each other, and only for these. */
function canonical(position: string, group: Permutation[]): string {
  const [board = "", side = ""] = position.split(" ");
  const marks = [...board.replaceAll("/", "")];
  let least = "";
  const image = Array<string>(marks.length);
  for (const p of group) {
    marks.forEach((mark, i) => (image[p[i] ?? i] = mark));
    const text = image.join("");
    if (least === "" || text < least) least = text;
  }
  return `${least} ${side}`;
}

/** bySymmetry puts those moves together that lead to the same position up to symmetry, in the order of the first of each. */
export function bySymmetry<M extends { position: string }>(moves: M[], symmetries: Symmetries, board: Sides): M[][] {
  const group = groupOf(symmetries, board);
  const classes = new Map<string, M[]>();
  for (const move of moves) {
    const key = canonical(move.position, group);
    const same = classes.get(key);
    if (same) same.push(move);
    else classes.set(key, [move]);
  }
  return [...classes.values()];
}
