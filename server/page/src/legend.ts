// A line under the board that says what its signs mean, those that are on it now.

import { badgeIcon, tile } from "./art.js";
import { h, s } from "./dom.js";
import { pushes } from "./games.js";
import { t } from "./language.js";
import { Part, type Model } from "./model.js";
import { outcomeName, outcomes } from "./words.js";

export class BoardLegend extends Part {
  private shown = "";

  update(model: Model): void {
    if (!model.answer && this.shown) return; // what stood there stays until there is an answer
    const items = model.view.mode === "edit" ? [] : [...values(model), ...tiles(model)];
    const now = items.map((item) => item.outerHTML).join();
    if (now === this.shown) return;
    this.shown = now;
    this.replaceChildren(...items);
  }
}

/** values are the outcomes of the moves on the board. */
function values({ answer, values: visible, view }: Model): HTMLElement[] {
  if (!answer || !visible || view.ended || answer.moves.length === 0) return [];
  const present = outcomes.filter((o) => answer.moves.some((m) => m.outcome === o));
  const signs = present.map((o) => item(badgeIcon({ outcome: o, steps: null }), outcomeName(o)));
  if (answer.moves.some((m) => m.steps !== null)) return [...signs, h("span", {}, t("legend.steps"))];
  return answer.moves.some((m) => m.score) ? [...signs, h("span", {}, t("legend.score"))] : signs;
}

/** tiles are what the edges of tiles mean; where much is shown, that of the last move is left out. */
function tiles({ hint, game, result, values: visible, yourTurn, view }: Model): HTMLElement[] {
  const last = view.at > 0 && !result ? [sample("last", t("legend.last"))] : [];
  if (result) return result.lines.length > 0 ? [sample("complete", t("legend.complete"))] : [];
  if (hint && pushes(game)) return [sample("hint-take", t("legend.take")), sample("hint-put", t("legend.put"))];
  if (hint) return [sample("hint-put", t("legend.hint"))];
  return yourTurn && pushes(game) ? [sample("takeable", t("legend.takeable")), ...(visible ? [] : last)] : last;
}

/** sample is a tile with a trait of the board's cells. */
function sample(trait: string, text: string): HTMLElement {
  return item(s("svg", { class: `sample ${trait}`, viewBox: "0 0 100 100", "aria-hidden": "true" }, ...tile(".")), text);
}

function item(sign: SVGElement, text: string): HTMLElement {
  return h("span", { class: "legend-item" }, sign, text);
}
