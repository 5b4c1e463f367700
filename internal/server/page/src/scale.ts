// The vertical scale of a chart: counts from the foot (0) to the top (1), and the grid lines.

import { compact } from "./words.js";

export type ScaleKind = "linear" | "log" | "share";

export interface Scale {
  at(count: number): number;
  ticks: { at: number; label: string }[];
}

/** scale returns the scale for counts up to most. share shows parts of a whole, which is most; log begins a
 * little below 1, so that a single state can be seen. */
export function scale(kind: ScaleKind, most: number): Scale {
  if (kind === "share") return { at: (part) => part, ticks: [0, 0.25, 0.5, 0.75, 1].map((at) => ({ at, label: `${100 * at} %` })) };
  return kind === "log" ? logScale(most) : linearScale(most);
}

function linearScale(most: number): Scale {
  const step = niceStep(Math.max(most, 1) / 4);
  const top = Math.ceil(Math.max(most, 1) / step) * step;
  const ticks: Scale["ticks"] = [];
  for (let i = 0; i * step <= top * (1 + 1e-9); i++) ticks.push({ at: (i * step) / top, label: compact(i * step) });
  return { at: (count) => count / top, ticks };
}

/** niceStep returns the least of 1, 2, 5, 10, 20, … that is at least a number. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return ([1, 2, 5, 10].find((digit) => digit * power >= least) ?? 10) * power;
}

function logScale(most: number): Scale {
  const foot = -0.3;
  const digits = Math.max(1, Math.ceil(Math.log10(Math.max(most, 1))));
  const at = (count: number) => (count < 1 ? 0 : (Math.log10(count) - foot) / (digits - foot));
  const every = Math.ceil(digits / 5);
  const ticks: Scale["ticks"] = [];
  for (let digit = 0; digit <= digits; digit += every) ticks.push({ at: at(10 ** digit), label: compact(10 ** digit) });
  return { at, ticks };
}
