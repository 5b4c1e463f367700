// The moves that were played, and the buttons that step through them.

import { icon } from "./art.js";
import { h, rove } from "./dom.js";
import { Part, type Model } from "./model.js";

export class StepButtons extends Part {
  private at = 0;
  private length = 0;
  private readonly buttons = [
    this.button("first", "First position", () => 0),
    this.button("back", "One move back ([)", () => this.at - 1),
    this.button("forward", "One move forward (])", () => this.at + 1),
    this.button("last", "Last position", () => this.length),
  ];

  connectedCallback(): void {
    this.setAttribute("role", "group");
    this.setAttribute("aria-label", "Step through the moves");
    this.replaceChildren(...this.buttons);
  }

  update(model: Model): void {
    this.at = model.view.at;
    this.length = model.view.moves.length;
    // Not disabled, which would take the focus away from who steps to the end.
    this.buttons.forEach((b, i) => b.setAttribute("aria-disabled", String(i < 2 ? this.at === 0 : this.at === this.length)));
  }

  private button(name: Parameters<typeof icon>[0], label: string, to: () => number): HTMLButtonElement {
    return h("button", { type: "button", class: "icon-button", "aria-label": label, title: label, click: () => this.actions.step(to()) }, icon(name));
  }
}

export class MoveHistory extends Part {
  private list = h("ol", { class: "chips plies", "aria-label": "Moves that were played" });

  connectedCallback(): void {
    this.replaceChildren(h("h2", {}, "Played"), this.list);
    rove(this.list, () => this.buttons(), { ArrowLeft: -1, ArrowRight: 1, "[": -1, "]": 1 });
    this.list.addEventListener("focusin", (event) => {
      const to = this.buttons().indexOf(event.target as HTMLButtonElement);
      if (to >= 0 && (event.target as HTMLElement).getAttribute("aria-current") !== "step") this.actions.step(to);
    });
  }

  update(model: Model): void {
    this.hidden = model.view.mode === "edit";
    const { moves, at } = model.view;
    const focused = this.list.contains(document.activeElement);
    const start = model.view.start ? "set up" : "start";
    this.list.replaceChildren(...[start, ...moves].map((text, ply) => h("li", {}, this.ply(text, ply, at))));
    const current = this.buttons()[at];
    if (focused) current?.focus({ preventScroll: true });
    if (current) this.list.scrollTop = current.offsetTop - this.list.clientHeight / 2;
  }

  private buttons(): HTMLButtonElement[] {
    return [...this.list.querySelectorAll("button")];
  }

  private ply(text: string, ply: number, at: number): HTMLButtonElement {
    return h("button", {
      type: "button", class: ply === 0 ? "chip origin" : "chip", tabindex: ply === at ? 0 : -1, "aria-current": ply === at ? "step" : undefined,
      click: () => this.actions.step(ply),
    }, ply > 0 && h("span", { class: "ply-number" }, `${ply}.`), text);
  }
}
