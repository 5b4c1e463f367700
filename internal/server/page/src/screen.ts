// What is shown: a section of the page, and the model of a board.

import type { GameBoard } from "./board.js";
import { find } from "./dom.js";
import { showFrame, type Section } from "./frame.js";
import type { BoardLegend } from "./legend.js";
import type { Actions, Brush, Model, Part } from "./model.js";
import type { TableStatistics } from "./statistics.js";
import type { TableList } from "./tables.js";
import type { GameInfo } from "./types.js";
import { sameBoard, type Board, type View } from "./view.js";

export class Screen {
  model: Model | null = null;
  brush: Brush = "cycle";
  readonly board = find<GameBoard>("game-board");
  readonly legend = find<BoardLegend>("board-legend");
  readonly statistics = find<TableStatistics>("table-statistics");
  readonly tables = find<TableList>("table-list");
  private readonly parts = [...document.querySelectorAll<Part>("[data-part]")];

  /** begin tells the elements whom to ask for what they cannot do. */
  begin(actions: Actions): void {
    for (const element of [...this.parts, this.statistics, this.tables]) element.actions = actions;
  }

  render(model: Model): void {
    this.model = model;
    for (const part of this.parts) part.update(model);
  }

  /** frame shows the sections of a kind of view. Parts that still show another board stay hidden until all of this
   * one is there, so that nothing moves. */
  frame(view: View | null, section: Section, game: GameInfo | undefined): void {
    if (!this.has(view?.board ?? null)) find(".desk").classList.add("stale");
    showFrame(view, section, game);
  }

  /** uncover shows the board that was drawn last, if it is that one. */
  uncover(board: Board | null): void {
    if (this.has(board)) find(".desk").classList.remove("stale");
  }

  /** has says whether a board is the one that was drawn last. */
  has(board: Board | null): boolean {
    return sameBoard(this.model?.board ?? null, board);
  }

  busy(busy: boolean): void {
    find("main").setAttribute("aria-busy", String(busy));
  }

  say(text: string): void {
    find("#live").textContent = text;
  }

  tell(text: string): void {
    const toast = find("#toast");
    toast.textContent = text;
    toast.classList.remove("shown");
    void toast.offsetWidth; // begins the animation again
    toast.classList.add("shown");
  }
}
