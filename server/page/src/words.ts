// Values and numbers in plain words.

import type { Outcome, Value } from "./types.js";

export const outcomes: readonly Outcome[] = ["win", "draw", "lose"];

/** letter stands for an outcome where there is little room. */
export function letter(outcome: Outcome): string {
  return { win: "W", draw: "D", lose: "L" }[outcome];
}

/** valueText is a value in words: win in 21, draw, lose. */
export function valueText(value: Value): string {
  return value.steps === null ? value.outcome : `${value.outcome} in ${value.steps}`;
}

/** capital makes the first letter of a sentence or a name a capital one. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** plural counts things: 1 ply, 2 plies. */
export function plural(count: number, one: string, many: string): string {
  return `${number(count)} ${count === 1 ? one : many}`;
}

const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

/** number writes a count with its thousands apart. */
export function number(count: number): string {
  return whole.format(count);
}

/** compact writes a large count in few characters: 43M. */
export function compact(count: number): string {
  return short.format(count);
}

/** bytes writes a size in binary units. */
export function bytes(count: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const unit = count < 1024 ? 0 : Math.min(4, Math.floor(Math.log2(count) / 10));
  return `${unit === 0 ? count : (count / 1024 ** unit).toPrecision(3)} ${units[unit]}`;
}

/** percent writes a part of a whole. */
export function percent(part: number, of: number): string {
  if (part === 0) return "0 %";
  const share = (100 * part) / of;
  return share > 0 && share < 0.1 ? "< 0.1 %" : `${share.toFixed(1)} %`;
}
