// The states of several small boards.

import { boardsOf } from "./kinds.js";
import { t } from "./language.js";
import { completeLines, type Mark, type Position } from "./position.js";
import { cellName, shapeOf } from "./shape.js";
import type { SmallBoard } from "./traits.js";
import type { BoardKind } from "./types.js";

/** How many rows and columns each of nine boards has, and the large one that they are cells of. */
export const side = 3;

/** smallBoards returns the boards of a position with several; over says that the game is over. */
export function smallBoards(p: Position, kind: BoardKind, over: boolean): SmallBoard[] {
  if (kind !== "nine" && kind !== "boards") return [];
  const all = kind === "boards" ? boardsOf(p) : ninths(p);
  return all.map((board, i) => {
    const name = kind === "boards" ? String(i + 1) : cellName(shapeOf(side), i);
    const has = (mark: Mark) => completeLines(board, mark).length > 0;
    const done = has("X") || has("O") || !board.cells.includes(".");
    const next = kind === "nine" && !over && !done && (p.board === "-" || p.board === name);
    return { name, fates: { "by-x": kind === "nine" && has("X"), "by-o": kind === "nine" && has("O"), dead: kind === "boards" && done, next } };
  });
}

/** smallName is the name of a small board for screen readers. */
export function smallName({ name: board, fates }: SmallBoard): string {
  if (fates["by-x"]) return t("small.won", { board, player: "X" });
  if (fates["by-o"]) return t("small.won", { board, player: "O" });
  if (fates.dead) return t("small.dead", { board });
  return fates.next ? t("small.next", { board }) : t("small.label", { board });
}

/** ninths returns the position of each of nine boards. */
function ninths(p: Position): Position[] {
  const n = side * side;
  const each = Array.from({ length: n }, (_, i) => i);
  return each.map((board) => {
    const cells = each.map((cell): Mark => {
      const row = Math.floor(board / side) * side + Math.floor(cell / side);
      const column = (board % side) * side + (cell % side);
      return p.cells[row * n + column] ?? ".";
    });
    return { cells, shape: shapeOf(side), side: null };
  });
}
