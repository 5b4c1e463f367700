// Arrows over the board for moves that take a tile and push it back in.

import { s } from "./dom.js";

/** ArrowKind is what an arrow shows: the last move, the move under the pointer, or a hint. */
export type ArrowKind = "last" | "preview" | "hint";

export interface Point {
  x: number;
  y: number;
}

/** arrow draws an arrow from one point to another, in a square of 100 for each cell. It bends towards the middle of the board, so
 * that it differs from the path of the tiles that move up. */
export function arrow(a: Point, b: Point, middle: Point, kind: ArrowKind): SVGElement {
  const control = bent(a, b, middle);
  const end = nearer(b, control, 26);
  const start = nearer(a, control, 20);
  return s("g", { class: `arrow ${kind}` },
    s("circle", { cx: start.x, cy: start.y, r: 9 }),
    s("path", { class: "shaft", d: `M${start.x} ${start.y}Q${control.x} ${control.y} ${end.x} ${end.y}` }),
    s("path", { class: "head", d: head(control, end) }));
}

/** bent is the control point of a curve from a to b, on the side of the board's middle. */
function bent(a: Point, b: Point, middle: Point): Point {
  const mid = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  const across = { x: -(b.y - a.y), y: b.x - a.x };
  const inside = across.x * (middle.x - mid.x) + across.y * (middle.y - mid.y) >= 0 ? 1 : -1;
  const swing = 0.25 * inside;
  return { x: mid.x + swing * across.x, y: mid.y + swing * across.y };
}

/** nearer is the point at a distance from one point on the way to another. */
function nearer(from: Point, to: Point, distance: number): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  return { x: from.x + ((to.x - from.x) * distance) / length, y: from.y + ((to.y - from.y) * distance) / length };
}

/** head is the tip of an arrow that comes from a point and ends at another. */
function head(from: Point, end: Point): string {
  const angle = Math.atan2(end.y - from.y, end.x - from.x);
  const corner = (turn: number, size: number) => `${end.x + size * Math.cos(angle + turn)} ${end.y + size * Math.sin(angle + turn)}`;
  return `M${corner(0, 16)}L${corner(2.35, 24)}L${corner(-2.35, 24)}Z`;
}
