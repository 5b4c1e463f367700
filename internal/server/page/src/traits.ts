// The signs that cells and boards can have.

import type { Move } from "./types.js";

/** Trait is something that sets a cell apart, and the class of such cells: a click chooses it; its tile is taken, and can
 * go back in here; its tile can be taken; a disc can be placed here; a hint is to take its tile, or to move here; the last
 * move went here; it is in a complete line. */
export type Trait = "choice" | "taken" | "target" | "takeable" | "place" | "hint-take" | "hint-put" | "last" | "complete";

/** Signs are what a cell shows besides its face. */
export interface Signs {
  traits: Record<Trait, boolean>;
  /** The move whose value stands on the cell. */
  value: Move | undefined;
}

/** Fate is what has become of a board, and the class of such boards: the first or the second player has won it, it is
 * dead, or the next move goes there. */
export type Fate = "by-x" | "by-o" | "dead" | "next";

/** SmallBoard is one of several boards. */
export interface SmallBoard {
  /** What moves and positions call it. */
  name: string;
  fates: Record<Fate, boolean>;
}

/** Drawn is what is to be seen on the board. */
export interface Drawn {
  cells: Signs[];
  /** What has become of each of several boards; none where there is one. */
  boards: SmallBoard[];
}
