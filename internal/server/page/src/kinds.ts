// The kinds of boards: parsing and writing the text of their positions.

import { t } from "./language.js";
import { format, parse, PositionError, sideAt, type Mark, type Position } from "./position.js";
import { hasSides } from "./games.js";
import { shapeOf, sidesOf } from "./shape.js";
import type { BoardKind, BoardSize, GameInfo } from "./types.js";

/** The most counters of a heap. */
export const mostCounters = 15;

/** kindOf is the kind of a game's boards. */
export function kindOf(game: GameInfo): BoardKind {
  return game.board ?? "grid";
}

/** read reads the text of a position of a game on the board of a size. It throws a PositionError. */
export function read(text: string, size: BoardSize, game: GameInfo): Position {
  const n = Number(size);
  switch (kindOf(game)) {
    case "grid":
      return parse(text, shapeOf(size), hasSides(game));
    case "nine":
      return readNine(text, size);
    case "boards":
      return readBoards(text, sidesOf(size));
    case "heaps":
      return readHeaps(text, n);
    case "row":
      return readFiles(text, n);
    case "rows":
    case "text":
      return readFree(text, game);
  }
}

/** write returns the text that read reads. */
export function write(p: Position, kind: BoardKind): string {
  switch (kind) {
    case "grid":
      return format(p);
    case "nine":
      return `${format(p)} ${p.board ?? "-"}`;
    case "boards":
      return boardsOf(p).map(format).join("+");
    case "heaps":
      return (p.heaps ?? []).join("/") + (p.side === "o" ? " o" : "");
    case "row":
      return p.cells.map((_, file) => fileAt(p, file)).join("");
    case "rows":
    case "text":
      return p.text ?? "";
  }
}

/** isFree says whether only the game itself can read positions and moves. The page then lists the moves; those named by
 * cells can also be made on the board. */
export function isFree(game: GameInfo): boolean {
  return kindOf(game) === "rows" || kindOf(game) === "text";
}

/** readFree takes any text as a position; the server refuses invalid ones. */
function readFree(text: string, game: GameInfo): Position {
  const side = text.trimEnd().endsWith(" o") ? "o" : "x";
  const p: Position = { cells: [], side: game.marks === 1 ? null : side, text: text.trim() };
  const [body = ""] = (p.text ?? "").split(/ /, 1);
  const [board = "", rest = ""] = body.split("+");
  const rows = board.split("/");
  if (game.layout?.board.heaps) return { ...p, heaps: rows.map(Number), pieces: [] };
  if (kindOf(game) === "text" && !game.layout) return p;
  const pieces = [...rows.join("")];
  const sideOf = (c: string) => game.layout?.pieces[c]?.[0];
  const whole = { ...p, rows, pieces, cells: pieces.map((c): Mark => (c === "X" || c === "O" ? c : ".")) };
  if (!body.includes("+") || [...rest].some((c) => sideOf(c) === undefined)) return whole;
  return { ...whole, held: [[...rest].filter((c) => sideOf(c) === 0), [...rest].filter((c) => sideOf(c) === 1)] };
}

/** boardsOf returns the position of each of several boards. */
export function boardsOf(p: Position): Position[] {
  let at = 0;
  return (p.sides ?? []).map((n) => ({ cells: p.cells.slice(at, (at += n * n)), shape: shapeOf(n), side: null }));
}

/** fileAt returns the character of a file: . where pawns face each other, X where a move was made, - next to such a file. */
export function fileAt(p: Position, file: number): "." | "X" | "-" {
  if (p.cells[file] === "X") return "X";
  return p.cells[file - 1] === "X" || p.cells[file + 1] === "X" ? "-" : ".";
}

function readNine(text: string, size: BoardSize): Position {
  const grid = /^(\s*\S+\s+[xo])(\s+)(\S.*)$/s.exec(text.trimEnd());
  const [, cells, space = "", board = "-"] = grid ?? [];
  const p = parse(cells ?? text, shapeOf(size), true);
  if (!/^([a-c][1-3]|-)$/.test(board)) throw new PositionError([...(cells + space)].length + 1, t("position.board", { board }));
  return { ...p, board };
}

function readBoards(text: string, sides: number[]): Position {
  const cells: Mark[] = [];
  const parts = text.trimEnd().split("+");
  const wrong = (column: number) => new PositionError(column, t("position.boards", { n: sides.length }));
  let at = 0; // characters before the part
  parts.forEach((part, i) => {
    const side = sides[i];
    if (side === undefined) throw wrong(at);
    try {
      cells.push(...parse(part, shapeOf(side), false).cells);
    } catch (error) {
      if (!(error instanceof PositionError)) throw error;
      throw new PositionError(at + error.column, error.message);
    }
    at += [...part].length + 1;
  });
  if (parts.length < sides.length) throw wrong(at);
  return { cells, sides, side: null };
}

function readHeaps(text: string, n: number): Position {
  const chars = [...text];
  let at = text.length - text.trimStart().length;
  const heaps: number[] = [];
  for (let heap = 0; heap < n; heap++) {
    if (heap > 0 && chars[at++] !== "/") throw new PositionError(at, t("position.heaps", { n }));
    const begin = at;
    while (/^\d$/.test(chars[at] ?? "")) at++;
    const digits = chars.slice(begin, at).join("");
    if (digits === "" || Number(digits) > mostCounters) throw new PositionError(begin + 1, t("position.heap", { n: mostCounters }));
    heaps.push(Number(digits));
  }
  const side = sideAt(chars, at);
  const rest = chars.findIndex((c, i) => i >= side.end && c.trim() !== "");
  if (rest >= 0) throw new PositionError(rest + 1, t("position.heaps", { n }));
  return { cells: [], side: side.side, heaps };
}

function readFiles(text: string, n: number): Position {
  const chars = [...text.trim()];
  const before = text.length - text.trimStart().length;
  const wrong = (file: number) => new PositionError(before + file + 1, t("position.files", { n }));
  const p: Position = { cells: chars.map((c) => (c === "X" ? "X" : ".")), side: null };
  const bad = chars.findIndex((c, file) => file >= n || c !== fileAt(p, file) || (c === "X" && p.cells[file - 1] === "X"));
  if (bad >= 0) throw wrong(bad);
  if (chars.length < n) throw wrong(chars.length);
  return p;
}
