// Pictures of games: their boards with a position worth seeing.

import { disc } from "./art.js";
import { arrow } from "./arrows.js";
import { s } from "./dom.js";
import { faces, slotsOf } from "./faces.js";
import { discs, hasSides, pushes } from "./games.js";
import { kindOf, read } from "./kinds.js";
import { completeLines, type Mark, type Position } from "./position.js";
import { surfaceOf } from "./surface.js";
import type { BoardSize, GameInfo } from "./types.js";

/** picture draws a board of a game of a size, as it might look in the middle of a game. */
export function picture(game: GameInfo, size: BoardSize, start: string): SVGElement {
  const example = game.boards.find((board) => board.size === size)?.example ?? start;
  const p = midway(read(game.layout || kindOf(game) === "rows" ? example : start, size, game), game);
  const slots = slotsOf(p, false);
  const drawn = faces(p, game, slots).map(({ drawing }) => drawing);
  if (drawn.length === 0) return letterOf(game);
  const { spots, width, height, lines } = placed(p, game, slots);
  const tall = kindOf(game) === "row" ? 3 : 1;
  const ways = lines.map((line) => s("polyline", { points: line.map(([x, y]) => `${x * 100},${y * 100}`).join(" ") }));
  const cells = spots.map(([x, y], i) => s("g", { transform: `translate(${x * 100 - 50} ${y * 100 - 50 * tall})` }, ...(drawn[i] ?? [])));
  const [column, row] = [Math.max(width - 1, 0) * 100 + 50, height * 100 - 50];
  const push = pushes(game) && p.shape ? [arrow({ x: 50, y: row }, { x: column, y: row }, { x: width * 50, y: height * 50 }, "last")] : [];
  return s("svg", { class: "miniature", viewBox: `-10 -10 ${width * 100 + 20} ${height * 100 + 20}`, "aria-hidden": "true", "data-surface": p.pieces ? surfaceOf(p, game.layout).kind : kindOf(game) },
    s("g", { class: "lines" }, ...ways), ...cells, ...push);
}

interface Placed {
  /** The middle of each cell, in squares. */
  spots: [number, number][];
  width: number;
  height: number;
  lines: [number, number][][];
}

/** placed says where the cells of a position stand in a picture. */
function placed(p: Position, game: GameInfo, slots: number[]): Placed {
  if (p.pieces) {
    const surface = surfaceOf(p, game.layout);
    const width = p.heaps ? Math.max(...surface.spots.map(({ x }) => x + 0.5)) : surface.width; // no room beside short heaps
    return { ...surface, width, spots: surface.spots.map(({ x, y }) => [x, y]) };
  }
  if (slots.length > 0) {
    const spots = slots.flatMap((room, heap) => Array.from({ length: room }, (_, i): [number, number] => [i + 0.5 + (Math.max(...slots) - room) / 2, heap + 0.5]));
    return { spots, width: Math.max(...slots), height: slots.length, lines: [] };
  }
  if (kindOf(game) === "row") return { spots: p.cells.map((_, i) => [i + 0.5, 1.5]), width: p.cells.length, height: 3, lines: [] };
  if (p.sides) {
    let left = 0;
    const spots = p.sides.slice(0, 3).flatMap((n) => {
      const begin = left;
      left += n + 0.5;
      return Array.from({ length: n * n }, (_, i): [number, number] => [begin + (i % n) + 0.5, Math.floor(i / n) + 0.5]);
    });
    return { spots, width: left - 0.5, height: Math.max(...p.sides), lines: [] };
  }
  const { rows = 1, columns = 1 } = p.shape ?? {};
  const gap = (i: number) => (kindOf(game) === "nine" ? Math.floor(i / 3) * 0.3 : 0);
  const spots = p.cells.map((_, i): [number, number] => [(i % columns) + gap(i % columns) + 0.5, Math.floor(i / columns) + gap(Math.floor(i / columns)) + 0.5]);
  return { spots, width: columns + gap(columns - 1), height: rows + gap(rows - 1), lines: [] };
}

/** midway is a plausible position after some moves, without a complete line. */
function midway(p: Position, game: GameInfo): Position {
  if (kindOf(game) === "row") return { ...p, cells: p.cells.map((_, i) => (i % 6 === 1 ? "X" : ".")) };
  if (discs(game)) return p.shape?.rows === 8 ? read("......../..X...../..XXO.../.OOXX.../..OOOX../..OXO.../......../........ x", 8, game) : p;
  if (p.pieces || p.heaps || p.cells.some((mark) => mark !== ".")) return p;
  const n = p.cells.length;
  const share = pushes(game) || (kindOf(game) === "grid" && hasSides(game)) ? 0.56 : kindOf(game) === "grid" ? 0.4 : 0.3;
  const order = Array.from({ length: n }, (_, i) => (i * strideOf(n) + Math.floor(n / 3)) % n).filter((i) => !pushes(game) || onEdge(p, i));
  const cells = [...p.cells];
  let set = 0;
  for (const cell of order) {
    if (set >= Math.floor(n * share)) break;
    const mark: Mark = hasSides(game) && set % 2 === 1 ? "O" : "X";
    cells[cell] = mark;
    if (p.shape && completeLines({ ...p, cells }, mark).length > 0) cells[cell] = ".";
    else set++;
  }
  return { ...p, cells };
}

/** strideOf returns a step that visits all of n cells in a scattered order. */
function strideOf(n: number): number {
  const apart = (a: number, b: number): number => (b === 0 ? a : apart(b, a % b));
  for (let stride = Math.ceil(n * 0.618); ; stride++) if (apart(stride, n) === 1) return stride;
}

function onEdge({ shape }: Position, cell: number): boolean {
  const { rows = 1, columns = 1 } = shape ?? {};
  const [row, column] = [Math.floor(cell / columns), cell % columns];
  return row === 0 || column === 0 || row === rows - 1 || column === columns - 1;
}

/** letterOf stands for a game that cannot be drawn. */
function letterOf(game: GameInfo): SVGElement {
  return s("svg", { class: "miniature", viewBox: "0 0 100 100", "aria-hidden": "true" }, ...disc("."),
    s("text", { class: "seat", x: 50, y: 70, "font-size": 56, "text-anchor": "middle" }, game.title.charAt(0)));
}
