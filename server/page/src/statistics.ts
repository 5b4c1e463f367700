// What a table holds: its totals, and the charts of its outcomes.

import { valueLabel } from "./art.js";
import { BarChart, type Bar } from "./chart.js";
import { h } from "./dom.js";
import type { Actions } from "./model.js";
import type { ClassCounts, Longest, Outcome, StepsCount, Table } from "./types.js";
import type { Board } from "./view.js";
import { bytes, compact, number, outcomes, percent, plural } from "./words.js";

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
    this.addChart(classBars(table.classes), "Outcomes by class", "marked cells", [["share", "share"], ["linear", "states"], ["log", "states, logarithmic"]]);
    if (table.steps.length > 0) {
      this.addChart(stepsBars(table.steps), "States by steps to the end", "steps", [["linear", "states"], ["log", "states, logarithmic"]]);
    } else {
      this.append(h("p", { class: "muted" }, "This table has no steps: it knows who wins, but not in how many plies."));
    }
  }

  private addChart(bars: Bar[], title: string, across: string, scales: Parameters<BarChart["show"]>[1]["scales"]): void {
    const chart = document.createElement("bar-chart") as BarChart;
    this.append(h("section", { class: "card" }, chart));
    chart.show(bars, { title, across, scales });
  }

  private facts(table: Table): HTMLElement {
    const packed = table.packed_bytes > 0 ? `, ${bytes(table.packed_bytes)} packed` : "";
    return h("dl", { class: "facts card" },
      ...fact("The start is a", valueLabel(table.start)),
      ...fact("States", number(table.total.states)),
      ...fact("Stored, one of all images", number(table.stored_states)),
      ...fact("Table", bytes(table.bytes) + packed),
      ...fact("Longest win", this.longest(table.longest_win, table.has_steps)),
      ...fact("Longest loss", this.longest(table.longest_loss, table.has_steps)));
  }

  private longest(longest: Longest | null, hasSteps: boolean): Node {
    if (!longest) return h("span", {}, hasSteps ? "none" : "not known without steps");
    const { position } = longest;
    const open = () => this.actions.go({ mode: "analyse", start: position, moves: [], at: 0 });
    return h("span", {}, `${plural(longest.steps, "step", "steps")}, in ${plural(longest.count, "state", "states")}; `,
      h("button", { type: "button", class: "link", click: open }, "show one"));
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
    const over = terminal[o] > 0 ? `, ${compact(terminal[o])} of them over` : "";
    return h("li", {}, valueLabel({ outcome: o, steps: null }), ` ${number(counts[o])} (${percent(counts[o], all)}${over})`);
  });
  return h("section", { class: "card" }, h("h2", {}, "All states, for the player to move"), bar, h("ul", { class: "totals" }, ...items));
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

function stepsBars(steps: StepsCount[]): Bar[] {
  return steps.map((c) => ({ label: String(c.steps), counts: { win: c.wins, lose: c.losses } }));
}
