// A chart of counts by outcome: a bar for each class or number of steps, to fit the width.

import { h, rove, s } from "./dom.js";
import { number, t } from "./language.js";
import { scale, type Scale, type ScaleKind } from "./scale.js";
import type { Outcome } from "./types.js";
import { capital, outcomeName, outcomes, percent } from "./words.js";

/** Bar is a bar with its counts of the chart's outcomes. */
export interface Bar {
  label: string;
  counts: Partial<Record<Outcome, number>>;
}

interface ChartOptions {
  /** What the bars are, in a heading: Outcomes by class. */
  title: string;
  /** What a bar's label is: marked cells. */
  across: string;
  /** Scales to choose from, with their names; the first is the default. */
  scales: [ScaleKind, string][];
}

const height = 260;
const margin = { left: 58, right: 8, top: 12, bottom: 40 };

export class BarChart extends HTMLElement {
  private bars: Bar[] = [];
  private options: ChartOptions = { title: "", across: "", scales: [["linear", ""]] };
  private kind: ScaleKind = "linear";
  private readonly plot = h("div", { class: "plot" });
  private readonly tip = h("div", { class: "tip", hidden: true, "aria-hidden": "true" });
  private readonly resized = new ResizeObserver(() => this.draw());

  disconnectedCallback(): void {
    this.resized.disconnect();
  }

  show(bars: Bar[], options: ChartOptions): void {
    this.bars = bars;
    this.options = options;
    this.kind = options.scales[0]?.[0] ?? "linear";
    this.replaceChildren(
      h("div", { class: "chart-head" }, h("h2", {}, options.title), this.legend(), this.scaleChoice()),
      h("div", { class: "plot-frame" }, this.plot, this.tip),
      this.asTable(),
    );
    rove(this.plot, () => [...this.plot.querySelectorAll<HTMLElement>(".bar")], { ArrowLeft: -1, ArrowRight: 1 });
    this.resized.disconnect();
    this.resized.observe(this.plot); // which draws, once the page is laid out
  }

  /** present is the outcomes that occur, from the bottom of a stack to its top. */
  private present(): Outcome[] {
    return outcomes.filter((outcome) => this.bars.some((bar) => bar.counts[outcome]));
  }

  private legend(): HTMLElement {
    return h("ul", { class: "legend" }, ...this.present().map((o) => h("li", { class: o }, h("span", { class: "swatch" }), outcomeName(o))));
  }

  private scaleChoice(): HTMLElement | null {
    if (this.options.scales.length < 2) return null;
    const choose = (event: Event) => {
      this.kind = (event.target as HTMLSelectElement).value as ScaleKind;
      this.draw();
    };
    const list = this.options.scales.map(([kind, name]) => h("option", { value: kind }, name));
    return h("label", { class: "inline" }, t("chart.scale"), h("select", { change: choose }, ...list));
  }

  private draw(): void {
    const width = this.plot.clientWidth;
    if (width === 0) return;
    const stacked = this.kind !== "log";
    const tallest = this.bars.map((bar) => (stacked ? total(bar) : Math.max(0, ...Object.values(bar.counts))));
    const vertical = scale(this.kind, Math.max(0, ...tallest));
    const focused = [...this.plot.querySelectorAll(".bar")].indexOf(document.activeElement as Element);
    const bars = this.bars.map((bar, i) => this.bar(bar, i, width, vertical));
    this.plot.replaceChildren(
      s("svg", { width, height, role: "group", "aria-label": t("chart.label", { title: this.options.title }) },
        ...grid(vertical, width), ...bars, this.axis(width)),
    );
    bars[Math.max(focused, 0)]?.setAttribute("tabindex", "0");
    if (focused >= 0) bars[focused]?.focus();
  }

