// The board: buttons that show tiles, marks and values.

import { badge, spot } from "./art.js";
import { arrow, type ArrowKind } from "./arrows.js";
import { chosen, isLong, nextCells, type Path } from "./choice.js";
import { find, h, s } from "./dom.js";
import { draggable } from "./drag.js";
import { faces, slotsOf, touched, type Face } from "./faces.js";
import { boardName, pushes } from "./games.js";
import { isFree, kindOf, read } from "./kinds.js";
import { t, type Key } from "./language.js";
import { Part, shown, type Model } from "./model.js";
import { painted } from "./paint.js";
import { decorate, planOf, planOfSurface, type Plan } from "./plan.js";
import { splitMove, type Position } from "./position.js";
import { slide } from "./push.js";
import { changed, pathsFor, signsOf } from "./signs.js";
import { smallBoards } from "./small.js";
import { knock } from "./sound.js";
import { surfaceOf } from "./surface.js";
import type { Signs } from "./traits.js";
import type { GameInfo, Move } from "./types.js";
import { valueText } from "./words.js";

/** How an arrow key moves the cursor: by columns and rows. */
const arrows: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class GameBoard extends Part {
  private model: Model | null = null;
  private cells: HTMLButtonElement[] = [];
  /** What the cells show now. */
  private faces: Face[] = [];
  private plan: Plan | null = null;
  private slots: number[] = [];
  private columns = 0;
  private height = 0;
  /** The moves that clicks can make. */
  private paths: Path[] = [];
  /** What was clicked for one of them that is not whole yet: the tile that has still to be pushed back in. */
  private taken: string[] = [];
  private shown = "";
  private previewed: string | null = null;
  private readonly overlay = s("svg", { class: "arrows", "aria-hidden": "true", preserveAspectRatio: "none" });

  constructor() {
    super();
    this.addEventListener("keydown", (event) => this.key(event));
    draggable(this, {
      take: (cell) => {
        const name = cell.dataset["cell"] ?? "";
        if (this.taken[0] !== name) this.choose(this.index(name));
        return this.taken[0] === name;
      },
      drop: (cell) => {
        const name = cell?.dataset["cell"] ?? "";
        if (nextCells(this.paths, this.taken).has(name)) this.choose(this.index(name));
        else this.take([]);
      },
    });
  }

  update(model: Model): void {
    const before = this.shown;
    if (model.position !== before || model.view.mode !== this.model?.view.mode) this.taken = [];
    this.model = model;
    this.paths = pathsFor(model);
    this.build(model);
    this.shown = model.position;
    this.draw();
    if (model.position === before) return;
    this.animatePush(model, before);
    if (model.view.at > 0) knock();
  }

  /** preview marks the cells of a move that is pointed at elsewhere. */
  preview(move: string | null): void {
    this.previewed = move;
    const { model } = this;
    const pointed = new Set(!model ? [] : shown(model).pieces ? changed(model, move, this.faces, this.slots, false) : touched(move ?? "", this.faces, shown(model), this.slots, false));
    this.cells.forEach((cell, i) => cell.classList.toggle("preview", pointed.has(i)));
    this.drawArrows();
  }

  /** drawArrows shows by arrows the move that is pointed at, or else the last one, and the hint; none while a tile is
   * taken, and none for moves that name but one cell. */
  private drawArrows(): void {
    const { model } = this;
    const { size, point } = this.plan ?? {};
    const moves: [string | null | undefined, ArrowKind][] = this.taken.length > 0 || !model || !size || !point ? [] : [
      this.previewed ? [this.previewed, "preview"] : [model.view.moves[model.view.at - 1], "last"],
      [model.hint, "hint"],
    ];
    const drawn = moves.map(([move, kind]) => {
      const { from, to } = splitMove(move ?? "");
      if (from === to || this.index(from) < 0 || this.index(to) < 0 || !size || !point) return null;
      return arrow(point(this.index(from)), point(this.index(to)), { x: size[0] * 50, y: size[1] * 50 }, kind);
    });
    this.overlay.replaceChildren(...drawn.filter((a) => a !== null));
  }

  private index(name: string): number {
    return this.faces.findIndex((face) => face.name === name);
  }

  /** build makes the cells when the board is another one; they stay while positions change, and so does the focus. */
  private build(model: Model): void {
    const { board, game, view } = model;
    this.slots = slotsOf(read(model.positions[0] ?? model.position, board.size, game), view.mode === "edit");
    const name = boardName(board, game);
    const position = seen(model);
    const { shape, sides = [] } = position;
    const surface = position.pieces && surfaceOf(position, game.layout);
    this.columns = surface?.width ?? shape?.columns ?? Number(board.size);
    this.height = surface?.height ?? shape?.rows ?? 0;
    const key = [name, this.columns, this.height, ...this.slots, surface?.spots.map(({ x, y }) => `${x} ${y}`).join("+")].join();
    if (this.dataset["board"] === key) return;
    this.dataset["board"] = key;
    this.dataset["kind"] = kindOf(game);
    this.closest<HTMLElement>(".desk")?.style.setProperty("--n", String(this.columns || 9)); // several boards have no number
    this.style.setProperty("--rows", String(this.height));
    this.style.aspectRatio = this.columns === this.height ? "" : "auto";
    if (surface) this.dataset["surface"] = surface.kind;
    else delete this.dataset["surface"];
    this.plan = surface ? planOfSurface(surface) : planOf(kindOf(game), this.columns, this.height, this.slots, sides);
    this.style.setProperty("--ratio", String(this.plan.ratio));
    this.cells = this.plan.rows.flat().sort((a, b) => a - b).map((index) => this.cell(index));
    this.replaceChildren(...this.plan.build(this.cells, t("board.label", { board: name }), this.overlay));
    const first = this.cells[0];
    if (first) first.tabIndex = 0;
  }

  private cell(index: number): HTMLButtonElement {
    const tall = this.dataset["kind"] === "row";
    return h("button", {
      type: "button", role: "gridcell", class: "cell", tabindex: -1,
      click: () => this.choose(index),
      focus: () => this.cells.forEach((cell, i) => (cell.tabIndex = i === index ? 0 : -1)),
    }, layer("tile", tall), h("span", { class: "hidden" }), layer("badges", tall));
  }

  private draw(): void {
    const model = this.model;
    if (!model) return;
    const position = seen(model);
    const editing = model.view.mode === "edit";
    const drawing = this.querySelector(".drawing");
    if (drawing) drawing.textContent = model.answer?.diagram ?? model.position;
    this.faces = faces(position, model.game, this.slots);
    const signs = signsOf(model, position, this.faces, this.slots, this.paths, this.taken);
    const boards = smallBoards(position, kindOf(model.game), model.result !== null);
    this.cells.forEach((cell, i) => {
      const [face, shows] = [this.faces[i], signs[i]];
      if (!face || !shows) return;
      const { traits, value } = shows;
      for (const [trait, on] of Object.entries(traits)) cell.classList.toggle(trait, on);
      cell.dataset["cell"] = face.name;
      cell.disabled = face.name === "" && !editing;
      cell.setAttribute("aria-disabled", String(!traits.choice && !editing));
      find(".hidden", cell).textContent = label(model.game, face.said, shows);
      const inCorner = position.pieces ? traits.choice && !traits.place && face.drawing.length > 2 : (position.cells[i] ?? ".") !== "." && this.taken.length === 0;
      drawInto(cell, traits.place ? [...face.drawing, spot()] : face.drawing, value, inCorner, this.dataset["kind"] === "row");
    });
    const reachable = this.cells.filter((cell) => !cell.disabled);
    if (reachable[0] && !reachable.some((cell) => cell.tabIndex === 0)) reachable[0].tabIndex = 0;
    decorate(this, boards);
    this.classList.toggle("taking", this.taken.length > 0);
    this.preview(this.previewed);
    this.actions.explain(model, { cells: signs, boards });
  }

  private choose(index: number): void {
    const model = this.model;
    const name = this.faces[index]?.name ?? "";
    if (!model) return;
    if (model.view.mode === "edit" && isFree(model.game)) return;
    if (model.view.mode === "edit") {
      this.actions.set(painted(shown(model), index, model.brush, kindOf(model.game)), "replace");
      return;
    }
    const place = this.landing(name);
    const next = [...this.taken, place];
    const again = place !== "" && this.taken.at(-1) === place;
    const move = again ? chosen(this.paths, this.taken, true) : chosen(this.paths, next, false);
    if (move) this.actions.play([move.move]);
    else if (nextCells(this.paths, this.taken).has(place)) this.take(next);
    else if (this.taken.includes(place)) this.take([]);
    else if (nextCells(this.paths, []).has(place) && isLong(this.paths, [place])) this.take([place]);
  }

  /** landing is where a disc comes to lie that is dropped into the column of a cell; elsewhere, the cell itself. */
  private landing(name: string): string {
    if (this.dataset["surface"] !== "drop" || this.taken.length > 0) return name;
    return this.paths.find(({ cells }) => cells[0]?.charAt(0) === name.charAt(0))?.cells[0] ?? name;
  }

  /** take chooses the tile to push, or none. */
  private take(names: string[]): void {
    const { model, taken: before } = this;
    this.taken = names;
    this.draw();
    if (!model || names.length === 0) {
      this.actions.say(t("board.putBack", { cell: before.join(" ") }));
      return;
    }
    const targets = [...nextCells(this.paths, names)].map(([place, m]) => place + (model.values ? `, ${valueText(m)}` : ""));
    const values = { cell: names.join(" "), places: targets.join("; ") };
    this.actions.say(pushes(model.game) ? t("board.takenPush", values) : t("board.taken", values));
  }

  private key(event: KeyboardEvent): void {
    if (event.key === "Escape" && this.taken.length > 0) {
      event.preventDefault();
      this.take([]);
    }
    const arrow = arrows[event.key];
    const at = this.cells.indexOf(event.target as HTMLButtonElement);
    if (!arrow || at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.neighbour(at, arrow)?.focus();
  }

  /** neighbour is the next cell in a direction that can have the focus; in a shorter row it is the last one. */
  private neighbour(at: number, [right, down]: [number, number]): HTMLButtonElement | undefined {
    const rows = (this.plan?.rows ?? []).map((row) => row.filter((cell) => !this.cells[cell]?.disabled)).filter((row) => row.length > 0);
    const row = rows.findIndex((cells) => cells.includes(at));
    const column = rows[row]?.indexOf(at) ?? -1;
    if (right !== 0) return this.cells[rows[row]?.[column + right] ?? -1];
    const other = rows[row + down];
    return other && this.cells[other[Math.min(column, other.length - 1)] ?? -1];
  }

  /** animatePush shows the push that has led from the position before to the one that is shown now. */
  private animatePush(model: Model, before: string): void {
    const at = model.view.at;
    const move = model.view.moves[at - 1];
    if (!move || !pushes(model.game) || model.positions[at - 1] !== before) return;
    const { from, to } = splitMove(move);
    slide(this.cells.map((cell) => cell.firstElementChild ?? cell), this.columns, this.index(from), this.index(to));
  }
}

/** seen is the position to draw: if the last move ended the game and emptied the board, the position before it. */
function seen(model: Model): Position {
  const now = shown(model);
  const before = model.positions[model.view.at - 1];
  const gone = now.pieces && now.pieces.length > 0 && now.pieces.every((c) => c === ".") && model.answer?.terminal && now.held;
  return gone && before !== undefined ? read(before, model.board.size, model.game) : now;
}

/** label is a cell in words: b3 X; c1 empty, win in 5. */
function label(game: GameInfo, said: string, { traits, value }: Signs): string {
  const push = pushes(game);
  const before: [boolean, Key][] = [
    [traits.taken, "cell.taken"],
    [traits.target, push ? "cell.pushIn" : "cell.moveHere"],
    [traits.choice && !value && !traits.target, traits.takeable ? "cell.takeable" : "cell.move"],
  ];
  const after: [boolean, Key][] = [
    [traits.last, "cell.last"],
    [traits["hint-take"], "cell.hintTake"],
    [traits["hint-put"], push ? "cell.hintPush" : "cell.hint"],
    [traits.complete, "cell.complete"],
  ];
  const words = (list: typeof before) => list.filter(([on]) => on).map(([, key]) => t(key));
  return [said, ...words(before), ...(value ? [valueText(value)] : []), ...words(after)].join(", ");
}

function layer(name: string, tall: boolean): SVGElement {
  return s("svg", { class: name, viewBox: tall ? "0 0 100 300" : "0 0 100 100", "aria-hidden": "true" });
}

/** drawInto shows a tile and, if it is for a choice, the value of that, in layers of their own, so that tiles can be
 * moved. The value stands in the corner of a tile that shows something: while a tile is taken, the place where it may go
 * back in matters more than what lies there. */
function drawInto(cell: Element, drawing: SVGElement[], value: Move | undefined, corner: boolean, tall: boolean): void {
  const middle = tall ? 150 : 50;
  const round = drawing[0]?.classList.contains("counter");
  const badges = value ? [corner ? badge(value, 74, 74, 46) : badge(value, 50, middle, round ? 84 : 66)] : [];
  cell.firstElementChild?.replaceChildren(...drawing);
  cell.lastElementChild?.replaceChildren(...badges);
}
