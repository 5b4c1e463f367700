// The faces of the cells, by kind of board.

import { counter, disc, file, tile } from "./art.js";
import { s } from "./dom.js";
import { discs, markName, said } from "./games.js";
import { boardsOf, fileAt, kindOf, mostCounters } from "./kinds.js";
import { t } from "./language.js";
import { passes, splitMove, type Mark, type Position } from "./position.js";
import { drawPiece } from "./pieces.js";
import { cellName } from "./shape.js";
import { surfaceOf, type Surface } from "./surface.js";
import type { GameInfo } from "./types.js";

/** Face is what a cell shows. */
export interface Face {
  /** Its name in moves; "" if no move names it. */
  name: string;
  /** What it shows, for screen readers. */
  said: string;
  drawing: SVGElement[];
}

/** letterAt is the letter of a column, a heap or a file. */
export function letterAt(index: number): string {
  return "abcdefghijklmnopqrstuvwxyz".charAt(index);
}

/** slotsOf is the number of counters that each heap has room for: as many as it starts with, or the maximum while a
 * position is being set up. */
export function slotsOf(first: Position, settingUp: boolean): number[] {
  return (first.heaps ?? []).map((counters) => (settingUp ? mostCounters : counters));
}

/** faces are what the cells of a position show. */
export function faces(p: Position, game: GameInfo, slots: number[]): Face[] {
  if (p.pieces) return pieceFaces(p, game);
  switch (kindOf(game)) {
    case "grid":
    case "nine":
      return cellNames(p).map(([name, mark]) => named(name, markName(mark, game), discs(game) ? disc(mark) : tile(mark)));
    case "boards":
      return boardsOf(p).flatMap((board, i) => cellNames(board).map(([name, mark]) => named(`${i + 1}${name}`, markName(mark, game), tile(mark))));
    case "row":
      return p.cells.map((_, i) => named(letterAt(i), t(`file.${fileKeys[fileAt(p, i)]}`), file(fileAt(p, i))));
    case "rows":
    case "text":
      return [];
    case "heaps":
      return slots.flatMap((room, heap) => Array.from({ length: room }, (_, slot) => slotFace(p.heaps?.[heap] ?? 0, heap, slot)));
  }
}

/** cellNames are the marks of a board's cells with the names of these. */
function cellNames({ cells, shape }: Position): [string, Mark][] {
  return cells.map((mark, i) => [shape ? cellName(shape, i) : "", mark]);
}

const fileKeys = { ".": "open", X: "blocked", "-": "empty" } as const;

/** pieceFaces are the places of a board with pieces of its own. */
function pieceFaces(p: Position, game: GameInfo): Face[] {
  const surface = surfaceOf(p, game.layout);
  return surface.spots.map(({ name, at, holds }) => {
    const character = holds ?? p.pieces?.[at] ?? ".";
    if (surface.kind === "heaps") return { name, said: name, drawing: counter(true) };
    const count = p.held?.flat().filter((c) => c === holds).length ?? 0;
    const number = count > 1 ? [s("text", { class: "count", x: 88, y: 92, "font-size": 34, "text-anchor": "middle" }, `×${count}`)] : [];
    const base = holds === undefined ? ground(surface.kind) : [];
    return { name, said: `${holds === undefined ? name : t("hand.label")} ${said(character, game)}`, drawing: [...base, ...drawPiece(character, game.layout), ...number, ...(surface.marked.includes(name) ? [s("path", { class: "marked", d: "M36 36 64 64M64 36 36 64" })] : [])] };
  });
}

/** ground is what a piece stands on. */
function ground(kind: Surface["kind"]): SVGElement[] {
  if (kind === "points") return [s("circle", { class: "tile-base", cx: 50, cy: 50, r: 44 }), s("circle", { class: "point", cx: 50, cy: 50, r: 10 })];
  if (kind === "drop") return [s("circle", { class: "tile-base hole", cx: 50, cy: 50, r: 43 })];
  return tile(".");
}

function named(name: string, shows: string, drawing: SVGElement[]): Face {
  return { name, said: `${name} ${shows}`, drawing };
}

/** slotFace is the place of a counter; a move takes that counter and all behind it. */
function slotFace(counters: number, heap: number, slot: number): Face {
  const taken = counters - slot;
  if (taken <= 0) return { name: "", said: t("counter.gone"), drawing: counter(false) };
  return { name: `${letterAt(heap)}${taken}`, said: t("counter.take", { n: taken, heap: letterAt(heap) }), drawing: counter(true) };
}

/** touched returns the cells that a move changes, as indices of the faces of a position; made says that the move led to
 * the position; otherwise it is yet to be made. */
export function touched(move: string, all: Face[], p: Position, slots: number[], made: boolean): number[] {
  if (move === "" || move === passes) return [];
  if (!p.heaps) {
    const { from, to } = splitMove(move);
    return all.flatMap(({ name }, i) => (name === from || name === to ? [i] : []));
  }
  const heap = move.charCodeAt(0) - "a".charCodeAt(0);
  const count = Number(move.slice(1));
  const begin = slots.slice(0, heap).reduce((sum, room) => sum + room, 0);
  const first = begin + (p.heaps[heap] ?? 0) - (made ? 0 : count);
  return Array.from({ length: count }, (_, i) => first + i);
}
