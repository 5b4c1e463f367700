// Values and numbers in words of the page's language.

import { language, t } from "./language.js";
import type { Outcome, Value, Worth } from "./types.js";

export const outcomes: readonly Outcome[] = ["win", "draw", "lose"];

/** outcomeName is the word for an outcome. */
export function outcomeName(outcome: Worth): string {
  return t(`outcome.${outcome}`);
}

/** letter stands for an outcome where there is little room. */
export function letter(outcome: Worth): string {
  return t(`letter.${outcome}`);
}

/** valueText is a value in words: win in 21, win by 4, draw, lose. */
export function valueText({ outcome, score, steps }: Value): string {
  if (outcome === "draw" || outcome === "unknown") return outcomeName(outcome);
  if (steps !== null) return t(`value.${outcome}`, { n: steps });
  return score ? t(`value.by.${outcome}`, { n: Math.abs(score) }) : outcomeName(outcome);
}

/** capital makes the first letter of a sentence or a name a capital one. */
export function capital(text: string): string {
  return text.charAt(0).toLocaleUpperCase(language) + text.slice(1);
}

const short = new Intl.NumberFormat(language, { notation: "compact", maximumSignificantDigits: 3 });
const three = new Intl.NumberFormat(language, { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });
const tenths = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** compact writes a large count in few characters: 43M. */
export function compact(count: number): string {
  return short.format(count);
}

/** bytes writes a size in binary units. */
export function bytes(count: number): string {
  const units = ["KiB", "MiB", "GiB", "TiB"];
  if (count < 1024) return t("bytes", { n: count });
  const power = Math.min(units.length, Math.floor(Math.log2(count) / 10));
  return `${three.format(count / 1024 ** power)} ${units[power - 1]}`;
}

/** percent writes a part of a whole. */
export function percent(part: number, of: number): string {
  if (part === 0) return "0 %";
  const share = (100 * part) / of;
  return share > 0 && share < 0.1 ? `< ${tenths.format(0.1)} %` : `${tenths.format(share)} %`;
}

/** duration is a time in its largest unit. */
export function duration(seconds: number): string {
  const [unit, size] = seconds >= 5400 ? ["hour", 3600] : seconds >= 90 ? ["minute", 60] : ["second", 1];
  const style = { style: "unit", unit, unitDisplay: "long", maximumFractionDigits: 0 } as const;
  return new Intl.NumberFormat(language, style).format(Math.max(1, Math.round(seconds / Number(size))));
}
