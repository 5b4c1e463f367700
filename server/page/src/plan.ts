// The layout of the cells, by kind of board.

import { fullMark, strike } from "./art.js";
import { h, s } from "./dom.js";
import { letterAt } from "./faces.js";
import { cellName } from "./position.js";
import { side, smallName, type SmallBoard } from "./small.js";
import type { BoardKind } from "./types.js";

/** Plan is how cells are laid out. */
export interface Plan {
  /** The cells of each row from left to right, for the arrow keys. */
  rows: number[][];
  /** build puts the cells into the elements of the board; label is what the board is called. */
  build(cells: HTMLElement[], label: string, overlay: SVGElement): Node[];
}

/** The most files beside each other; more are in several rows. */
const mostFiles = 9;

/** planOf returns the plan of the boards of a kind with n columns and so many rows; slots are the room of each heap. */
export function planOf(kind: BoardKind, n: number, slots: number[], rows: number): Plan {
  switch (kind) {
    case "grid":
    case "rows":
      return grid(n, rows);
    case "text":
      return { rows: [], build: () => [h("pre", { class: "drawing" })] };
    case "nine":
      return nine(n);
    case "boards":
      return several(n);
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

/** nine are nine boards of nine cells, whose names are those of one large grid. */
function nine(n: number): Plan {
  const rows = upTo(n).map((row) => upTo(n).map((column) => row * n + column));
  const build = (cells: HTMLElement[], label: string) => {
    const nodes = upTo(side).flatMap((down) => [
      h("div", { class: "numbers", "aria-hidden": "true" }, ...upTo(side).map((row) => coordinate("row", String(n - down * side - row)))),
      ...upTo(side).map((right) => {
        const lines = upTo(side).map((row) => upTo(side).map((column) => cells[(down * side + row) * n + right * side + column]));
        return smallBoard(cellName(side, down * side + right), lines);
      }),
    ]);
    const letters = upTo(side).map((right) =>
      h("div", { class: "small-letters", "aria-hidden": "true" }, ...upTo(side).map((column) => coordinate("column", letterAt(right * side + column)))));
    return [h("div", { class: "nine", role: "group", "aria-label": label }, ...nodes, coordinate("row", ""), ...letters)];
  };
  return { rows, build };
}

/** several are boards of their own beside and below each other. */
function several(n: number): Plan {
  const across = n === 4 ? 2 : Math.min(n, side);
  const size = side * side;
  const rows = upTo(Math.ceil(n / across)).flatMap((down) =>
    upTo(side).map((row) => upTo(Math.min(across, n - down * across)).flatMap((right) => upTo(side).map((column) => (down * across + right) * size + row * side + column))));
  const build = (cells: HTMLElement[], label: string) => {
    const boards = upTo(n).map((board) => {
      const lines = upTo(side).map((row) => upTo(side).map((column) => cells[board * size + row * side + column]));
      return h("div", { class: "one" },
        coordinate("column", String(board + 1)),
        h("div", { class: "numbers", "aria-hidden": "true" }, ...upTo(side).map((row) => coordinate("row", String(side - row)))),
        smallBoard(String(board + 1), lines),
        h("div", { class: "small-letters", "aria-hidden": "true" }, ...upTo(side).map((column) => coordinate("column", letterAt(column)))));
    });
    return [h("div", { class: `several across-${across}`, role: "group", "aria-label": label }, ...boards)];
  };
  return { rows, build };
}

/** smallBoard is one of several boards. decorate says what has become of it. */
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
  return { rows, build };
}

function heaps(slots: number[]): Plan {
  let at = 0;
  const rows = slots.map((room) => upTo(room).map(() => at++));
  const build = (cells: HTMLElement[], label: string) => {
    const lines = rows.map((row, heap) => line(coordinate("row", letterAt(heap)), ...row.map((cell) => cells[cell])));
    return [h("div", { class: "heaps", role: "grid", "aria-label": label }, ...lines)];
  };
  return { rows, build };
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
