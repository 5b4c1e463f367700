// Sets up a position: by clicks, as text, or at random.

import { copy, h } from "./dom.js";
import { discs, hasSides, markName, playerName } from "./games.js";
import { isFree, kindOf, read, write } from "./kinds.js";
import { t, type Key } from "./language.js";
import { Part, shown, tableless, type Brush, type Model } from "./model.js";
import { empty, format, mover, PositionError, type Side } from "./position.js";
import { recordMoves } from "./record.js";
import { shapeOf } from "./shape.js";
import type { GameInfo, Outcome } from "./types.js";
import { encode, home } from "./view.js";
import { capital, outcomeName, outcomes } from "./words.js";

function brushName(brush: Brush, game: GameInfo): string {
  return brush === "cycle" ? t("setup.cycle") : brush === "." ? t("setup.erase") : capital(markName(brush, game));
}

export class SetupPanel extends Part {
  private model: Model | null = null;
  private readonly text = h("input", {
    type: "text", id: "position-text", class: "mono", spellcheck: "false", autocomplete: "off", autocapitalize: "off",
    "aria-describedby": "position-error", input: () => this.read(false), change: () => this.read(true),
  });
  private readonly error = h("div", { id: "position-error", class: "field-error", role: "status" });
  private readonly brushes = h("fieldset", { class: "segments" });
  private readonly sides = h("fieldset", { class: "segments" });
  private readonly outcome = h("select", { id: "random-outcome" });
  private readonly textLabel = h("label", { for: "position-text" });
  private readonly clearing = this.button("setup.empty", () => this.clear());
  private readonly challenge = this.button("task.copy", () => void this.copyChallenge());
  private readonly byChance = h("div", {});
  private readonly steps = h("input", { type: "number", id: "random-steps", min: 0, max: 65535, inputmode: "numeric", placeholder: t("setup.anySteps") });

  connectedCallback(): void {
    this.outcome.append(h("option", { value: "" }, t("setup.anyOutcome")), ...outcomes.map((o) => h("option", { value: o }, outcomeName(o))));
    this.byChance.replaceChildren(
      h("h3", {}, t("setup.random")),
      h("div", { class: "buttons" },
        h("label", { for: "random-outcome", class: "inline" }, t("setup.outcome"), this.outcome),
        h("label", { for: "random-steps", class: "inline" }, t("setup.steps"), this.steps),
        this.button("setup.draw", () => void this.random())));
    this.replaceChildren(
      h("h2", {}, t("setup.title")),
      this.brushes, this.sides,
      this.textLabel, this.text, this.error,
      h("div", { class: "buttons" },
        this.button("setup.analyse", () => this.actions.go({ mode: "analyse" }), "primary"),
        this.button("setup.play", () => this.play()),
        this.button("setup.copy", () => void this.copyText()), this.challenge, this.clearing),
      this.byChance,
    );
  }

  update(model: Model): void {
    this.hidden = model.view.mode !== "edit";
    if (this.hidden) return;
    this.model = model;
    const brushes: Brush[] = hasSides(model.game) ? ["cycle", "X", "O", "."] : ["cycle", "X", "."];
    const position = shown(model);
    const kind = kindOf(model.game);
    const free = isFree(model.game);
    this.brushes.hidden = free || kind === "heaps" || kind === "row";
    this.textLabel.textContent = t(kind !== "grid" ? "setup.textAlone" : discs(model.game) ? "setup.textGame" : "setup.text");
    this.clearing.textContent = t(tableless(model.entry) || free ? "setup.start" : "setup.empty");
    this.challenge.disabled = !model.answer || model.answer.outcome === "unknown" || model.answer.terminal;
    this.byChance.hidden = tableless(model.entry) || free;
    segments(this.brushes, t("setup.brush"), brushes.map((b) => [b, brushName(b, model.game)]), model.brush, (b) => this.actions.paint(b));
    const players: [Side, string][] = [["x", capital(playerName("first", model.game))], ["o", capital(playerName("second", model.game))]];
    segments<Side>(this.sides, t("setup.side"), players, position.side ?? "x", (side) =>
      this.actions.set(write({ ...position, side }, kind), "replace"));
    this.sides.hidden = position.side === null || free;
    this.steps.parentElement?.toggleAttribute("hidden", !model.entry.has_steps);
    if (document.activeElement !== this.text || !this.error.hasChildNodes()) this.write(model.position);
  }

