// The main line: best move after best move.

import { h } from "./dom.js";
import { t } from "./language.js";
import { Part, type Model } from "./model.js";
import type { Line } from "./types.js";

export class MainLine extends Part {
  private readonly summary = h("p", { class: "muted" });
  private readonly list = h("ol", { class: "chips plies", "aria-label": t("mainline.title") });
  private readonly follow = h("button", { type: "button", click: () => this.playTo(1) }, t("mainline.next"));
  private readonly details = h("details", { toggle: () => void this.load() },
    h("summary", {}, h("h2", {}, t("mainline.title"))), this.summary, this.list, this.follow);
  private model: Model | null = null;
  private line: Line | null = null;
  /** What was asked about last. */
  private asked = "";

  connectedCallback(): void {
    this.replaceChildren(this.details);
  }

  update(model: Model): void {
    this.model = model;
    this.hidden = !model.values || model.view.mode === "edit" || model.answer?.outcome === "unknown";
    if (model.answer) void this.load();
  }

  /** load asks for the line of the position that is shown, while the list is open. */
  private async load(): Promise<void> {
    const model = this.model;
    if (!model || !this.details.open || this.hidden) return;
    const asked = question(model);
    if (asked === this.asked) return;
    this.asked = asked;
    this.line = null;
    try {
      const { line } = await this.actions.api.line(model.board, model.position);
      if (asked === this.asked) this.show(line, model.view.at);
    } catch (error) {
      this.asked = "";
      this.actions.fail(error, () => void this.load());
    }
  }

  private show(line: Line, played: number): void {
    this.line = line;
    this.summary.textContent = ending(line);
    this.follow.disabled = line.plies.length === 0;
    this.list.replaceChildren(
      ...line.plies.map((ply, i) => {
        const again = line.repeats !== null && line.repeats === i + 1;
        const button = h("button", {
          type: "button", class: again ? "chip again" : "chip", title: t("mainline.upTo", { move: ply.move }),
          click: () => this.playTo(i + 1),
          mouseenter: () => this.actions.preview(i === 0 ? ply.move : null), mouseleave: () => this.actions.preview(null),
        }, h("span", { class: "ply-number" }, `${played + i + 1}.`), ply.move, again && h("span", { class: "hidden" }, `, ${t("mainline.again")}`));
        return h("li", {}, button);
      }),
    );
  }

  /** playTo plays the beginning of the line, unless that is still the one of the position before. */
  private playTo(count: number): void {
    if (this.model && this.line && this.asked === question(this.model)) this.actions.play(this.line.plies.slice(0, count).map((ply) => ply.move));
  }
}

/** question is what tells the line that belongs to a model from others. */
function question(model: Model): string {
  return JSON.stringify([model.board, model.position]);
}

/** ending says how a line ends. */
function ending(line: Line): string {
  const n = line.plies.length;
  if (line.repeats !== null) return line.repeats === 0 ? t("mainline.repeatsStart", { n }) : t("mainline.repeats", { n, ply: line.repeats });
  if (line.truncated) return t("mainline.truncated", { n });
  return n === 0 ? t("ending.over") : t("mainline.over", { n });
}
