// What the server answers, as server/api/openapi.yaml describes it.

export type Outcome = "win" | "lose" | "draw";
export type Policy = "optimal" | "shortest";

/** Symmetries are those of a board that keep the rules: the eight of the square, or all that take rows, columns and main
 * diagonals to such lines. */
export type Symmetries = "square" | "lines";

/** Value is what a position is worth to the player to move; steps are null for a draw and in a table without steps. */
export interface Value {
  outcome: Outcome;
  steps: number | null;
}

export interface Start extends Value {
  position: string;
}

/** GameInfo is what is known of a game without a position. */
export interface GameInfo {
  name: string;
  /** The name in headings. */
  title: string;
  /** The rules in a sentence or two. */
  summary: string;
  /** The kinds of marks: 2 where the players have marks of their own, 1 where both mark with X, 0 where nothing is marked. */
  marks: number;
  /** What a move does: it marks the empty cell that it names, or takes the tile of one cell and pushes it back in at another. */
  move_kind?: "mark" | "push";
  /** What a line full of one mark decides: it wins for the player whose mark it is, or loses for who has completed it. */
  complete_line?: "wins" | "loses";
  symmetries?: Symmetries;
  boards: BoardInfo[];
}

/** Opponent is one whom the operator of the server has named; without a game it plays on several boards. */
export interface Opponent {
  name: string;
  /** The kind of agent. */
  kind: string;
  game?: string;
  size?: number;
}

export interface BoardInfo {
  size: number;
  /** The board as it is called in the names of tables: 4x4. */
  variant: string;
}

/** TableEntry is a table file: either error is there, or all else but packed_bytes and after is. */
export interface TableEntry {
  file: string;
  game?: string;
  size?: number;
  after?: string[];
  has_steps?: boolean;
  states?: number;
  start?: Start;
  bytes?: number;
  packed_bytes?: number;
  identity?: string;
  error?: string;
}

export interface Move extends Value {
  move: string;
  position: string;
}

export interface Answer extends Value {
  game: string;
  size: number;
  position: string;
  terminal: boolean;
  moves: Move[];
}

export interface Ply {
  move: string;
  position: string;
}

export interface Line {
  plies: Ply[];
  repeats: number | null;
  truncated?: boolean;
}

export interface LineAnswer extends Answer {
  line: Line;
}

export interface Choice extends Value {
  position: string;
  move: Move;
}

export interface Counts {
  states: number;
  wins: number;
  losses: number;
  draws: number;
  terminal_wins: number;
  terminal_losses: number;
}

export interface StepsCount {
  steps: number;
  wins: number;
  losses: number;
}

export interface ClassCounts extends Counts {
  class: number;
}

export interface Longest {
  steps: number;
  count: number;
  position: string;
}

export interface Table {
  game: string;
  size: number;
  after?: string[];
  has_steps: boolean;
  bytes: number;
  packed_bytes: number;
  identity: string;
  stored_states: number;
  start: Start;
  total: Counts;
  classes: ClassCounts[];
  steps: StepsCount[];
  longest_win: Longest | null;
  longest_loss: Longest | null;
}
