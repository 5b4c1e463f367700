// Moves as the places that are clicked for them, one after the other.

import { namesOf } from "./surface.js";
import { splitMove, type Position } from "./position.js";
import type { GameInfo, Move } from "./types.js";

/** Path is a move with the places that are clicked for it, in order. */
export interface Path {
  move: Move;
  cells: string[];
}

/** pathsOf returns the clicks that make each move; a move that names no place has none. The moves come in the server's order,
 * the best first. read reads the position after a move. */
export function pathsOf(moves: Move[], p: Position, game: GameInfo, read: (text: string) => Position): Path[] {
  if (p.heaps && p.pieces) return moves.flatMap((move) => counterPaths(move, p.heaps ?? [], read(move.position).heaps ?? []));
  if (p.pieces) return moves.flatMap((move) => piecePaths(move, p, game));
  return moves.flatMap((move) => {
    const { from, to } = splitMove(move.move);
    return from === "" ? [] : [{ move, cells: from === to ? [from] : [from, to] }];
  });
}

/** piecePaths returns the paths of a move that names cells: where a piece is placed, or its start and destination, and then what it
 * takes. Two empty cells that are covered may be clicked in any order; a piece from the hand may be clicked first. */
function piecePaths(move: Move, p: Position, game: GameInfo): Path[] {
  const [cells = "", letter] = move.move.split("=");
  const names = namesOf(game.layout, p.rows ?? []);
  const found = cells.match(/[a-z]\d+/g) ?? [];
  if (found.length === 0 || found.join("") !== cells || found.some((name) => !names.includes(name))) return [];
  const isEmpty = (name: string | undefined) => p.pieces?.[names.indexOf(name ?? "")] === ".";
  const [first = "", second, ...rest] = found;
  if (letter !== undefined) return isEmpty(first) ? [{ move, cells: [`=${letter}`, first] }] : [{ move, cells: [...found, `=${letter}`] }];
  const all = [{ move, cells: found }];
  if (second && isEmpty(first) && isEmpty(second)) all.push({ move, cells: [second, first, ...rest] });
  const held = [...new Set(p.held?.[p.side === "o" ? 1 : 0])];
  if (!second && isEmpty(first) && held.length === 1) all.push({ move, cells: [`=${held[0]}`, first] });
  return all;
}

/** counterPaths returns the paths of a move that takes a run of counters out of a heap, or splits it: the first counter of the
 * run and the last one, or the one before which the heap splits. */
function counterPaths(move: Move, before: number[], after: number[]): Path[] {
  const rest = [...after];
  const changed = before.findIndex((heap) => {
    const i = rest.indexOf(heap);
    if (i >= 0) rest.splice(i, 1);
    return i < 0;
  });
  for (const heap of before.slice(changed + 1)) {
    const i = rest.indexOf(heap);
    if (i >= 0) rest.splice(i, 1);
  }
  const size = before[changed];
  if (changed < 0 || size === undefined) return [];
  const name = (i: number) => "abcdefghijklmnopqrstuvwxyz".charAt(changed) + String(i + 1);
  const left = rest.filter((heap) => heap > 0);
  const taken = size - left.reduce((sum, heap) => sum + heap, 0);
  if (left.length > 2 || taken < 0) return [];
  const begins = [...new Set([left[0] ?? 0, left[1] ?? 0])];
  return begins.flatMap((begin) => {
    if (taken === 0) return [{ move, cells: [name(begin)] }];
    const [from, to] = [name(begin), name(begin + taken - 1)];
    return from === to ? [{ move, cells: [from] }] : [{ move, cells: [from, to] }, { move, cells: [to, from] }];
  });
}

/** nextCells returns, for each place that can be clicked after others, the best of the moves that are still possible then. */
export function nextCells(paths: Path[], taken: string[]): Map<string, Move> {
  const best = new Map<string, Move>();
  for (const { move, cells } of paths) {
    const next = cells[taken.length];
    if (next !== undefined && begins(cells, taken) && !best.has(next)) best.set(next, move);
  }
  return best;
}

/** chosen returns the move that clicks have chosen: the one whose places they are, or the only one that is left. sure says that
 * one which is part of others is meant. */
export function chosen(paths: Path[], clicked: string[], sure: boolean): Move | undefined {
  const left = paths.filter(({ cells }) => begins(cells, clicked));
  const whole = left.find(({ cells }) => cells.length === clicked.length);
  return whole && (sure || left.every(({ move }) => move === whole.move)) ? whole.move : undefined;
}

/** isLong says whether a move still needs more than one click. */
export function isLong(paths: Path[], clicked: string[]): boolean {
  return paths.some(({ cells }) => cells.length > clicked.length && begins(cells, clicked));
}

function begins(cells: string[], taken: string[]): boolean {
  return taken.every((name, i) => cells[i] === name);
}
