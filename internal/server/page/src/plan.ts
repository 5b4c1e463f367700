// The layout of the cells, by kind of board.

import { fullMark, strike } from "./art.js";
import type { Point } from "./arrows.js";
import { h, s } from "./dom.js";
import { letterAt } from "./faces.js";
import { cellName, shapeOf } from "./shape.js";
import { side, smallName } from "./small.js";
import { rowsOfSpots, type Surface } from "./surface.js";
import type { SmallBoard } from "./traits.js";
import type { BoardKind } from "./types.js";

/** Plan is how cells are laid out. */
export interface Plan {
  /** The cells of each row from left to right, for the arrow keys. */
  rows: number[][];
  /** The width of the board by its height. */
  ratio: number;
  /** The columns and rows, and the middle of a cell, in squares of 100; for arrows. */
  size?: [number, number];
  point?: (cell: number) => Point;
  /** build puts the cells into the elements of the board; label is what the board is called. */
  build(cells: HTMLElement[], label: string, overlay: SVGElement): Node[];
}

/** The most files side by side; more wrap into several rows. */
const mostFiles = 9;

/** planOf returns the plan of the boards of a kind with n columns and that number of rows; slots are the room of each heap, sides the
 * rows of each of several boards. */
export function planOf(kind: BoardKind, n: number, rows: number, slots: number[], sides: number[]): Plan {
  switch (kind) {
    case "grid":
      return grid(n, rows);
    case "rows":
    case "text":
      return { rows: [], ratio: 1, build: () => [h("pre", { class: "drawing", tabindex: 0 })] };
    case "nine":
      return nine(n);
    case "boards":
      return several(sides);
    case "row":
      return files(n);
    case "heaps":
      return heaps(slots);
  }
}

/** upTo are the numbers from 0 to n − 1. */
function upTo(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i);
}

function coordinate(kind: "row" | "column", text: string): HTMLElement {
  return h("span", { class: `coordinate ${kind}`, "aria-hidden": "true" }, text);
}

function line(...children: (HTMLElement | undefined)[]): HTMLElement {
  return h("div", { role: "row" }, ...children);
}

function grid(n: number, height: number): Plan {
  const rows = upTo(height).map((row) => upTo(n).map((column) => row * n + column));
  return {
    rows,
    ratio: n / height,
    size: [n, height],
    point: (cell) => ({ x: (cell % n) * 100 + 50, y: Math.floor(cell / n) * 100 + 50 }),
    build: (cells, label, overlay) => {
      const lines = rows.map((row, i) => line(coordinate("row", String(height - i)), ...row.map((cell) => cells[cell])));
      const letters = upTo(n).map((column) => coordinate("column", letterAt(column)));
      overlay.setAttribute("viewBox", `0 0 ${n * 100} ${height * 100}`);
      return [
        h("div", { class: "frame" }, h("div", { role: "grid", "aria-label": label, class: "grid" }, ...lines), overlay),
        h("div", { class: "letters", "aria-hidden": "true" }, coordinate("row", ""), ...letters),
      ];
    },
  };
}

/** planOfSurface lays out the places of a custom game over a drawing of its lines. */
export function planOfSurface(surface: Surface): Plan {
  const { spots, width, height } = surface;
  const rows = rowsOfSpots(surface);
  const share = (part: number, whole: number) => `${(100 * part) / whole}%`;
  const label = (kind: "row" | "column", text: string, at: number) => {
    const element = coordinate(kind, text);
    element.style[kind === "row" ? "top" : "left"] = share(at, kind === "row" ? height : width);
    return element;
  };
  const build = (cells: HTMLElement[], name: string, overlay: SVGElement) => {
    cells.forEach((cell, i) => {
      const { x = 0, y = 0 } = spots[i] ?? {};
      Object.assign(cell.style, { left: share(x - 0.5, width), top: share(y - 0.5, height), width: share(1, width), height: share(1, height) });
    });
    const viewBox = `0 0 ${width * 100} ${height * 100}`;
    overlay.setAttribute("viewBox", viewBox);
    const lines = surface.lines.map((points) => s("polyline", { points: points.map(([x, y]) => `${x * 100},${y * 100}`).join(" ") }));
    const element = h("div", { class: "surface", "data-surface": surface.kind },
      s("svg", { class: "lines", viewBox, "aria-hidden": "true" }, ...lines),
      h("div", { role: "grid", "aria-label": name }, ...rows.map((row) => line(...row.map((cell) => cells[cell])))), overlay,
      ...surface.numbers.map(([text, y]) => label("row", text, y)), ...surface.letters.map(([text, x]) => label("column", text, x)));
    element.style.aspectRatio = `${width} / ${height}`;
    return [element];
  };
  return {
    rows, ratio: width / height, size: [width, height],
    point: (cell) => ({ x: (spots[cell]?.x ?? 0) * 100, y: (spots[cell]?.y ?? 0) * 100 }), build,
  };
}

