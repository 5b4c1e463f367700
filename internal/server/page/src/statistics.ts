// The statistics of a table: totals and charts of outcomes.

import { valueLabel } from "./art.js";
import { BarChart, type Bar } from "./chart.js";
import { h } from "./dom.js";
import { number, t } from "./language.js";
import type { Actions } from "./model.js";
import type { ScaleKind } from "./scale.js";
import type { ClassCounts, Longest, Outcome, StepsCount, Table } from "./types.js";
import type { Board } from "./view.js";
import { bytes, compact, outcomes, percent } from "./words.js";

/** ScaleChoice is a scale with its name. */
type ScaleChoice = [ScaleKind, string];

export class TableStatistics extends HTMLElement {
  actions!: Actions;
  /** The board and the table that are shown. */
  private asked = "";
  private shown = "";

  /** show asks for the table's counts and shows them. It throws what the API throws. */
  async show(board: Board): Promise<void> {
    const asked = JSON.stringify(board);
    if (this.asked !== asked) this.replaceChildren();
    const table = await this.actions.api.table(board);
    if (this.hasChildNodes() && table.identity === this.shown) return;
    this.shown = table.identity;
    this.asked = asked;
    this.replaceChildren(this.facts(table), totals(table));
    const share: ScaleChoice = ["share", t("scale.share")];
    const linear: ScaleChoice = ["linear", t("scale.linear")];
    const log: ScaleChoice = ["log", t("scale.log")];
    if (table.classes.length > 0) this.addChart(classBars(table.classes), t("statistics.byClass"), t("statistics.class"), [share, linear, log]);
    if (table.steps.length > 0) {
      this.addChart(stepsBars(table.steps), t("statistics.bySteps"), t("statistics.steps"), vanish(table.steps) ? [log, linear] : [linear, log]);
    } else {
      this.append(h("p", { class: "muted" }, t("statistics.noSteps")));
    }
  }

  private addChart(bars: Bar[], title: string, across: string, scales: ScaleChoice[]): void {
    const chart = document.createElement("bar-chart") as BarChart;
    this.append(h("section", { class: "card" }, chart));
    chart.show(bars, { title, across, scales });
  }

  private facts(table: Table): HTMLElement {
    const packed = table.packed_bytes > 0 ? `, ${t("fact.packed", { bytes: bytes(table.packed_bytes) })}` : "";
    return h("dl", { class: "facts card" },
      ...fact(t("fact.start"), valueLabel(table.start)),
      ...fact(t("fact.states"), number(table.total.states)),
      ...fact(t("fact.stored"), number(table.stored_states)),
      ...fact(t("fact.table"), bytes(table.bytes) + packed),
      ...fact(t("fact.win"), this.longest(table.longest_win, table.has_steps)),
      ...fact(t("fact.loss"), this.longest(table.longest_loss, table.has_steps)));
  }

  private longest(longest: Longest | null, hasSteps: boolean): Node {
    if (!longest) return h("span", {}, hasSteps ? t("fact.none") : t("fact.unknown"));
    const { position } = longest;
    const open = () => this.actions.go({ mode: "analyse", start: position, moves: [], at: 0 });
    return h("span", {}, `${t("fact.longest", { n: longest.steps, states: t("count.states", { n: longest.count }) })} `,
      h("button", { type: "button", class: "link", click: open }, t("fact.show")));
  }
}

function fact(name: string, value: Node | string): Node[] {
  return [h("div", {}, h("dt", {}, name), h("dd", {}, value))];
}

/** totals is a single bar of all states with a sentence for each outcome. */
function totals(table: Table): HTMLElement {
  const { states: all, wins, losses, draws, terminal_wins, terminal_losses } = table.total;
  const counts: Record<Outcome, number> = { win: wins, lose: losses, draw: draws };
  const parts = outcomes.filter((o) => counts[o] > 0);
  const bar = h("div", { class: "totals-bar", "aria-hidden": "true" }, ...parts.map((o) => segment(o, counts[o] / all)));
  const terminal: Record<Outcome, number> = { win: terminal_wins, lose: terminal_losses, draw: 0 };
  const items = parts.map((o) => {
    const over = terminal[o] > 0 ? `, ${t("totals.over", { count: compact(terminal[o]) })}` : "";
    return h("li", {}, valueLabel({ outcome: o, steps: null }), ` ${number(counts[o])} (${percent(counts[o], all)}${over})`);
  });
  return h("section", { class: "card" }, h("h2", {}, t("totals.title")), bar, h("ul", { class: "totals" }, ...items));
}

function segment(outcome: Outcome, share: number): HTMLElement {
  const part = h("span", { class: outcome });
  part.style.flexGrow = String(share);
  return part;
}

/** classBars orders the classes from the empty board on. */
function classBars(classes: ClassCounts[]): Bar[] {
  return [...classes]
    .sort((a, b) => a.class - b.class)
    .map((c) => ({ label: String(c.class), counts: { win: c.wins, draw: c.draws, lose: c.losses } }));
}

/** vanish says whether some bars would be less than a pixel high next to the highest one. */
function vanish(steps: StepsCount[]): boolean {
  const counts = steps.map(({ wins, losses }) => wins + losses).filter((count) => count > 0);
  return Math.min(...counts) * 200 < Math.max(...counts);
}

function stepsBars(steps: StepsCount[]): Bar[] {
  return steps.map((c) => ({ label: String(c.steps), counts: { win: c.wins, lose: c.losses } }));
}
