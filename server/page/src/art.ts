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

/** shapes tell the outcomes apart without colours: a win is round, a draw square, a loss points down. */
const shapes = {
  win: "M50 4A46 46 0 1 1 50 96 46 46 0 1 1 50 4Z",
  draw: "M20 9H80A11 11 0 0 1 91 20V80A11 11 0 0 1 80 91H20A11 11 0 0 1 9 80V20A11 11 0 0 1 20 9Z",
  lose: "M14 7H86A9 9 0 0 1 95 16V56L55 95A7 7 0 0 1 45 95L5 56V16A9 9 0 0 1 14 7Z",
};

/** badge shows a value in a square of the given width with its centre at x, y: its outcome as a shape, a colour and a
 * letter, and its steps where it has any. */
export function badge(value: Value, x: number, y: number, width: number): SVGElement {
  const scale = width / 100;
  const text = (content: string, at: number, size: number) =>
    s("text", { x: 50, y: at, "font-size": size, "text-anchor": "middle" }, content);
  const high = value.outcome === "lose" ? 6 : 0;
  const texts =
    value.steps === null
      ? [text(letter(value.outcome), 68 - high, 52)]
      : [text(letter(value.outcome), 46 - high, 36), text(String(value.steps), 81 - high, 36)];
  const at = `translate(${x - width / 2} ${y - width / 2}) scale(${scale})`;
  return s("g", { class: `badge ${value.outcome}`, transform: at }, s("path", { d: shapes[value.outcome] }), ...texts);
}

/** badgeIcon is a badge of its own, before a text that says the same. */
export function badgeIcon(value: Value): SVGElement {
  return s("svg", { class: "badge-icon", viewBox: "0 0 100 100", "aria-hidden": "true" }, badge(value, 50, 50, 100));
}

/** valueLabel is a value in words after the badge of its outcome, which is too small for a number. */
export function valueLabel(value: Value): HTMLElement {
  return h("span", { class: `value ${value.outcome}` }, badgeIcon({ ...value, steps: null }), valueText(value));
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

/** miniature draws a whole board in little; the marks are those of the position's cells. */
export function miniature(cells: Mark[], n: number): SVGElement {
  const tiles = cells.map((mark, i) =>
    s("g", { transform: `translate(${(i % n) * 100} ${Math.floor(i / n) * 100})` }, ...tile(mark)),
  );
  return s("svg", { class: "miniature", viewBox: `0 0 ${n * 100} ${n * 100}`, "aria-hidden": "true" }, ...tiles);
}
