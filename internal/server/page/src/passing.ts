// The pass, a move without a cell.

import { h } from "./dom.js";
import { t } from "./language.js";
import { Part, type Model } from "./model.js";
import { passes } from "./position.js";

export class PassOffer extends Part {
  private readonly button = h("button", { type: "button", class: "primary", click: () => this.actions.play([passes]) }, t("pass.button"));

  connectedCallback(): void {
    this.replaceChildren(h("p", {}, t("pass.only")), h("div", { class: "buttons" }, this.button));
  }

  update({ answer, view, yourTurn }: Model): void {
    this.hidden = !yourTurn || view.mode === "edit" || !answer?.moves.some(({ move }) => move === passes);
  }
}