  private button(text: Key, click: () => void, kind = ""): HTMLButtonElement {
    return h("button", { type: "button", class: kind, click }, t(text));
  }

  private write(position: string): void {
    if (document.activeElement !== this.text) this.text.value = position;
    this.complain(null);
  }

  /** read takes the typed or pasted text, if it is a position; whole says that the user has left the field or pressed
   * Enter: positions that only the server can read, and game records, wait for that. */
  private read(whole: boolean): void {
    const { model } = this;
    if (!model) return;
    const moves = discs(model.game) ? recordMoves(this.text.value) : null;
    if (moves) this.complain(null);
    if (moves && whole) this.actions.go({ mode: "analyse", start: "", moves, at: moves.length, ended: false });
    if (moves || isFree(model.game) !== whole) return;
    try {
      const position = write(read(this.text.value, model.board.size, model.game), kindOf(model.game));
      this.complain(null);
      this.actions.set(position, "replace");
    } catch (error) {
      if (!(error instanceof PositionError)) throw error;
      this.complain(error);
    }
  }

  /** complain shows the error in the text, with the column marked. */
  private complain(error: PositionError | null): void {
    this.text.toggleAttribute("aria-invalid", error !== null);
    if (!error) {
      this.error.replaceChildren();
      return;
    }
    const chars = [...this.text.value];
    const at = error.column - 1;
    this.error.replaceChildren(
      h("code", {}, chars.slice(0, at).join(""), h("mark", {}, chars[at] ?? "\u00a0"), chars.slice(at + 1).join("")),
      h("p", {}, t("position.column", { column: error.column, reason: error.message })),
    );
  }

  private async copyText(): Promise<void> {
    const done = await copy(this.model?.position ?? "");
    this.actions.tell(done ? t("setup.copied") : t("setup.notCopied"));
  }

  /** copyChallenge copies a link that challenges whoever opens it to reach the position's value. */
  private async copyChallenge(): Promise<void> {
    const { model } = this;
    if (!model?.answer) return;
    const { outcome } = model.answer;
    if (outcome !== "win" && outcome !== "draw") return this.actions.tell(t("task.none"));
    const fragment = encode({ ...home, board: model.board, mode: "puzzle", start: model.position, you: mover(shown(model)), task: outcome });
    const done = await copy(location.href.replace(/[#?].*$/, "") + fragment.replace("#", "?"));
    this.actions.tell(t(done ? "task.copied" : "setup.notCopied"));
  }

  private clear(): void {
    const { model } = this;
    if (model) this.actions.set(tableless(model.entry) || isFree(model.game) ? "" : format(empty(shapeOf(model.board.size), hasSides(model.game))));
  }

  /** play begins a game in which the person at the page is to move. */
  private play(): void {
    const { model } = this;
    if (model) this.actions.go({ mode: "play", you: model.view.you === "both" ? "both" : mover(shown(model)), ended: false });
  }

  private async random(): Promise<void> {
    const { model } = this;
    if (!model) return;
    try {
      const steps = model.entry.has_steps ? this.steps.value : "";
      const answer = await this.actions.api.random(model.board, this.outcome.value as Outcome | "", steps);
      this.actions.set(answer.position);
    } catch (error) {
      this.actions.fail(error, () => void this.random());
    }
  }
}

/** segments shows a few options side by side, as radio buttons that stay in place when the selection changes. */
function segments<T extends string>(field: HTMLFieldSetElement, legend: string, options: [T, string][], chosen: T, choose: (value: T) => void): void {
  const names = options.map(([value]) => value).join();
  if (field.dataset["options"] !== names) {
    field.dataset["options"] = names;
    const labels = options.map(([value, name]) => h("label", {}, h("input", { type: "radio", name: legend, value }), h("span", {}, name)));
    field.replaceChildren(h("legend", {}, legend), ...labels);
  }
  for (const input of field.querySelectorAll("input")) {
    input.checked = input.value === chosen;
    input.onchange = () => choose(input.value as T);
  }
}
