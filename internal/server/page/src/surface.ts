// The board of a custom game, as the game describes it: grids, points with lines, columns and heaps.

import type { Held, Position } from "./position.js";
import type { Layout } from "./types.js";

/** Spot is a place on a board: a cell, a counter of a heap, or a place for pieces in hand. */
export interface Spot {
  /** Its name in moves, or "". */
  name: string;
  /** The middle, in squares from the top left. */
  x: number;
  y: number;
  /** The index of its character in a position's text, −1 for places that are not cells. */
  at: number;
  /** The pieces in hand or counters held here. */
  holds?: string;
}

/** Surface is a board with all its places. */
export interface Surface {
  kind: "grid" | "points" | "drop" | "heaps";
  spots: Spot[];
  width: number;
  height: number;
  /** Lines between places, as polylines. */
  lines: [number, number][][];
  marked: string[];
  /** The letters below and the numbers beside the board, with the place of each. */
  letters: [string, number][];
  numbers: [string, number][];
}

/** The most counters of a heap in a row. */
const longestRow = 7;
const cellForm = /^([a-z])([1-9]\d?)$/;

/** namesOf returns the names of the cells, by their index in a text with that many columns in a row. */
export function namesOf(layout: Layout | undefined, rows: string[]): string[] {
  const cells = rows.reduce((sum, row) => sum + row.length, 0);
  if (layout?.order?.length === cells) return layout.order;
  const columns = rows[0]?.length ?? 0;
  return Array.from({ length: cells }, (_, i) => letter(i % columns) + String(rows.length - Math.floor(i / columns)));
}

function letter(column: number): string {
  return "abcdefghijklmnopqrstuvwxyz".charAt(column);
}

/** surfaceOf returns the board of a position, with room for pieces in hand if the game has them. */
export function surfaceOf(p: Position, layout: Layout | undefined): Surface {
  if (p.heaps) return heapsOf(p.heaps);
  const names = namesOf(layout, p.rows ?? []);
  const shape = layout?.board ?? {};
  const placed = shape.points ? onPoints(names, shape.points) : onSquares(names, shape.holes ?? []);
  const { width, height } = placed;
  const place = (name: string) => placed.spots.find((spot) => spot.name === name);
  const lines = (shape.lines ?? []).map((line) => line.flatMap((name): [number, number][] => {
    const spot = place(name);
    return spot ? [[spot.x, spot.y]] : [];
  }));
  const surface: Surface = {
    kind: shape.drop ? "drop" : shape.points || lines.length > 0 ? "points" : "grid",
    spots: placed.spots, width, height, lines, marked: shape.marked ?? [],
    letters: labels(placed.spots, 1, "x"), numbers: labels(placed.spots, 2, "y"),
  };
  return p.held ? withHands(surface, p.held) : surface;
}

function onSquares(names: string[], holes: string[]): Pick<Surface, "spots" | "width" | "height"> {
  const parts = names.map((name) => cellForm.exec(name));
  const width = Math.max(1, ...parts.map((part) => (part ? column(part) + 1 : 0)));
  const height = Math.max(1, ...parts.map((part) => Number(part?.[2] ?? 0)));
  const spots = names.flatMap((name, at): Spot[] => {
    const part = parts[at];
    return part && !holes.includes(name) ? [{ name, at, x: column(part) + 0.5, y: height - Number(part[2]) + 0.5 }] : [];
  });
  return { spots, width, height };
}

function column(part: RegExpExecArray): number {
  return (part[1] ?? "a").charCodeAt(0) - "a".charCodeAt(0);
}

/** onPoints places the cells on their points, scaled so that the nearest two are a square apart. */
function onPoints(names: string[], points: Record<string, [number, number]>): Pick<Surface, "spots" | "width" | "height"> {
  const there = names.flatMap((name, at) => {
    const [x, y] = points[name] ?? [];
    return typeof x === "number" && typeof y === "number" ? [{ name, at, x, y }] : [];
  });
  const apart = there.flatMap((a, i) => there.slice(i + 1).map((b) => Math.hypot(a.x - b.x, a.y - b.y))).filter((d) => d > 0.01);
  const scale = 1 / (apart.length > 0 ? Math.min(...apart) : 1);
  const [left, top] = [Math.min(...there.map((p) => p.x)), Math.max(...there.map((p) => p.y))];
  const spots = there.map((p) => ({ ...p, x: (p.x - left) * scale + 0.5, y: (top - p.y) * scale + 0.5 }));
  return { spots, width: Math.max(1, ...spots.map((p) => p.x + 0.5)), height: Math.max(1, ...spots.map((p) => p.y + 0.5)) };
}

/** labels are the letters or numbers in the names of cells, if each stands for one column or row. */
function labels(spots: Spot[], group: 1 | 2, axis: "x" | "y"): [string, number][] {
  const places = new Map<string, number>();
  for (const spot of spots) {
    const text = cellForm.exec(spot.name)?.[group];
    const before = text === undefined ? undefined : places.get(text);
    if (text === undefined || (before !== undefined && Math.abs(before - spot[axis]) > 0.01)) return [];
    places.set(text, spot[axis]);
  }
  return [...places];
}

/** withHands adds a row above the board for the second player's pieces in hand, and one below for the first player's. */
function withHands(surface: Surface, held: Held): Surface {
  const { width, height } = surface;
  const hand = (pieces: string[], y: number): Spot[] =>
    Array.from({ length: width }, (_, i) => ({ name: pieces[i] ? `=${pieces[i]}` : "", at: -1, x: i + 0.5, y, holds: pieces[i] ?? "" }));
  const spots = surface.spots.map((spot) => ({ ...spot, y: spot.y + 1.2 }));
  return {
    ...surface, height: height + 2.4, numbers: surface.numbers.map(([text, y]) => [text, y + 1.2]),
    lines: surface.lines.map((line) => line.map(([x, y]) => [x, y + 1.2])),
    spots: [...hand([...new Set(held[1])], 0.5), ...spots, ...hand([...new Set(held[0])], height + 1.9)],
  };
}

/** heapsOf returns the board of heaps of counters: each is a row, which wraps if it is long. A counter is named by
 * the letter of its heap and its number in the heap. */
function heapsOf(heaps: number[]): Surface {
  let y = 0;
  const numbers: [string, number][] = [];
  const spots = heaps.flatMap((counters, heap) => {
    numbers.push([letter(heap), y + 0.5]);
    const row = Array.from({ length: counters }, (_, i): Spot => ({ name: letter(heap) + String(i + 1), at: -1, x: (i % longestRow) + 0.5, y: y + Math.floor(i / longestRow) + 0.5, holds: "o" }));
    y += Math.max(1, Math.ceil(counters / longestRow)) + 0.25;
    return row;
  });
  return { kind: "heaps", spots, width: longestRow, height: Math.max(y, 1), lines: [], marked: [], letters: [], numbers };
}

/** rowsOfSpots groups the places by height, for the arrow keys. */
export function rowsOfSpots({ spots }: Surface): number[][] {
  const rows = new Map<number, number[]>();
  spots.forEach(({ y }, i) => rows.set(y, [...(rows.get(y) ?? []), i]));
  const left = (i: number) => spots[i]?.x ?? 0;
  return [...rows].sort(([a], [b]) => a - b).map(([, row]) => row.sort((i, j) => left(i) - left(j)));
}
