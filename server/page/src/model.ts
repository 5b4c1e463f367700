// What the parts of the page are told, and what they can ask for.

import type { Answer, GameInfo, TableEntry } from "./types.js";
import { hasSides } from "./games.js";
import { parse, type Mark, type Position } from "./position.js";
import type { Board, View } from "./view.js";
import type { How } from "./store.js";
import type { Api } from "./api.js";
import type { Result } from "./ending.js";

/** Brush is what a click on a cell does to it in a position being set up: cycle goes from one mark to the next. */
export type Brush = Mark | "cycle";

/** Model is a view of a board with what the server says of it. */
export interface Model {
  view: View;
  board: Board;
  game: GameInfo;
  entry: TableEntry;
  /** The positions from the first one on, one more than there are moves. */
  positions: string[];
  /** The position that is shown. */
  position: string;
  /** What is known of it; null while that is being asked. */
  answer: Answer | null;
  /** The end, where the game is over. */
  result: Result | null;
  /** Whether values are shown. */
  values: boolean;
  /** Whether it is for the person at the page to move. */
  yourTurn: boolean;
  brush: Brush;
  /** The move that was asked for as a hint. */
  hint: string | null;
}

/** shown is the position that is shown, read. */
export function shown(model: Model): Position {
  return parse(model.position, model.board.size, hasSides(model.game));
}

/** Actions are what parts ask the page to do. */
export interface Actions {
  readonly api: Api;
  /** go shows another view. */
  go(change: Partial<View>, how?: How): void;
  /** play goes on from the position that is shown. */
  play(moves: string[]): void;
  /** step shows the position after so many moves. */
  step(at: number): void;
  /** set begins with another position; replace is for one of many small changes. */
  set(position: string, how?: How): void;
  /** paint chooses what a click does to a cell. */
  paint(brush: Brush): void;
  /** hint shows the best move, in a game in which values are not shown. */
  hint(): void;
  /** preview marks the cells of a move that is pointed at. */
  preview(move: string | null): void;
  /** say tells those who hear the page what those who see it see anyway. */
  say(text: string): void;
  /** tell says it to both, for a moment. */
  tell(text: string): void;
  /** fail shows what went wrong; retry does it again. */
  fail(error: unknown, retry: () => void): void;
}

/** Part is an element of the page that shows the model. */
export abstract class Part extends HTMLElement {
  actions!: Actions;
  abstract update(model: Model): void;
}
