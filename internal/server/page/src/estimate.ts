// Where no exact value is known: an estimate by random playouts, drawn so that nobody takes it for an exact value.

import { h } from "./dom.js";
import { playerName } from "./games.js";
import { t } from "./language.js";
import { Part, toMove, type Model } from "./model.js";
import { capital } from "./words.js";

export class PositionEstimate extends Part {
  private asked = "";

  update({ answer, ...model }: Model): void {
    if (!answer) return; // keep the old contents until there is an answer
    const wanted = answer.outcome === "unknown" && model.values && !model.result && model.view.mode !== "edit";
    const key = wanted ? [model.board.game, model.board.size, model.position].join("|") : "";
    if (key === this.asked) return;
    this.asked = key;
    this.hidden = !wanted;
    this.replaceChildren(); // its height is there before it is
    if (wanted) void this.ask(key, { answer, ...model });
  }

  private async ask(key: string, model: Model): Promise<void> {
    const found = await this.actions.api.estimate(model.board, model.position).catch(() => null); // a busy server has none
    if (key !== this.asked) return;
    this.hidden = !found;
    if (!found) return;
    const percent = (share: number) => Math.round(100 * share);
    const { low, mean, high } = found;
    const margin = Math.max(1, percent(Math.max(high - mean, mean - low)));
    const bar = h("div", { class: "estimate-bar", "aria-hidden": "true" }, h("i", {}));
    bar.style.setProperty("--low", `${100 * low}%`);
    bar.style.setProperty("--wide", `${100 * (high - low)}%`);
    this.replaceChildren(bar, h("p", { class: "muted" }, t("estimate.text", { player: capital(playerName(toMove(model), model.game)), mean: percent(mean), margin, n: found.visits })));
  }
}
