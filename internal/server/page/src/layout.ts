// A game's description of its board, as passed on by the server. It is not trusted: what does not fit is left out.

import type { Layout } from "./types.js";

const cellName = /^[a-z][1-9]\d?$/;
const most = 700;

type Fields = Record<string, unknown>;

/** layoutOf returns the drawable parts of a game's description of its board, or undefined if there are none. */
export function layoutOf(said: unknown): Layout | undefined {
  if (!isFields(said) || !isFields(said["board"])) return undefined;
  const { board } = said;
  const shape: Layout["board"] = {
    holes: cells(board["holes"]), marked: cells(board["marked"]), drop: board["drop"] === true, heaps: typeof board["heaps"] === "number",
    lines: list(board["lines"]).map(cells),
  };
  const points = entries(board["points"]).filter((entry): entry is [string, [number, number]] => cellName.test(entry[0]) && isPoint(entry[1]));
  if (points.length > 0) shape.points = Object.fromEntries(points);
  const layout: Layout = { board: shape, pieces: {}, ends: texts(said["ends"]), texts: {} };
  const order = cells(said["order"]);
  if (order.length > 0) layout.order = order;
  const sides = list(said["sides"]).filter(isText);
  if (sides.length === 2) layout.sides = sides;
  for (const [character, piece] of entries(said["pieces"])) {
    const [side, form] = list(piece);
    if ([...character].length === 1 && typeof side === "number" && isText(form)) layout.pieces[character] = [side, form];
  }
  for (const [language, words] of entries(said["texts"])) layout.texts[language] = texts(words);
  if (isText(said["moves"])) layout.moves = said["moves"];
  return layout;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isPoint(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && value.every((n) => typeof n === "number" && Math.abs(n) <= 100);
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value.slice(0, most) : [];
}

function entries(value: unknown): [string, unknown][] {
  return isFields(value) ? Object.entries(value).slice(0, most) : [];
}

function cells(value: unknown): string[] {
  return list(value).filter(isText).filter((name) => cellName.test(name));
}

function texts(value: unknown): Record<string, string> {
  return Object.fromEntries(entries(value).filter((entry): entry is [string, string] => isText(entry[1])));
}
