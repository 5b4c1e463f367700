// The moves played, with what each changed, and the buttons to step through them.

import { icon } from "./art.js";
import { h, rove } from "./dom.js";
import { unknownText, valueGraph } from "./graph.js";
import { t } from "./language.js";
import { read } from "./kinds.js";
import { Part, person, reviewed, type Model } from "./model.js";
import { mover } from "./position.js";
import { judge, worst, type Judged, type Verdict } from "./review.js";
import { branches } from "./variations.js";
import { encode, home } from "./view.js";
import { valueText } from "./words.js";

/** So many moves are made puzzles after a game. */
const most = 3;

export class StepButtons extends Part {
  private at = 0;
  private length = 0;
  private readonly buttons = [
    this.button("first", t("step.first"), () => 0),
    this.button("back", t("step.back"), () => this.at - 1),
    this.button("forward", t("step.forward"), () => this.at + 1),
    this.button("last", t("step.last"), () => this.length),
  ];

  connectedCallback(): void {
    this.setAttribute("role", "group");
    this.setAttribute("aria-label", t("step.label"));
    this.replaceChildren(...this.buttons);
  }

  update(model: Model): void {
    this.at = model.view.at;
    this.length = model.view.moves.length;
    // Not disabled, which would lose the focus at the end.
    this.buttons.forEach((b, i) => b.setAttribute("aria-disabled", String(i < 2 ? this.at === 0 : this.at === this.length)));
  }

  private button(name: Parameters<typeof icon>[0], label: string, to: () => number): HTMLButtonElement {
    return h("button", { type: "button", class: "icon-button", "aria-label": label, title: label, click: () => this.actions.step(to()) }, icon(name));
  }
}

/** signs tell verdicts apart without colours. */
const signs: Record<Verdict, string> = { kept: "", slower: "~", sooner: "~", spoiled: "✗" };

export class MoveHistory extends Part {
  private readonly list = h("ol", { class: "chips plies", "aria-label": t("history.label") });
  private readonly graph = h("div", { class: "graph-place" });
  private readonly review = h("p", { class: "muted review" });
  private readonly forget = h("button", { type: "button", class: "link", hidden: true, click: () => this.actions.go({ lines: [] }) }, t("history.forget"));
  private readonly learn = h("div", { class: "learn", hidden: true });
  /** Shows the current move once the list is laid out; to ask for its place before would lay out the page twice. */
  private readonly laidOut = new ResizeObserver(() => {
    const current = this.list.querySelector<HTMLElement>("[aria-current]");
    if (current) this.list.scrollTop = current.offsetTop - this.list.clientHeight / 2;
  });

  connectedCallback(): void {
    this.replaceChildren(h("h2", {}, t("history.title")), this.list, this.forget, this.graph, this.review, this.learn);
    rove(this.list, () => this.buttons(), { ArrowLeft: -1, ArrowRight: 1, "[": -1, "]": 1 });
    this.list.addEventListener("focusin", (event) => {
      const to = this.buttons().indexOf(event.target as HTMLButtonElement);
      if (to >= 0 && (event.target as HTMLElement).getAttribute("aria-current") !== "step") this.actions.step(to);
    });
  }

  update(model: Model): void {
    this.hidden = model.view.mode === "edit";
    const { moves, at, lines } = model.view;
    const judged = moves.map((move, i) => {
      const answer = model.answers[i];
      return reviewed(model) && answer ? judge(answer, move) : null;
    });
    const focused = this.list.contains(document.activeElement);
    const start = model.view.start ? t("history.setUp") : t("history.start");
    this.list.replaceChildren(...[start, ...moves].flatMap((text, ply) => [
      h("li", {}, this.ply(text, ply, at, judged[ply - 1] ?? null)),
      ...(ply > 0 ? this.variations(moves, lines, ply - 1) : []),
    ]), ...this.variations(moves, lines, moves.length));
    this.forget.hidden = lines.length === 0;
    const current = this.buttons()[at];
    if (focused) current?.focus({ preventScroll: true });
    this.laidOut.disconnect();
    this.laidOut.observe(this.list);
    this.showReview(model, judged);
  }

