// After a repetition in a game: the offer to end it as a draw.

import { h } from "./dom.js";
import { t } from "./language.js";
import { Part, type Model } from "./model.js";

export class DrawOffer extends Part {
  private readonly text = h("p", {});
  private readonly end = h("button", { type: "button", class: "primary", click: () => this.actions.go({ ended: true }) }, t("offer.end"));

  connectedCallback(): void {
    this.replaceChildren(this.text, h("div", { class: "buttons" }, this.end));
  }

  update({ answer, repetition, result, view }: Model): void {
    if (!answer && repetition === null && view.mode === "play") return; // keep the old contents until there is an answer
    this.hidden = repetition === null || result !== null || view.at !== view.moves.length;
    if (repetition) this.text.textContent = offerText(repetition);
  }
}

/** offerText tells of a position that has come back. */
export function offerText({ first, again, drawn }: NonNullable<Model["repetition"]>): string {
  return `${first === 0 ? t("offer.start", { again }) : t("offer.again", { first, again })} ${drawn ? t("offer.drawn") : t("offer.open")}`;
}
