// Marks and values as SVG, in a square of 100 by 100.

import { h, s } from "./dom.js";
import type { Mark } from "./position.js";
import type { Value } from "./types.js";
import { letter, valueText } from "./words.js";

/** tile returns a tile with its mark. */
export function tile(mark: Mark): SVGElement[] {
  const base = s("rect", { class: "tile-base", x: 2, y: 2, width: 96, height: 96, rx: 13 });
  if (mark === "X") return [base, s("path", { class: "mark mark-x", d: "M29 29 71 71M71 29 29 71" })];
  if (mark === "O") return [base, s("circle", { class: "mark mark-o", cx: 50, cy: 50, r: 24 })];
  return [base];
}

/** disc returns a cell with a disc of the player whose mark is there, dark for the first one. */
export function disc(mark: Mark): SVGElement[] {
  const base = s("rect", { class: "tile-base", x: 2, y: 2, width: 96, height: 96, rx: 13 });
  return mark === "." ? [base] : [base, s("circle", { class: mark === "X" ? "disc dark" : "disc light", cx: 50, cy: 50, r: 36 })];
}

/** spot marks an empty cell where a disc may be placed. */
export function spot(radius = 9): SVGElement {
  return s("circle", { class: "spot", cx: 50, cy: 50, r: radius });
}

/** fullMark is a mark over a whole board that its player has won. */
export function fullMark(mark: "X" | "O"): SVGElement {
  if (mark === "X") return s("path", { class: "mark mark-x", d: "M18 18 82 82M82 18 18 82" });
  return s("circle", { class: "mark mark-o", cx: 50, cy: 50, r: 34 });
}

/** strike goes through a board that is dead. */
export function strike(): SVGElement {
  return s("path", { class: "dead", d: "M8 92 92 8" });
}

/** counter returns a counter of a heap, or its place where it was taken away. */
export function counter(left: boolean): SVGElement[] {
  return left ? [s("circle", { class: "tile-base counter", cx: 50, cy: 50, r: 44 })] : [s("circle", { class: "gone", cx: 50, cy: 50, r: 7 })];
}

/** file returns a file of three cells, 100 by 300: with two pawns that face each other, two that block each other, or none. */
export function file(state: "." | "X" | "-"): SVGElement[] {
  const base = [
    s("rect", { class: state === "-" ? "tile-base away" : "tile-base", x: 2, y: 2, width: 96, height: 296, rx: 13 }),
    s("path", { class: "ranks", d: "M2 100H98M2 200H98" }),
  ];
  if (state === "-") return base;
  return [...base, pawn("light", 0), pawn("dark", state === "X" ? 100 : 200)];
}

/** pawn draws a pawn in the cell that begins at a height. */
function pawn(shade: "light" | "dark", top: number): SVGElement {
  return s("path", {
    class: `pawn ${shade}`, transform: `translate(0 ${top})`,
    d: "M50 18A15 15 0 0 1 60 44C61 56 66 62 71 68L76 82H24L29 68C34 62 39 56 40 44A15 15 0 0 1 50 18Z",
  });
}

/** seat stands for a player who has no mark: the first or the second one. */
export function seat(number: string): SVGElement[] {
  return [
    s("rect", { class: "tile-base", x: 2, y: 2, width: 96, height: 96, rx: 13 }),
    s("text", { class: "seat", x: 50, y: 70, "font-size": 56, "text-anchor": "middle" }, number),
  ];
}

/** shapes tell the outcomes apart without colours: a win is round, a draw square, a loss points down; what is not known is
 * small. */
const shapes = {
  win: "M50 4A46 46 0 1 1 50 96 46 46 0 1 1 50 4Z",
  draw: "M20 9H80A11 11 0 0 1 91 20V80A11 11 0 0 1 80 91H20A11 11 0 0 1 9 80V20A11 11 0 0 1 20 9Z",
  lose: "M14 7H86A9 9 0 0 1 95 16V56L55 95A7 7 0 0 1 45 95L5 56V16A9 9 0 0 1 14 7Z",
  unknown: "M50 14A36 36 0 1 1 50 86 36 36 0 1 1 50 14Z",
};

/** badge shows a value in a square of the given width with its centre at x, y: its outcome as a shape, a colour and a
 * letter, and its steps where it has any, or else its score. */
export function badge(value: Value, x: number, y: number, width: number): SVGElement {
  const scale = width / 100;
  const text = (content: string, at: number, size: number) =>
    s("text", { x: 50, y: at, "font-size": size, "text-anchor": "middle" }, content);
  const high = value.outcome === "lose" ? 6 : 0;
  const number = value.steps ?? (value.score ? Math.abs(value.score) : null);
  const texts =
    number === null
      ? [text(letter(value.outcome), 68 - high, 52)]
      : [text(letter(value.outcome), 46 - high, 36), text(String(number), 81 - high, 36)];
  const at = `translate(${x - width / 2} ${y - width / 2}) scale(${scale})`;
  return s("g", { class: `badge ${value.outcome}`, transform: at }, s("path", { d: shapes[value.outcome] }), ...texts);
}

/** badgeIcon is a badge of its own, before a text that says the same. */
export function badgeIcon(value: Value): SVGElement {
  return s("svg", { class: "badge-icon", viewBox: "0 0 100 100", "aria-hidden": "true" }, badge(value, 50, 50, 100));
}

/** valueLabel is a value in words after the badge of its outcome, which is too small for a number. */
export function valueLabel(value: Value): HTMLElement {
  return h("span", { class: `value ${value.outcome}` }, badgeIcon({ outcome: value.outcome, steps: null }), valueText(value));
}

const icons = {
  first: "M18 5 9 12l9 7zM6 5v14",
  back: "M16 5 7 12l9 7z",
  forward: "M8 5l9 7-9 7z",
  last: "M6 5l9 7-9 7zM18 5v14",
};

/** icon is a drawing for a button. */
export function icon(name: keyof typeof icons): SVGElement {
  return s("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: icons[name] }));
}
