// The signs that cells and boards can have.

import type { Move } from "./types.js";

/** Trait is a highlighted property of a cell, and its CSS class: a click chooses it; its tile is taken, and can
 * go back in here; its tile can be taken; a disc can be placed here; a hint is to take its tile, or to move here; the last
 * move went here; it is in a complete line. */
export type Trait = "choice" | "taken" | "target" | "takeable" | "place" | "hint-take" | "hint-put" | "last" | "complete";

/** Signs are what a cell shows besides its face. */
export interface Signs {
  traits: Record<Trait, boolean>;
  /** The move whose value stands on the cell. */
  value: Move | undefined;
}

/** Fate is the state of a small board, and its CSS class: the first or the second player has won it, it is
 * dead, or the next move goes there. */
export type Fate = "by-x" | "by-o" | "dead" | "next";

/** SmallBoard is one of several boards. */
export interface SmallBoard {
  /** Its name in moves and positions. */
  name: string;
  fates: Record<Fate, boolean>;
}

/** Drawn is what the board shows. */
export interface Drawn {
  cells: Signs[];
  /** The fate of each of several boards; empty if there is only one. */
  boards: SmallBoard[];
}
