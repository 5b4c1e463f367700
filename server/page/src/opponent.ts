// Playing against the opponent: who plays what, how strong it is, and what one may ask for.

import { h } from "./dom.js";
import { hasSides, playerName } from "./games.js";
import { Part, type Model } from "./model.js";
import { mover, parse, type Player } from "./position.js";
import { takenBack } from "./taking.js";
import type { GameInfo, Policy } from "./types.js";
import type { Strength } from "./view.js";
import { capital } from "./words.js";

/** levels are strengths with a name, by the chance of a random move. */
const levels: [string, string, number][] = [
  ["perfect", "Perfect: never errs", 0],
  ["strong", "Strong: errs in one move of ten", 0.1],
  ["casual", "Casual: errs in one of three", 0.35],
  ["random", "Random moves", 1],
];

/** strongest is how the opponent plays where nothing else is said: a table without steps knows no shortest win. */
export function strongest(hasSteps: boolean): Strength {
  return { policy: hasSteps ? "shortest" : "optimal", blunder: 0 };
}

export class OpponentPanel extends Part {
  private model: Model | null = null;
  private readonly side = h("select", { id: "side", change: () => this.actions.go({ you: this.side.value as Player }) });
  private readonly level = h("select", { id: "level", change: () => this.chooseLevel() });
  private readonly policy = h("select", { id: "policy", change: () => this.custom() });
  private readonly blunder = h("input", { type: "range", id: "blunder", min: 0, max: 100, step: 1, change: () => this.custom(), input: () => this.showChance() });
  private readonly chance = h("output", { for: "blunder" });
  private readonly customFields = h("div", { class: "custom" });
  private readonly values = h("input", { type: "checkbox", id: "values", change: () => this.actions.go({ values: this.values.checked }, "replace") });
  private readonly back = this.button("Take back", () => this.takeBack());
  private readonly help = this.button("Hint", () => this.actions.hint());

  connectedCallback(): void {
    for (const [value, name] of [...levels, ["custom", "Custom…"]]) this.level.append(h("option", { value: String(value) }, String(name)));
    this.customFields.replaceChildren(
      h("label", { for: "policy" }, "When it does not err, it plays", this.policy),
      h("label", { for: "blunder" }, h("span", {}, "Chance of a random move ", this.chance), this.blunder),
    );
    this.replaceChildren(
      h("h2", {}, "Against the opponent"),
      h("div", { class: "fields" }, h("label", { for: "side" }, "You play", this.side), h("label", { for: "level" }, "The opponent is", this.level)),
      this.customFields,
      h("label", { for: "values", class: "check" }, this.values, "Show the values while playing"),
      h("div", { class: "buttons" }, this.button("New game", () => this.newGame(), "primary"), this.back, this.help),
    );
  }

  update(model: Model): void {
    this.hidden = model.view.mode !== "play";
    if (this.hidden) return;
    this.model = model;
    const { view, game } = model;
    const strength = view.strength ?? strongest(!!model.entry.has_steps);
    options(this.side, (["first", "second"] as const).map((p) => [p, sideName(p, game)]), view.you);
    options(this.policy, policies(!!model.entry.has_steps), strength.policy);
    if (!this.contains(document.activeElement) || this.level.value !== "custom") this.level.value = this.levelOf(strength);
    this.blunder.value = String(Math.round(strength.blunder * 100));
    this.values.checked = view.values;
    this.back.disabled = view.at === 0;
    this.help.disabled = !model.yourTurn || model.values || !!model.result;
    this.showChance();
  }

  private button(text: string, click: () => void, kind = ""): HTMLButtonElement {
    return h("button", { type: "button", class: kind, click }, text);
  }

  private showChance(): void {
    this.chance.textContent = `${this.blunder.value} %`;
    this.customFields.hidden = this.level.value !== "custom";
  }

  private levelOf(strength: Strength): string {
    const usual = strongest(!!this.model?.entry.has_steps);
    return levels.find(([, , blunder]) => strength.policy === usual.policy && blunder === strength.blunder)?.[0] ?? "custom";
  }

  private chooseLevel(): void {
    const level = levels.find(([name]) => name === this.level.value);
    if (level) this.actions.go({ strength: { ...strongest(!!this.model?.entry.has_steps), blunder: level[2] } }, "replace");
    else this.showChance();
  }

  private custom(): void {
    this.actions.go({ strength: { policy: this.policy.value as Policy, blunder: Number(this.blunder.value) / 100 } }, "replace");
  }

  private newGame(): void {
    this.actions.go({ start: "", moves: [], at: 0 });
  }

  private takeBack(): void {
    const { model } = this;
    if (!model) return;
    const first = mover(parse(model.positions[0] ?? "", model.board.size, hasSides(model.game)));
    const at = takenBack(first, model.view.you, model.view.at);
    this.actions.go({ moves: model.view.moves.slice(0, at), at });
  }
}

function sideName(player: Player, game: GameInfo): string {
  const order = player === "first" ? "begins" : "second";
  return hasSides(game) ? `${playerName(player, game)} (${order})` : capital(playerName(player, game));
}

function policies(hasSteps: boolean): [string, string][] {
  const optimal: [string, string] = ["optimal", "any move that keeps the value"];
  return hasSteps ? [["shortest", "the shortest win, the longest defence"], optimal] : [optimal];
}

/** options makes the options of a choice where they are others than before, and chooses one. */
function options(select: HTMLSelectElement, list: [string, string][], chosen: string): void {
  const key = JSON.stringify(list);
  if (select.dataset["options"] !== key) {
    select.dataset["options"] = key;
    select.replaceChildren(...list.map(([value, name]) => h("option", { value }, name)));
  }
  select.value = chosen;
}