/** nine lays out nine boards of nine cells, named as in one large grid. */
function nine(n: number): Plan {
  const rows = upTo(n).map((row) => upTo(n).map((column) => row * n + column));
  const build = (cells: HTMLElement[], label: string) => {
    const nodes = upTo(side).flatMap((down) => [
      h("div", { class: "numbers", "aria-hidden": "true" }, ...upTo(side).map((row) => coordinate("row", String(n - down * side - row)))),
      ...upTo(side).map((right) => {
        const lines = upTo(side).map((row) => upTo(side).map((column) => cells[(down * side + row) * n + right * side + column]));
        return smallBoard(cellName(shapeOf(side), down * side + right), lines);
      }),
    ]);
    const letters = upTo(side).map((right) =>
      h("div", { class: "small-letters", "aria-hidden": "true" }, ...upTo(side).map((column) => coordinate("column", letterAt(right * side + column)))));
    return [h("div", { class: "nine", role: "group", "aria-label": label }, ...nodes, coordinate("row", ""), ...letters)];
  };
  return { rows, ratio: 1, build };
}

/** several are boards of their own beside and below each other. */
function several(sides: number[]): Plan {
  const across = sides.length === 4 ? 2 : Math.min(sides.length, 3);
  const firsts = sides.map((_, board) => sides.slice(0, board).reduce((sum, side) => sum + side * side, 0));
  const rowsOf = (board: number): number[][] => {
    const [first = 0, n = 0] = [firsts[board], sides[board]];
    return upTo(n).map((row) => upTo(n).map((column) => first + row * n + column));
  };
  const rows = upTo(Math.ceil(sides.length / across)).flatMap((down) => {
    const beside = sides.map((_, board) => board).slice(down * across, (down + 1) * across).map(rowsOf);
    return upTo(Math.max(...beside.map((board) => board.length))).map((row) => beside.flatMap((board) => board[row] ?? []));
  });
  const build = (cells: HTMLElement[], label: string) => {
    const boards = sides.map((n, board) => {
      const name = String(board + 1);
      const one = h("div", { class: "one" },
        coordinate("column", name),
        h("div", { class: "numbers", "aria-hidden": "true" }, ...upTo(n).map((row) => coordinate("row", String(n - row)))),
        smallBoard(name, rowsOf(board).map((row) => row.map((cell) => cells[cell]))),
        h("div", { class: "small-letters", "aria-hidden": "true" }, ...upTo(n).map((column) => coordinate("column", letterAt(column)))));
      one.style.setProperty("--side", String(n));
      return one;
    });
    const element = h("div", { class: "several", role: "group", "aria-label": label }, ...boards);
    for (const [name, most] of Object.entries({ wide: across, narrow: Math.min(across, 2) })) {
      element.style.setProperty(`--across-${name}`, String(most));
      element.style.setProperty(`--sum-${name}`, String(widest(most)));
    }
    return [element];
  };
  const line = (most: number) => sides.map((_, i) => sides.slice(i, i + most)).filter((_, i) => i % most === 0);
  const widest = (most: number) => Math.max(...line(most).map((row) => row.reduce((sum, n) => sum + n, 0)));
  const high = line(across).reduce((sum, row) => sum + Math.max(...row) + 1.5, 0); // with the names
  return { rows, ratio: (widest(across) + across) / high, build };
}

/** smallBoard is one of several boards. decorate shows whether it is won, drawn or dead. */
function smallBoard(name: string, lines: (HTMLElement | undefined)[][]): HTMLElement {
  return h("div", { class: "small", role: "grid", "data-board": name },
    ...lines.map((cells) => line(...cells)),
    s("svg", { class: "taken-board", viewBox: "0 0 100 100", "aria-hidden": "true" }, fullMark("X"), fullMark("O"), strike()));
}

function files(n: number): Plan {
  const across = Math.ceil(n / Math.ceil(n / mostFiles));
  const rows = upTo(Math.ceil(n / across)).map((down) => upTo(Math.min(across, n - down * across)).map((right) => down * across + right));
  const build = (cells: HTMLElement[], label: string) => {
    const lines = rows.flatMap((row) => [
      line(...row.map((cell) => cells[cell])),
      h("div", { class: "file-letters", "aria-hidden": "true" }, ...row.map((cell) => coordinate("column", letterAt(cell)))),
    ]);
    const element = h("div", { class: "files", role: "grid", "aria-label": label }, ...lines);
    element.style.setProperty("--across", String(across));
    return [element];
  };
  return { rows, ratio: across / (3.5 * rows.length), build };
}

function heaps(slots: number[]): Plan {
  let at = 0;
  const rows = slots.map((room) => upTo(room).map(() => at++));
  const build = (cells: HTMLElement[], label: string) => {
    const lines = rows.map((row, heap) => line(coordinate("row", letterAt(heap)), ...row.map((cell) => cells[cell])));
    return [h("div", { class: "heaps", role: "grid", "aria-label": label }, ...lines)];
  };
  return { rows, ratio: 9.5 / slots.reduce((lines, room) => lines + Math.ceil(room / 9) + 0.15, 0.3), build };
}

/** decorate shows what has become of each of several boards. */
export function decorate(root: Element, boards: SmallBoard[]): void {
  root.querySelectorAll<HTMLElement>(".small").forEach((element, i) => {
    const board = boards[i];
    if (!board) return;
    for (const [fate, on] of Object.entries(board.fates)) element.classList.toggle(fate, on);
    element.setAttribute("aria-label", smallName(board));
  });
}