  /** showReview shows the graph and the sum of a game of which something is known; while its last position is being asked, what stood there stays. */
  private showReview(model: Model, judged: (Judged | null)[]): void {
    const shows = reviewed(model) && judged.some((j) => j !== null);
    this.graph.hidden = this.review.hidden = !shows;
    this.learn.hidden = !shows || model.view.mode !== "play" || !model.result;
    if (!shows || model.answers.length < model.positions.length) return;
    this.graph.replaceChildren(valueGraph(model, judged, (at) => this.actions.step(at)));
    this.showWorst(model, judged);
    const at = judged[model.view.at - 1];
    this.review.textContent = [at ? verdictText(at) : "", t("review.signs"), unknownText(model)].join(" ").trim();
  }

  /** showWorst makes puzzles of the moves of the person that have cost most. */
  private showWorst(model: Model, judged: (Judged | null)[]): void {
    const { board, game, view, positions } = model;
    const moverAt = (at: number) => mover(read(positions[at] ?? "", board.size, game));
    const you = person(view);
    const links = worst(judged, (at) => you === null || moverAt(at) === you, most).map((at) => {
      const task = judged[at]?.best.outcome === "win" ? "win" : "draw";
      const href = encode({ ...home, board, mode: "puzzle", start: positions[at] ?? "", you: moverAt(at), task });
      return h("li", {}, h("a", { href }, t("learn.move", { n: at + 1, move: view.moves[at] ?? "" })));
    });
    this.learn.hidden ||= links.length === 0;
    this.learn.replaceChildren(h("h3", {}, t("learn.title")), h("ul", {}, ...links));
  }

  private buttons(): HTMLButtonElement[] {
    return [...this.list.querySelectorAll<HTMLButtonElement>(":scope > li > button")];
  }

  /** variations are the lines that leave a line after a number of moves, each beside the move that it replaces, and with
   * its own variations. A click shows the position there and makes it the line of the list. */
  private variations(line: string[], others: string[][], at: number): HTMLElement[] {
    return branches(line, others, at).map(([first = [], ...rest]) => {
      const moves = first.slice(at).flatMap((text, i) => [
        h("li", {}, h("button", { type: "button", class: "chip", tabindex: i === 0 ? 0 : -1, click: () => this.actions.follow(first, at + i + 1) }, h("span", { class: "ply-number" }, `${at + i + 1}.`), text)),
        ...this.variations(first, rest, at + i),
      ]);
      const list = h("ol", { "aria-label": t("history.variation", { n: at + 1 }) }, ...moves, ...this.variations(first, rest, first.length));
      rove(list, () => [...list.querySelectorAll<HTMLButtonElement>(":scope > li > button")], { ArrowLeft: -1, ArrowRight: 1 });
      return h("li", { class: "variation" }, list);
    });
  }

  private ply(text: string, ply: number, at: number, judged: Judged | null): HTMLButtonElement {
    const classes = ["chip", ply === 0 ? "origin" : "", judged?.verdict ?? ""];
    return h("button", {
      type: "button", class: classes.join(" ").trim(), tabindex: ply === at ? 0 : -1, "aria-current": ply === at ? "step" : undefined,
      title: judged ? verdictText(judged) : undefined, click: () => this.actions.step(ply),
    }, ply > 0 && h("span", { class: "ply-number" }, `${ply}.`), text, ...verdictMark(judged));
  }
}

/** verdictMark is a verdict beside its move, for those who see it and for those who hear it. */
function verdictMark(judged: Judged | null): HTMLElement[] {
  if (!judged || judged.verdict === "kept") return [];
  return [h("span", { class: "verdict", "aria-hidden": "true" }, signs[judged.verdict]), h("span", { class: "hidden" }, `, ${t(`verdict.${judged.verdict}`)}`)];
}

/** verdictText says what a move has changed, in a sentence. */
function verdictText({ verdict, played, best }: Judged): string {
  const n = Math.abs((played.steps ?? 0) - (best.steps ?? 0));
  return t(`review.${verdict}.move`, { move: played.move, best: best.move, n, before: valueText(best), after: valueText(played) });
}
