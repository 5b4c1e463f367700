// The board: a grid of buttons that show tiles, marks and values.

import { badge, tile } from "./art.js";
import { arrow, type ArrowKind } from "./arrows.js";
import { firstCells, isWhole, secondCells } from "./choice.js";
import { find, h, s } from "./dom.js";
import { boardName, markName, pushes } from "./games.js";
import { t, type Key } from "./language.js";
import { Part, shown, type Brush, type Model } from "./model.js";
import { cellName, format, splitMove, type Mark, type Position } from "./position.js";
import { slide } from "./push.js";
import type { GameInfo, Move } from "./types.js";
import { valueText } from "./words.js";

/** How an arrow key moves the cursor: by columns and rows. */
const arrows: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class GameBoard extends Part {
  private model: Model | null = null;
  private cells: HTMLButtonElement[] = [];
  private n = 0;
  /** The tile that was taken and has still to be pushed back in. */
  private taken: string | null = null;
  private shown = "";
  private previewed: string | null = null;
  private readonly overlay = s("svg", { class: "arrows", "aria-hidden": "true", preserveAspectRatio: "none" });

  constructor() {
    super();
    this.addEventListener("keydown", (event) => this.key(event));
  }

  update(model: Model): void {
    const before = this.shown;
    if (model.position !== before || model.view.mode !== this.model?.view.mode) this.taken = null;
    this.model = model;
    this.build(model);
    this.shown = model.position;
    this.draw();
    if (model.position !== before) this.animatePush(model, before);
  }

  /** preview marks the cells of a move that is pointed at elsewhere. */
  preview(move: string | null): void {
    this.previewed = move;
    const { from, to } = splitMove(move ?? "");
    this.cells.forEach((cell, i) => cell.classList.toggle("preview", [from, to].includes(cellName(this.n, i))));
    this.drawArrows();
  }

  /** drawArrows shows by arrows the move that is pointed at, or else the last one, and the hint; none while a tile is
   * taken, and none for moves that name but one cell. */
  private drawArrows(): void {
    const { model } = this;
    const moves: [string | null | undefined, ArrowKind][] = this.taken || !model ? [] : [
      this.previewed ? [this.previewed, "preview"] : [model.view.moves[model.view.at - 1], "last"],
      [model.hint, "hint"],
    ];
    const drawn = moves.map(([move, kind]) => {
      const { from, to } = splitMove(move ?? "");
      return from === to ? null : arrow(this.n, this.index(from), this.index(to), kind);
    });
    this.overlay.replaceChildren(...drawn.filter((a) => a !== null));
  }

  private index(name: string): number {
    return this.cells.findIndex((cell) => cell.dataset["cell"] === name);
  }

  /** build makes the cells when the board is another one; they stay while positions change, and so does the focus. */
  private build(model: Model): void {
    const key = boardName(model.board, model.game);
    if (this.dataset["board"] === key) return;
    this.dataset["board"] = key;
    this.n = model.board.size;
    this.style.setProperty("--n", String(this.n));
    const each = Array.from({ length: this.n }, (_, i) => i);
    this.cells = each.flatMap((row) => each.map((column) => this.cell(row * this.n + column)));
    const rows = each.map((row) =>
      h("div", { role: "row" }, coordinate("row", String(this.n - row)), ...this.cells.slice(row * this.n, (row + 1) * this.n)),
    );
    const letters = each.map((column) => coordinate("column", cellName(this.n, column).charAt(0)));
    this.overlay.setAttribute("viewBox", `0 0 ${this.n * 100} ${this.n * 100}`);
    this.replaceChildren(
      h("div", { class: "frame" }, h("div", { role: "grid", "aria-label": t("board.label", { board: key }), class: "grid" }, ...rows), this.overlay),
      h("div", { class: "letters", "aria-hidden": "true" }, coordinate("row", ""), ...letters),
    );
    const first = this.cells[0];
    if (first) first.tabIndex = 0;
  }

  private cell(index: number): HTMLButtonElement {
    const name = cellName(this.n, index);
    return h("button", {
      type: "button", role: "gridcell", class: "cell", tabindex: -1, "data-cell": name,
      click: () => this.choose(index),
      focus: () => this.cells.forEach((cell, i) => (cell.tabIndex = i === index ? 0 : -1)),
    }, layer("tile"), h("span", { class: "hidden" }), layer("badges"));
  }

  /** choices returns what the cells are for now: the moves that begin with them, or those that end there. */
  private choices(): Map<string, Move> {
    const model = this.model;
    if (!model?.answer || !model.yourTurn || model.view.mode === "edit") return new Map();
    return this.taken ? secondCells(model.answer.moves, this.taken) : firstCells(model.answer.moves);
  }

  private draw(): void {
    const model = this.model;
    if (!model) return;
    const position = shown(model);
    const choices = this.choices();
    const last = splitMove(model.view.moves[model.view.at - 1] ?? "");
    const hint = splitMove(model.hint ?? "");
    const complete = new Set(model.result?.lines.flatMap((line) => line.cells));
    this.cells.forEach((cell, i) => {
      const name = cellName(this.n, i);
      const choice = choices.get(name);
      const value = model.values ? choice : undefined;
      const flags = { choice: !!choice, taken: name === this.taken, target: !!choice && !!this.taken };
      const hints = { "hint-take": name === hint.from && !isWhole(hint), "hint-put": name === hint.to };
      const takeable = !!choice && !this.taken && !isWhole(splitMove(choice.move));
      const traits = { ...flags, ...hints, takeable, last: name === last.to, complete: complete.has(i) };
      for (const [trait, on] of Object.entries(traits)) cell.classList.toggle(trait, on);
      cell.setAttribute("aria-disabled", String(!choice && model.view.mode !== "edit"));
      find(".hidden", cell).textContent = label(model.game, name, position.cells[i] ?? ".", value, traits);
      drawInto(cell, position.cells[i] ?? ".", value, !!this.taken);
    });
    this.classList.toggle("taking", this.taken !== null);
    this.preview(this.previewed);
  }

  private choose(index: number): void {
    const model = this.model;
    const name = cellName(this.n, index);
    if (!model) return;
    if (model.view.mode === "edit") {
      this.actions.set(painted(shown(model), index, model.brush), "replace");
      return;
    }
    const choice = this.choices().get(name);
    if (choice && (this.taken || isWhole(splitMove(choice.move)))) {
      this.actions.play([choice.move]);
    } else if (name === this.taken) {
      this.take(null);
    } else if (model.answer && model.yourTurn && firstCells(model.answer.moves).has(name)) {
      this.take(name);
    }
  }

  /** take chooses the tile to push, or none. */
  private take(name: string | null): void {
    const before = this.taken;
    this.taken = name;
    this.draw();
    if (!name) {
      this.actions.say(t("board.putBack", { cell: before ?? "" }));
      return;
    }
    const targets = [...this.choices().values()].map((m) => splitMove(m.move).to + (this.model?.values ? `, ${valueText(m)}` : ""));
    const values = { cell: name, places: targets.join("; ") };
    this.actions.say(this.model && pushes(this.model.game) ? t("board.takenPush", values) : t("board.taken", values));
  }

  private key(event: KeyboardEvent): void {
    if (event.key === "Escape" && this.taken) {
      event.preventDefault();
      this.take(null);
    }
    const arrow = arrows[event.key];
    const at = this.cells.indexOf(event.target as HTMLButtonElement);
    if (!arrow || at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const column = (at % this.n) + arrow[0];
    const row = Math.floor(at / this.n) + arrow[1];
    if (column >= 0 && column < this.n && row >= 0 && row < this.n) this.cells[row * this.n + column]?.focus();
  }

  /** animatePush shows the push that has led from the position before to the one that is shown now. */
  private animatePush(model: Model, before: string): void {
    const at = model.view.at;
    const move = model.view.moves[at - 1];
    if (!move || !pushes(model.game) || model.positions[at - 1] !== before) return;
    const { from, to } = splitMove(move);
    slide(this.cells.map((cell) => cell.firstElementChild ?? cell), this.n, this.index(from), this.index(to));
  }
}

/** label is a cell in words: b3, X; c1 empty, win in 5. */
function label(game: GameInfo, name: string, mark: Mark, value: Move | undefined, traits: Record<string, boolean>): string {
  const push = pushes(game);
  const said: [boolean | undefined, Key][] = [
    [traits["taken"], "cell.taken"],
    [traits["target"], push ? "cell.pushIn" : "cell.moveHere"],
    [traits["choice"] && !value, traits["takeable"] ? "cell.takeable" : "cell.move"],
  ];
  const after: [boolean | undefined, Key][] = [
    [traits["last"], "cell.last"],
    [traits["hint-take"], "cell.hintTake"],
    [traits["hint-put"], push ? "cell.hintPush" : "cell.hint"],
    [traits["complete"], "cell.complete"],
  ];
  const words = (list: typeof said) => list.filter(([on]) => on).map(([, key]) => t(key));
  return [`${name} ${markName(mark, game)}`, ...words(said), ...(value ? [valueText(value)] : []), ...words(after)].join(", ");
}

function coordinate(kind: "row" | "column", text: string): HTMLElement {
  return h("span", { class: `coordinate ${kind}`, "aria-hidden": "true" }, text);
}

function layer(name: string): SVGElement {
  return s("svg", { class: name, viewBox: "0 0 100 100", "aria-hidden": "true" });
}

/** drawInto shows a tile and, if it is for a choice, the value of that, in layers of their own, so that tiles can be
 * moved. While a tile is taken, the place where it may go back in matters more than what lies there. */
function drawInto(cell: Element, mark: Mark, value: Move | undefined, taking: boolean): void {
  const corner = mark !== "." && !taking;
  const shown = value ? [corner ? badge(value, 74, 74, 46) : badge(value, 50, 50, 66)] : [];
  cell.firstElementChild?.replaceChildren(...tile(mark));
  cell.lastElementChild?.replaceChildren(...shown);
}

/** painted returns the text of a position after a click of the brush on a cell. */
function painted(p: Position, index: number, brush: Brush): string {
  const order: Mark[] = p.side ? [".", "X", "O"] : [".", "X"];
  const now = order.indexOf(p.cells[index] ?? ".");
  const mark = brush === "cycle" ? (order[(now + 1) % order.length] ?? ".") : brush;
  return format({ ...p, cells: p.cells.map((cell, i) => (i === index ? mark : cell)) });
}
