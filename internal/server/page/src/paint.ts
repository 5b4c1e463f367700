// What a click does to a cell while a position is set up.

import { mostCounters, write } from "./kinds.js";
import type { Brush } from "./model.js";
import type { Mark, Position } from "./position.js";
import type { BoardKind } from "./types.js";

/** painted returns the text of a position after a click of the brush on a cell. */
export function painted(p: Position, index: number, brush: Brush, kind: BoardKind): string {
  switch (kind) {
    case "heaps":
      return write(heaped(p, index), kind);
    case "row":
      return write(moved(p, index), kind);
    case "rows":
    case "text":
      return write(p, kind); // a click cannot make a position
    case "nine":
      return write({ ...marked(p, index, brush), board: "-" }, kind); // the one to play in may be won or full now
    default:
      return write(marked(p, index, brush), kind);
  }
}

/** marked is a position with the mark of the brush on a cell. */
function marked(p: Position, index: number, brush: Brush): Position {
  const order: Mark[] = p.side ? [".", "X", "O"] : [".", "X"];
  const now = order.indexOf(p.cells[index] ?? ".");
  const mark = brush === "cycle" ? (order[(now + 1) % order.length] ?? ".") : brush;
  return { ...p, cells: p.cells.map((cell, i) => (i === index ? mark : cell)) };
}

/** heaped is a position whose heap ends with a counter; the last one goes away. */
function heaped(p: Position, index: number): Position {
  const heap = Math.floor(index / mostCounters);
  const counters = (index % mostCounters) + 1;
  return { ...p, heaps: (p.heaps ?? []).map((now, i) => (i !== heap ? now : now === counters ? counters - 1 : counters)) };
}

/** moved is a position with a move made on a file, or taken back; those beside it are empty then. */
function moved(p: Position, index: number): Position {
  const made = p.cells[index] !== "X";
  return { ...p, cells: p.cells.map((cell, i) => (i === index ? (made ? "X" : ".") : made && Math.abs(i - index) === 1 ? "." : cell)) };
}
