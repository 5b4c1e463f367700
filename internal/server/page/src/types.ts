// The types of the server's answers; see server/api/openapi.yaml.

export type Outcome = "win" | "lose" | "draw";
export type Policy = "optimal" | "shortest" | "trap";

/** Symmetries are those of a board that keep the rules: those of the square or rectangle, or all that take rows, columns and
 * main diagonals to such lines. */
export type Symmetries = "square" | "lines";

/** Worth is an outcome where one is known. */
export type Worth = Outcome | "unknown";

/** Value is what a position is worth to the player to move; steps are null for a draw and where they are not known. */
export interface Value {
  outcome: Worth;
  steps: number | null;
  /** The Grundy value of the position, or of that after the move, in games that have it. */
  nimber?: number;
  /** By how much the player to move, or who makes the move, wins, or loses below 0, in games that are counted. */
  score?: number;
}

/** Estimate is the mean result of playouts for the player to move, from 0 to 1, and the interval it may be off by chance. */
export type Estimate = Record<"mean" | "low" | "high" | "visits", number>;

/** BoardKind is what the text of a position shows. */
export type BoardKind = "grid" | "nine" | "boards" | "heaps" | "row" | "rows" | "text";

export interface Start extends Value {
  position: string;
}

/** Layout is what a game says of its board. */
export interface Layout {
  board: {
    holes?: string[];
    /** Cells that are set apart. */
    marked?: string[];
    points?: Record<string, [number, number]>;
    lines?: string[][];
    drop?: boolean;
    heaps?: boolean;
  };
  order?: string[];
  /** The names of the player who begins and of the other one. */
  sides?: string[];
  /** Whose a piece is, −1 for nobody's, and its form, by its character in positions. */
  pieces: Record<string, [number, string]>;
  moves?: string;
  /** Why a game ended, by who has won. */
  ends: Record<string, string>;
  /** Translations, by language. */
  texts: Record<string, Record<string, string>>;
}

/** GameInfo is what is known of a game without a position. */
export interface GameInfo {
  name: string;
  /** The name in headings. */
  title: string;
  /** The name in other languages, by their tags, where it is not the title. */
  titles?: Record<string, string>;
  /** The rules in a sentence or two. */
  summary: string;
  /** The kinds of marks: 2 where the players have marks of their own, 1 where both mark with X, 0 where nothing is marked. */
  marks: number;
  board?: BoardKind;
  /** What a move does: it marks the empty cell that it names, takes the tile of one cell and pushes it back in at another, or
   * marks a cell and turns over what it encloses. */
  move_kind?: "mark" | "push" | "enclose";
  /** What a line full of one mark decides: it wins for the player whose mark it is, or
   * loses or wins for the one who has completed it. */
  complete_line?: "wins" | "loses" | "mover-wins";
  /** What the last move decides for who has made it. */
  last_move?: "wins" | "loses";
  symmetries?: Symmetries;
  layout?: Layout;
  /** Whether there can be tables of the game. */
  tables?: boolean;
  boards: BoardInfo[];
}

/** BoardSize is the n of the n×n board, or the word for other boards: 4x5, 5x5,torus, and 3+4 for several boards. */
export type BoardSize = number | string;

/** Opponent is one whom the operator of the server has named; without a game it plays on several boards. */
export interface Opponent {
  name: string;
  /** The kind of agent. */
  kind: string;
  game?: string;
  size?: BoardSize;
}

export interface BoardInfo {
  size: BoardSize;
  /** The board as it is called in the names of tables: 4x4. */
  variant: string;
  /** The position that the game begins with. */
  start: string;
  /** A position that is not over. */
  example?: string;
  /** How values are known where there is no table: by a formula or by search. */
  source?: string;
}

/** TableEntry is a table file: either error is there, or all else but packed_bytes and after is. */
export interface TableEntry {
  file: string;
  game?: string;
  size?: BoardSize;
  after?: string[];
  has_steps?: boolean;
  states?: number;
  start?: Start;
  bytes?: number;
  packed_bytes?: number;
  identity?: string;
  /** Of what stands for a table where there is none: whether all positions are known. */
  knows_all?: boolean;
  error?: string;
}

/** Plan is what it takes to solve a board. */
export interface Plan {
  /** 0 if it cannot be estimated. */
  states: number;
  /** With 95 % probability the states are between these, if they are estimated from samples. */
  states_low?: number;
  states_high?: number;
  memory_bytes: number;
  disk_bytes: number;
  seconds: number;
  possible: boolean;
  /** Why the server does not solve it. */
  obstacle?: string;
}

/** Job is a board that the server solves. */
export interface Job {
  id: string;
  game: string;
  size: BoardSize;
  state: "queued" | "running" | "stopping" | "done" | "stopped" | "failed";
  progress?: { at: string; done: number; total: number; seconds_left: number | null };
  reason?: string;
}

export interface Move extends Value {
  move: string;
  position: string;
}

export interface Answer extends Value {
  game: string;
  size: BoardSize;
  position: string;
  terminal: boolean;
  moves: Move[];
  /** A drawing in lines of text, of a board of the kind text. */
  diagram?: string;
  /** Why the game has ended, if its rules say so. */
  end?: string;
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
  size: BoardSize;
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
