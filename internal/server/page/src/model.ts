// The model and the actions that the parts of the page get.

import type { Answer, GameInfo, TableEntry } from "./types.js";
import { read } from "./kinds.js";
import { mover, type Mark, type Player, type Position } from "./position.js";
import type { Board, View } from "./view.js";
import type { How } from "./store.js";
import type { Api } from "./api.js";
import type { Result } from "./ending.js";
import type { Repetition } from "./repetition.js";
import type { Drawn } from "./traits.js";

/** Brush is what a click puts on a cell while a position is set up: cycle goes from one mark to the next. */
export type Brush = Mark | "cycle";

/** Model is a view of a board with what the server says of it. */
export interface Model {
  view: View;
  board: Board;
  game: GameInfo;
  entry: TableEntry;
  /** The positions from the first one on, one more than there are moves. */
  positions: string[];
  /** The server's answer for each of them; one missing at the end is still awaited. */
  answers: (Answer | undefined)[];
  /** The position that is shown. */
  position: string;
  /** What is known of it; null while that is being asked. */
  answer: Answer | null;
  /** The end, where the game is over. */
  result: Result | null;
  /** In a game, the latest position that occurred before. */
  repetition: Repetition | null;
  /** Whether values are shown. */
  values: boolean;
  /** Whether a person at the page is to move. */
  yourTurn: boolean;
  brush: Brush;
  /** The move shown as a hint. */
  hint: string | null;
}

/** shown is the shown position, parsed. */
export function shown(model: Model): Position {
  return read(model.position, model.board.size, model.game);
}

/** toMove is the player to move in the shown position. */
export function toMove(model: Model): Player {
  return mover(shown(model));
}

/** person is the player whom the page addresses as "you": nobody in an analysis, or when two people share the board. */
export function person(view: View): Player | null {
  const plays = view.mode === "play" || (view.mode === "puzzle" && !view.values);
  return plays && view.you !== "both" ? view.you : null;
}

/** tableless says whether a board has no table and needs none. It has no statistics, and not all of its positions may be
 * known. */
export function tableless(entry: TableEntry): boolean {
  return entry.states === undefined;
}

/** reviewed says whether to show how each move changed the value: only where that gives nothing away. */
export function reviewed(model: Model): boolean {
  return model.view.mode !== "edit" && (model.values || (model.result !== null && model.view.mode !== "puzzle"));
}

/** Actions are what parts ask the page to do. */
export interface Actions {
  readonly api: Api;
  /** go shows another view. */
  go(change: Partial<View>, how?: How): void;
  /** play goes on from the position that is shown. */
  play(moves: string[]): void;
  /** follow shows another line of moves, after a number of them, and keeps the one before as a variation. */
  follow(line: string[], at: number, how?: How): void;
  /** step shows the position after a number of moves. */
  step(at: number): void;
  /** set starts from another position; replace changes the current entry of the history, for one of many small changes. */
  set(position: string, how?: How): void;
  /** paint chooses what a click does to a cell. */
  paint(brush: Brush): void;
  /** hint shows the best move, in a game in which values are not shown. */
  hint(): void;
  /** preview marks the cells of a move that is pointed at. */
  preview(move: string | null): void;
  /** explain writes the legend below the board. */
  explain(model: Model, drawn: Drawn): void;
  /** say announces something to screen readers that is already visible. */
  say(text: string): void;
  /** tell announces something and shows it for a moment. */
  tell(text: string): void;
  /** fail shows what went wrong; retry does it again, where that makes sense. */
  fail(error: unknown, retry: (() => void) | null): void;
}

/** Part is an element of the page that shows the model. */
export abstract class Part extends HTMLElement {
  actions!: Actions;
  abstract update(model: Model): void;
}