  /** bar draws a bar: its parts stacked, or side by side on a logarithmic scale, where they do not add up. */
  private bar(bar: Bar, index: number, width: number, vertical: Scale): SVGElement {
    const pitch = (width - margin.left - margin.right) / this.bars.length;
    const left = margin.left + index * pitch;
    const inner = Math.max(1, Math.min(pitch - 2, pitch * 0.82));
    const present = this.present();
    const plotHeight = height - margin.top - margin.bottom;
    const of = this.kind === "share" ? Math.max(total(bar), 1) : 1;
    let foot = 0;
    const rects = present.map((outcome, i) => {
      const count = (bar.counts[outcome] ?? 0) / of;
      const beside = this.kind === "log";
      const from = beside ? 0 : vertical.at(foot);
      const to = beside ? vertical.at(count) : vertical.at(foot + count);
      foot += count;
      const wide = beside ? inner / present.length : inner;
      const x = left + (pitch - inner) / 2 + (beside ? i * wide : 0);
      return s("rect", { class: outcome, x, y: margin.top + plotHeight * (1 - to), width: wide, height: plotHeight * (to - from) });
    });
    const area = s("rect", { class: "bar-area", x: left, y: margin.top, width: pitch, height: plotHeight });
    const show = () => this.showTip(bar, left + pitch / 2, width);
    const hide = () => (this.tip.hidden = true);
    return s("g", { class: "bar", tabindex: -1, role: "img", "aria-label": `${this.describe(bar)}: ${lines(bar, present).join(", ")}`,
      focus: show, mouseenter: show, blur: hide, mouseleave: hide }, area, ...rects);
  }

  private describe(bar: Bar): string {
    return `${bar.label} ${this.options.across}`;
  }

  private showTip(bar: Bar, x: number, width: number): void {
    this.tip.replaceChildren(h("strong", {}, this.describe(bar)), ...lines(bar, this.present()).map((line) => h("span", {}, line)));
    this.tip.hidden = false;
    const half = this.tip.offsetWidth / 2;
    this.tip.style.left = `${Math.max(half, Math.min(width - half, x))}px`;
  }

  /** axis labels as many bars as there is room for. */
  private axis(width: number): SVGElement {
    const pitch = (width - margin.left - margin.right) / Math.max(this.bars.length, 1);
    const every = Math.max(1, Math.ceil(26 / pitch));
    const labels = this.bars.map((bar, i) =>
      i % every === 0 ? s("text", { x: margin.left + (i + 0.5) * pitch, y: height - margin.bottom + 16, "text-anchor": "middle" }, bar.label) : null,
    );
    const title = s("text", { class: "axis-title", x: (margin.left + width - margin.right) / 2, y: height - 6, "text-anchor": "middle" }, this.options.across);
    return s("g", { class: "axis", "aria-hidden": "true" }, ...labels, title);
  }

  private asTable(): HTMLElement {
    const present = this.present();
    const head = h("tr", {}, h("th", { scope: "col" }, capital(this.options.across)), ...present.map((o) => h("th", { scope: "col" }, outcomeName(o))));
    const rows = this.bars.map((bar) =>
      h("tr", {}, h("th", { scope: "row" }, bar.label), ...present.map((o) => h("td", {}, number(bar.counts[o] ?? 0)))),
    );
    const table = h("table", {}, h("caption", { class: "hidden" }, this.options.title), h("thead", {}, head), h("tbody", {}, ...rows));
    const scroll = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": this.options.title }, table);
    return h("details", {}, h("summary", {}, t("chart.table")), scroll);
  }
}

function total(bar: Bar): number {
  return Object.values(bar.counts).reduce((sum, count) => sum + count, 0);
}

function lines(bar: Bar, present: Outcome[]): string[] {
  const all = total(bar);
  return present.map((o) => `${outcomeName(o)} ${number(bar.counts[o] ?? 0)} (${percent(bar.counts[o] ?? 0, all)})`);
}

function grid(vertical: Scale, width: number): SVGElement[] {
  const plotHeight = height - margin.top - margin.bottom;
  return vertical.ticks.map(({ at, label }) => {
    const y = margin.top + plotHeight * (1 - at);
    return s("g", { class: "axis", "aria-hidden": "true" },
      s("line", { x1: margin.left, x2: width - margin.right, y1: y, y2: y }),
      s("text", { x: margin.left - 6, y: y + 4, "text-anchor": "end" }, label));
  });
}
