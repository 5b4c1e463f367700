// All legal moves, the best first, grouped by symmetry.

import { valueLabel } from "./art.js";
import { h, rove } from "./dom.js";
import { isFree } from "./kinds.js";
import { t } from "./language.js";
import { Part, type Model } from "./model.js";
import { canClick } from "./signs.js";
import { shapeOf } from "./shape.js";
import { bySymmetry } from "./symmetry.js";
import type { Move } from "./types.js";
import { valueText } from "./words.js";

export class MoveRanking extends Part {
  /** The position that is shown, which may be ahead of the moves in the list. */
  private position = "";
  private list = h("div", { class: "ranking" });

  connectedCallback(): void {
    this.replaceChildren(h("h2", {}, t("ranking.title")), this.list);
    rove(this.list, () => [...this.list.querySelectorAll("button")], { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 });
  }

  update(model: Model): void {
    this.position = model.position;
    const untold = !isFree(model.game) && !!model.answer && model.answer.moves.length > 0 && model.answer.moves.every(({ outcome }) => outcome === "unknown"); // the board shows as much
    const mayHide = !model.values && (!isFree(model.game) || !model.answer || canClick(model));
    this.hidden = mayHide || untold || model.view.mode === "edit";
    if (!model.answer) return; // keep the old contents until there is an answer
    const groups = model.values ? groupByValue(model.answer.moves).map((moves) => this.group(moves, model)) : this.unvalued(model.answer.moves, model);
    if (model.answer.nimber !== undefined && groups.length > 0) groups.push(h("p", { class: "muted" }, t("ranking.nimbers")));
    if (groups.length === 0) groups.push(h("p", { class: "muted" }, t("ranking.over")));
    const focused = this.list.contains(document.activeElement);
    this.list.replaceChildren(...groups);
    const first = this.list.querySelector("button");
    if (first) first.tabIndex = 0;
    if (focused) first?.focus({ preventScroll: true });
  }

  /** unvalued lists the moves by name in a game in which values are not shown. */
  private unvalued(moves: Move[], model: Model): HTMLElement[] {
    const byName = [...moves].sort((a, b) => (a.move < b.move ? -1 : 1));
    return moves.length === 0 ? [] : [h("div", { class: "chips" }, ...byName.map((move) => this.chip(move, model)))];
  }

  private group(moves: Move[], model: Model): HTMLElement {
    const [first] = moves;
    const { symmetries } = model.game;
    const same = symmetries ? bySymmetry(moves, symmetries, shapeOf(model.board.size)) : moves.map((move) => [move]);
    const count = t("ranking.moves", { n: moves.length }) + (same.length < moves.length ? t("ranking.symmetry", { n: same.length }) : "");
    const head = first && h("div", { class: "group-head" }, valueLabel(first), h("span", { class: "muted" }, count));
    const told = first?.outcome !== "unknown" || isFree(model.game); // else the board says as much
    return h("div", { class: "group", role: "group", "aria-label": first ? valueText(first) : "" }, head,
      told && h("div", { class: "chips" }, ...same.map((alike) => this.cluster(alike, model))));
  }

  /** cluster is a group of moves that lead to the same position up to symmetry. */
  private cluster(alike: Move[], model: Model): HTMLElement {
    const chips = alike.map((move) => this.chip(move, model));
    return h("div", { class: alike.length > 1 ? "cluster alike" : "cluster" }, ...chips);
  }

  private chip(m: Move, model: Model): HTMLElement {
    const nimber = m.nimber === undefined ? [] : [t("nimber", { n: m.nimber })];
    return h("button", {
      type: "button", class: "chip", tabindex: -1, disabled: !model.yourTurn, "data-nimber": model.values ? m.nimber : undefined, "aria-label": [m.move, ...(model.values ? [valueText(m), ...nimber] : [])].join(", "),
      click: () => {
        if (this.position === model.position) this.actions.play([m.move]);
      },
      mouseenter: () => this.actions.preview(m.move), mouseleave: () => this.actions.preview(null),
      focus: () => this.actions.preview(m.move), blur: () => this.actions.preview(null),
    }, m.move);
  }
}

/** groupByValue cuts the list where the value changes. */
function groupByValue(moves: Move[]): Move[][] {
  const groups: Move[][] = [];
  for (const move of moves) {
    const last = groups.at(-1)?.[0];
    if (last && last.outcome === move.outcome && last.steps === move.steps && last.score === move.score) groups.at(-1)?.push(move);
    else groups.push([move]);
  }
  return groups;
}
