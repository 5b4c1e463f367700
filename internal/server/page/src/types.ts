// The types of the server's answers, from its specification, and the page's own types.

import type { components } from "./api.gen.js";

type Schemas = components["schemas"];

export type BoardInfo = Schemas["BoardInfo"];
export type BoardSize = Schemas["BoardSize"];
export type Choice = Schemas["Choice"];
export type ClassCounts = Schemas["ClassCounts"];
export type Counts = Schemas["Counts"];
export type Estimate = Schemas["Estimate"];
export type Job = Schemas["Job"];
export type Longest = NonNullable<Schemas["Longest"]>;
export type Opponent = Schemas["Opponent"];
export type Outcome = Schemas["Outcome"];
export type Plan = Schemas["Plan"];
export type Ply = Schemas["Ply"];
export type Policy = Schemas["Policy"];
export type Start = Schemas["Start"];
export type StepsCount = Schemas["StepsCount"];
export type Table = Schemas["Table"];

/** Layout is the part of a game's board description that the page draws. */
export interface Layout {
  board: {
    holes?: string[];
    /** Highlighted cells. */
    marked?: string[];
    points?: Record<string, [number, number]>;
    lines?: string[][];
    drop?: boolean;
    heaps?: boolean;
  };
  order?: string[];
  /** The names of the player who begins and of the other one. */
  sides?: string[];
  /** The owner of a piece, −1 for nobody, and its shape, by its character in positions. */
  pieces: Record<string, [number, string]>;
  moves?: string;
  /** Why a game ended, by its winner. */
  ends: Record<string, string>;
  /** Translations, by language. */
  texts: Record<string, Record<string, string>>;
}

/** GameInfo is a game, possibly in a variant in which whoever completes a line wins. */
export interface GameInfo extends Omit<Schemas["GameInfo"], "layout" | "complete_line"> {
  layout?: Layout;
  complete_line?: NonNullable<Schemas["GameInfo"]["complete_line"]> | "mover-wins";
}

/** BoardKind is the kind of board that the text of a position describes. */
export type BoardKind = NonNullable<GameInfo["board"]>;

export type Symmetries = NonNullable<GameInfo["symmetries"]>;

/** TableEntry is a table file, or a substitute for a board without a table. */
export interface TableEntry extends Omit<Schemas["TableEntry"], "start"> {
  start?: Omit<Start, "outcome"> & { outcome: Worth };
  /** In a substitute: whether all positions are known. */
  knows_all?: boolean;
}

/** Worth is an outcome, if one is known. */
export type Worth = Outcome | "unknown";

/** Value is the value of a position for the player to move; steps are null for a draw or if they are not known. */
export interface Value extends Pick<Schemas["Move"], "steps" | "nimber" | "score"> {
  outcome: Worth;
}

export interface Move extends Value {
  move: string;
  position: string;
}

export interface Answer extends Value, Omit<Schemas["Answer"], keyof Value | "moves" | "source"> {
  moves: Move[];
}

export type Line = Schemas["LineAnswer"]["line"];

export interface LineAnswer extends Answer {
  line: Line;
}
