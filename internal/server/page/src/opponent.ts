// A game against the opponent or between two people: sides, strength, hint and take-back.

import { h } from "./dom.js";
import { hasSides, playerName } from "./games.js";
import { keep, kept } from "./kept.js";
import { read } from "./kinds.js";
import { t, type Key } from "./language.js";
import { Part, tableless, type Model } from "./model.js";
import { mover } from "./position.js";
import { takenBack } from "./taking.js";
import type { GameInfo, Opponent, Policy, TableEntry } from "./types.js";
import { seats, type Seat, type Strength, type View } from "./view.js";
import { capital } from "./words.js";

/** levels are strengths with a name, by the chance of a random move. Each has the words for an opponent who knows all
 * positions, and for one who may err before the end of the game is known. */
const levels: [string, Key, Key, number][] = [
  ["perfect", "level.perfect", "level.searching", 0],
  ["strong", "level.strong", "level.searching.strong", 0.1],
  ["casual", "level.casual", "level.searching.casual", 0.35],
  ["random", "level.random", "level.random", 1],
];

/** mayErr says whether the outcome of some positions of a board is not known. */
export function mayErr(entry: TableEntry): boolean {
  return tableless(entry) && entry.knows_all !== true;
}

/** levelNames are the levels against which a board can be played, with their names. */
export function levelNames(entry: TableEntry): [string, string][] {
  return levels.map(([level, knowing, searching]) => [level, t(mayErr(entry) ? searching : knowing)]);
}

/** mark stands before the names of configured opponents, so that they cannot clash with other names. */
const mark = "@";

/** strongest is the opponent's best level: a table without steps knows no shortest win. */
function strongest(hasSteps: boolean): Strength {
  return { policy: hasSteps ? "shortest" : "optimal", blunder: 0 };
}

/** usual is the opponent's level if the address does not give one: the level chosen last. */
export function usual(hasSteps: boolean): Strength {
  const level = levels.find(([name]) => name === kept("level"));
  return { ...strongest(hasSteps), blunder: level?.[3] ?? 0 };
}

const beginning: Partial<View> = { start: "", moves: [], at: 0, ended: false };

/** keptSide is the side that was chosen last. */
export function keptSide(): Seat {
  return seats.find((seat) => seat === kept("side")) ?? "first";
}

export class OpponentPanel extends Part {
  private model: Model | null = null;
  /** The opponents that the operator has configured; null until they are asked for. */
  private named: Opponent[] | null = null;
  private readonly side = h("select", { id: "side", change: () => this.chooseSide() });
  private readonly level = h("select", { id: "level", change: () => this.chooseLevel() });
  private readonly policy = h("select", { id: "policy", change: () => this.custom() });
  private readonly blunder = h("input", { type: "range", id: "blunder", min: 0, max: 100, step: 1, change: () => this.custom(), input: () => this.showChance() });
  private readonly chance = h("output", { for: "blunder" });
  private readonly customFields = h("div", { class: "custom" });
  private readonly heading = h("h2", {});
  private readonly levelField = h("label", { for: "level" }, t("opponent.level"), this.level);
  private readonly searches = h("p", { class: "muted" }, t("opponent.searches"));
  private readonly values = h("input", { type: "checkbox", id: "values", change: () => this.actions.go({ values: this.values.checked }, "replace") });
  private readonly back = this.button(t("opponent.back"), () => this.takeBack());
  private readonly help = this.button(t("opponent.hint"), () => this.actions.hint());

  connectedCallback(): void {
    this.customFields.replaceChildren(
      h("label", { for: "policy" }, t("opponent.policy"), this.policy),
      h("label", { for: "blunder" }, h("span", {}, t("opponent.chance"), " ", this.chance), this.blunder),
    );
    this.replaceChildren(
      this.heading,
      h("div", { class: "fields" }, h("label", { for: "side" }, t("opponent.side"), this.side), this.levelField),
      this.customFields, this.searches,
      h("label", { for: "values", class: "check" }, this.values, t("opponent.values")),
      h("div", { class: "buttons" }, this.button(t("opponent.new"), () => this.newGame(), "primary"), this.back, this.help),
    );
  }

  update(model: Model): void {
    this.hidden = model.view.mode !== "play";
    if (this.hidden) return;
    this.model = model;
    const { view, game } = model;
    const strength = view.strength ?? usual(!!model.entry.has_steps);
    const two = view.you === "both";
    this.heading.textContent = two ? t("opponent.two") : t("opponent.title");
    this.levelField.hidden = two;
    this.searches.hidden = two || !mayErr(model.entry);
    options(this.side, (["first", "second", "both"] as const).map((seat) => [seat, seatName(seat, game)]), view.you);
    this.findNamed();
    const named = (this.named ?? []).filter((o) => o.game === undefined || (o.game === game.name && o.size === model.board.size));
    options(this.level, [
      ...levelNames(model.entry),
      ...named.map(({ name, kind }): [string, string] => [mark + name, `${name} (${kind})`]),
      ["custom", t("level.custom")],
    ], this.level.value || this.levelOf(strength));
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
    this.customFields.hidden = this.level.value !== "custom" || this.model?.view.you === "both";
  }

  /** findNamed asks for the configured opponents, once. */
  private findNamed(): void {
    if (this.named) return;
    this.named = [];
    const found = (list: Opponent[]) => {
      this.named = list;
      if (this.model && list.length > 0) this.update(this.model);
    };
    this.actions.api.opponents().then(found, () => undefined); // without an answer there are none
  }

  private levelOf(strength: Strength): string {
    if (this.model?.view.opponent) return mark + this.model.view.opponent;
    const usual = strongest(!!this.model?.entry.has_steps);
    return levels.find(([, , , blunder]) => strength.policy === usual.policy && blunder === strength.blunder)?.[0] ?? "custom";
  }

  private chooseSide(): void {
    keep("side", this.side.value);
    this.actions.go({ you: this.side.value as Seat, ...this.again() });
  }

  private chooseLevel(): void {
    const level = levels.find(([name]) => name === this.level.value);
    if (level) keep("level", level[0]);
    if (this.level.value.startsWith(mark)) this.actions.go({ opponent: this.level.value.slice(mark.length), ...this.again() }, "replace");
    else if (level) this.actions.go({ opponent: "", strength: { ...strongest(!!this.model?.entry.has_steps), blunder: level[3] }, ...this.again() }, "replace");
    else this.showChance();
  }

  private custom(): void {
    this.actions.go({ opponent: "", strength: { policy: this.policy.value as Policy, blunder: Number(this.blunder.value) / 100 }, ...this.again() }, "replace");
  }

  private newGame(): void {
    this.actions.go(beginning);
  }

  /** again is what begins a new game, once the one that is shown is over. */
  private again(): Partial<View> {
    return this.model?.result ? beginning : {};
  }

  private takeBack(): void {
    const { model } = this;
    if (!model) return;
    const first = mover(read(model.positions[0] ?? "", model.board.size, model.game));
    const at = takenBack(first, model.view.you, model.view.at);
    this.actions.follow(model.view.moves.slice(0, at), at);
  }
}

function seatName(seat: Seat, game: GameInfo): string {
  if (seat === "both") return t("seat.both");
  const player = playerName(seat, game);
  return capital(hasSides(game) ? t(`seat.${seat}`, { player }) : player);
}

function policies(hasSteps: boolean): [string, string][] {
  const optimal: [string, string] = ["optimal", t("policy.optimal")];
  const trap: [string, string] = ["trap", t("policy.trap")];
  return hasSteps ? [["shortest", t("policy.shortest")], optimal, trap] : [optimal, trap];
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
