// How the cells of a board are laid out, by the kind of the board.

import { h, s } from "./dom.js";
import { letterAt } from "./faces.js";
import { boardsOf } from "./kinds.js";
import { t } from "./language.js";
import { cellName, completeLines, type Mark, type Position } from "./position.js";
import type { BoardKind } from "./types.js";

/** Plan is how cells are laid out. */
export interface Plan {
  /** The cells of each row from left to right, for the arrow keys. */
  rows: number[][];
  /** build puts the cells into the elements of the board; label is what the board is called. */
  build(cells: HTMLElement[], label: string, overlay: SVGElement): Node[];
}

/** How many rows and columns a board has that is one of several. */
const side = 3;
/** The most files beside each other; more are in several rows. */
const mostFiles = 9;

/** planOf returns the plan of the boards of a kind and size; slots are the room of each heap. */
export function planOf(kind: BoardKind, n: number, slots: number[]): Plan {
  switch (kind) {
    case "grid":
      return grid(n);
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

function grid(n: number): Plan {
  const rows = upTo(n).map((row) => upTo(n).map((column) => row * n + column));
  return {
    rows,
    build: (cells, label, overlay) => {
      const lines = rows.map((row, i) => line(coordinate("row", String(n - i)), ...row.map((cell) => cells[cell])));
      const letters = upTo(n).map((column) => coordinate("column", letterAt(column)));
      overlay.setAttribute("viewBox", `0 0 ${n * 100} ${n * 100}`);
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

/** smallBoard is one of several boards; its name is what it is called. decorate says what has become of it. */
function smallBoard(name: string, lines: (HTMLElement | undefined)[][]): HTMLElement {
  return h("div", { class: "small", role: "grid", "data-board": name },
    ...lines.map((cells) => line(...cells)),
    s("svg", { class: "taken-board", viewBox: "0 0 100 100", "aria-hidden": "true" },
      s("path", { class: "mark mark-x", d: "M18 18 82 82M82 18 18 82" }), s("circle", { class: "mark mark-o", cx: 50, cy: 50, r: 34 }), s("path", { class: "dead", d: "M8 92 92 8" })));
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

/** decorate shows what has become of each of several boards: won by one of the players, complete or full, and where the next
 * move goes. */
export function decorate(root: Element, p: Position, kind: BoardKind, over: boolean): void {
  if (kind !== "nine" && kind !== "boards") return;
  const all = kind === "boards" ? boardsOf(p) : ninths(p);
  root.querySelectorAll<HTMLElement>(".small").forEach((element, i) => {
    const cells = all[i] ?? [];
    const name = element.dataset["board"] ?? "";
    const has = (mark: Mark) => completeLines({ cells, side: null }, mark).length > 0;
    const done = has("X") || has("O") || !cells.includes(".");
    const next = kind === "nine" && !over && !done && (p.board === "-" || p.board === name);
    const flags = { "by-x": kind === "nine" && has("X"), "by-o": has("O"), dead: kind === "boards" && done, next };
    for (const [flag, on] of Object.entries(flags)) element.classList.toggle(flag, on);
    const said = flags["by-x"] ? t("small.won", { board: name, player: "X" }) : flags["by-o"] ? t("small.won", { board: name, player: "O" })
      : flags.dead ? t("small.dead", { board: name }) : next ? t("small.next", { board: name }) : t("small.label", { board: name });
    element.setAttribute("aria-label", said);
  });
}

/** ninths are the cells of each of nine boards. */
function ninths(p: Position): Mark[][] {
  const n = side * side;
  return upTo(n).map((board) => upTo(n).map((cell) => {
    const row = Math.floor(board / side) * side + Math.floor(cell / side);
    const column = (board % side) * side + (cell % side);
    return p.cells[row * n + column] ?? ".";
  }));
}
