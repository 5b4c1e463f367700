// The legend under the board, for the signs that it shows now.

import { badgeIcon, counter, fullMark, spot, strike, tile } from "./art.js";
import { h, s } from "./dom.js";
import { pushes } from "./games.js";
import { kindOf } from "./kinds.js";
import { t, type Key } from "./language.js";
import type { Model } from "./model.js";
import type { Drawn, Fate, Trait } from "./traits.js";
import type { BoardKind, Value } from "./types.js";
import { outcomeName, outcomes } from "./words.js";

/** Meaning is a sign of cells or boards with what it means. */
export type Meaning = [sign: Trait | Fate, text: Key];

export class BoardLegend extends HTMLElement {
  private shown = "";

  /** explain describes the signs on the board. */
  explain(model: Model, drawn: Drawn): void {
    if (!model.answer && this.shown) return; // keep the old contents until there is an answer
    const kind = kindOf(model.game);
    const signs = meanings(model, drawn).map(([sign, text]) => item(sample(sign, kind), t(text)));
    const items = [...legendOfValues(valuesOf(drawn)), ...signs];
    const now = items.map((item) => item.outerHTML).join();
    if (now === this.shown) return;
    this.shown = now;
    this.replaceChildren(...items);
  }
}

/** valuesOf returns the values shown on the board. */
function valuesOf({ cells }: Drawn): Value[] {
  return cells.flatMap(({ value }) => (value ? [value] : []));
}

/** legendOfValues explains their outcomes, and what their numbers count. */
function legendOfValues(values: Value[]): HTMLElement[] {
  const present = outcomes.filter((outcome) => values.some((value) => value.outcome === outcome));
  const signs = present.map((outcome) => item(badgeIcon({ outcome, steps: null }), outcomeName(outcome)));
  if (values.some((value) => value.steps !== null)) return [...signs, h("span", {}, t("legend.steps"))];
  return values.some((value) => value.score) ? [...signs, h("span", {}, t("legend.score"))] : signs;
}

/** meanings returns the signs on the board other than values. When values or possible moves of tiles are shown there is no room
 * to say which move was last; the arrow shows it. */
export function meanings(model: Model, drawn: Drawn): Meaning[] {
  const { cells, boards } = drawn;
  const push = pushes(model.game);
  const has = (trait: Trait) => cells.some(({ traits }) => traits[trait]);
  const are = (fate: Fate) => boards.some(({ fates }) => fates[fate]);
  const last = cells.some(({ traits }) => traits.last && !traits.complete);
  const crowded = valuesOf(drawn).length > 0 && (has("target") || has("takeable"));
  const all: [boolean, ...Meaning][] = [
    [has("complete"), "complete", "legend.complete"],
    [has("target"), "target", push ? "legend.target" : "cell.moveHere"],
    [has("takeable") && !onPoints(model), "takeable", "legend.takeable"],
    [has("place"), "place", "legend.place"],
    [has("hint-take"), "hint-take", "legend.take"],
    [has("hint-put"), "hint-put", has("hint-take") && push ? "legend.put" : "legend.hint"],
    [are("next"), "next", "legend.next"],
    [are("by-x"), "by-x", "legend.won"],
    [are("by-o"), "by-o", "legend.won"],
    [are("dead"), "dead", "legend.dead"],
    [last && !crowded, "last", "legend.last"],
  ];
  return all.flatMap(([on, ...meaning]) => (on ? [meaning] : []));
}

/** onPoints says whether pieces stand on points, so that no tile can be raised. */
function onPoints({ game }: Model): boolean {
  return !!game.layout && (!!game.layout.board.points || !!game.layout.board.heaps);
}

/** sample shows a sign as it is on the board. */
function sample(sign: Trait | Fate, kind: BoardKind): SVGElement {
  const over = samples[sign];
  const gone = kind === "heaps" && sign === "last"; // where counters were taken is a small ring
  const drawing = over ? [...tile("."), over()] : kind === "heaps" ? counter(!gone) : tile(".");
  return s("svg", { class: `sample ${sign}`, viewBox: gone ? "35 35 30 30" : "0 0 100 100", "aria-hidden": "true" }, ...drawing);
}

/** samples are drawn on a tile; other signs colour its edges. */
const samples: Partial<Record<Trait | Fate, () => SVGElement>> = {
  place: () => spot(20),
  "by-x": () => fullMark("X"),
  "by-o": () => fullMark("O"),
  dead: strike,
};

function item(sign: SVGElement, text: string): HTMLElement {
  return h("span", { class: "legend-item" }, sign, text);
}
