// The only move, where that names no cell: the pass.

import { h } from "./dom.js";
import { word } from "./games.js";
import { t } from "./language.js";
import { Part, type Model } from "./model.js";
import { passes } from "./position.js";
import { canClick } from "./signs.js";
import { capital } from "./words.js";

export class PassOffer extends Part {
  private move = passes;
  private readonly button = h("button", { type: "button", class: "primary", click: () => this.actions.play([this.move]) });

  connectedCallback(): void {
    this.replaceChildren(h("p", {}, t("pass.only")), h("div", { class: "buttons" }, this.button));
  }

  update(model: Model): void {
    const { answer, game, view, yourTurn } = model;
    const [only, another] = answer?.moves ?? [];
    this.hidden = !yourTurn || view.mode === "edit" || !only || !!another || canClick(model);
    this.move = only?.move ?? passes;
    this.button.textContent = this.move === passes ? t("pass.button") : capital(word(this.move, game));
  }
}
