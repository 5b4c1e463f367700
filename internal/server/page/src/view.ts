// The view as the fragment of the address, which reproduces it.

import { t } from "./language.js";
import type { BoardSize, Policy } from "./types.js";
import type { Player } from "./position.js";
import { shared } from "./variations.js";

export const modes = ["analyse", "play", "edit", "statistics", "puzzle"] as const;
export type Mode = (typeof modes)[number];

/** Seat is the side that the person at the page plays; both means two people at one board. */
export type Seat = Player | "both";
export const seats: readonly Seat[] = ["first", "second", "both"];

/** Board names a table: the game, the board, and the cells marked from the start. */
export interface Board {
  game: string;
  size: BoardSize;
  after: string[];
}

/** Strength says how the opponent plays; blunder is the probability, from 0 to 1, of a random move. */
export interface Strength {
  policy: Policy;
  blunder: number;
}

/** Task is the result to reach at least in a puzzle. */
export type Task = "" | "win" | "draw";

export interface View {
  /** null shows the list of tables. */
  board: Board | null;
  mode: Mode;
  /** The position that the moves begin with; "" is the start of the table's game. */
  start: string;
  moves: string[];
  /** How many of the moves are played on the board that is shown. */
  at: number;
  /** Variations: lines from the start, in full, that were played earlier and replaced. */
  lines: string[][];
  /** The side that the person at the page plays in a game. */
  you: Seat;
  /** null is the strongest that the table allows. */
  strength: Strength | null;
  /** The name of a configured opponent who plays instead; "" is none. */
  opponent: string;
  /** Whether values are shown while playing. */
  values: boolean;
  /** Whether the game was ended as a draw after a repetition. */
  ended: boolean;
  /** The seed of a puzzle that is still to be drawn; "" draws any. */
  seed: string;
  /** What a puzzle asks for; "" is the one move that wins. */
  task: Task;
  /** The number of a lesson of the tutorial, from 1; 0 if the puzzle is not a lesson. */
  lesson: number;
}

export const home: View = { board: null, mode: "analyse", start: "", moves: [], at: 0, lines: [], you: "first", strength: null, opponent: "", values: false, ended: false, seed: "", task: "", lesson: 0 };

/** sameBoard says whether two boards are answered from the same table. */
export function sameBoard(a: Board | null, b: Board | null): boolean {
  if (!a || !b) return a === b;
  return a.game === b.game && a.size === b.size && a.after.join() === b.after.join();
}

/** encode returns the fragment of a view, with its #. Defaults are left out. */
export function encode(view: View): string {
  if (!view.board) return "#";
  const fields: string[] = [];
  const add = (name: string, value: string) => fields.push(`${name}=${escape(value)}`);
  if (view.board.after.length > 0) add("after", view.board.after.join(","));
  if (view.mode !== "analyse") add("mode", view.mode);
  if (view.start) add("p", view.start.replaceAll(" ", "_"));
  if (view.moves.length > 0) add("moves", joined(view.moves));
  if (view.at !== view.moves.length) add("at", String(view.at));
  if (view.lines.length > 0) add("lines", view.lines.map((line) => beside(view.moves, line)).join("*"));
  if (view.mode === "play") {
    add("you", view.you);
    if (view.strength) {
      add("policy", view.strength.policy);
      add("blunder", String(view.strength.blunder));
    }
    if (view.opponent) add("opponent", view.opponent);
    if (view.ended) add("end", "draw");
  }
  if (view.mode === "puzzle") {
    if (view.you !== "first") add("you", view.you);
    if (view.seed) add("seed", view.seed);
    if (view.task) add("task", view.task);
    if (view.lesson) add("lesson", String(view.lesson));
  }
  if (view.values && (view.mode === "play" || view.mode === "puzzle")) add("values", "1");
  return `#${escape(view.board.game)}/${view.board.size}` + (fields.length > 0 ? `?${fields.join("&")}` : "");
}

/** joined writes moves for an address. */
function joined(moves: string[]): string {
  return moves.map((move) => move.replaceAll("%", "%25").replaceAll(".", "%2E").replaceAll("*", "%2A")).join(".");
}

/** split reads what joined wrote. */
function split(moves: string): string[] {
  const all = moves.split(".").filter((move) => move !== "");
  return all.map((move) => move.replaceAll("%2A", "*").replaceAll("%2E", ".").replaceAll("%25", "%"));
}

/** beside writes a line as the number of moves that it shares with the shown one, and its other moves. */
function beside(moves: string[], line: string[]): string {
  const n = shared(line, moves);
  return `${n}.${joined(line.slice(n))}`;
}

/** escape leaves the slashes and commas of positions and cells as they are, so that an address can be read. */
function escape(text: string): string {
  return encodeURIComponent(text).replaceAll("%2F", "/").replaceAll("%2C", ",");
}

/** Decoded is a decoded address. */
export interface Decoded {
  view: View;
  /** The parts that could not be read and have their defaults, each as a sentence. */
  wrong: string[];
}

/** decode reads a fragment. A truncated address still opens a board; the server refuses whatever it does not
 * know. */
export function decode(fragment: string): Decoded {
  const [path = "", query = ""] = cut(fragment.replace(/^#\/?/, ""), "?");
  if (path === "" && query === "") return { view: home, wrong: [] };
  const [game = "", size = ""] = cut(path, "/");
  if (!/^[a-z0-9][a-z0-9-]*$/.test(game) || !/^[1-9]\d?(x\d+(,[a-z-]+)*|(\+\d+)+)?$/.test(size)) return { view: home, wrong: [t("link.board", { path })] };
  const fields = new Fields(query);
  const moves = split(fields.take("moves"));
  const view: View = {
    board: { game, size: /^\d+$/.test(size) ? Number(size) : size, after: fields.list("after") },
    mode: fields.oneOf("mode", modes, "analyse"),
    start: fields.take("p").replaceAll("_", " "),
    moves,
    at: fields.count("at", moves.length),
    lines: fields.lines(moves),
    you: fields.oneOf("you", seats, "first"),
    strength: fields.strength(),
    opponent: fields.take("opponent"),
    values: fields.oneOf("values", ["0", "1"], "0") === "1",
    ended: fields.oneOf("end", ["", "draw"], "") === "draw",
    seed: fields.take("seed").replaceAll(/\D/g, "").slice(0, 15),
    task: fields.oneOf<Task>("task", ["", "win", "draw"], ""),
    lesson: Number(fields.oneOf("lesson", ["", "1", "2", "3"], "")),
  };
  return { view, wrong: fields.wrong() };
}

/** Fields are the parameters of an address; reading one removes it. */
class Fields {
  private readonly all: URLSearchParams;
  private readonly refused: string[] = [];

  constructor(query: string) {
    this.all = new URLSearchParams(query);
  }

  /** take returns a parameter, or "". */
  take(name: string): string {
    const value = this.all.get(name) ?? "";
    this.all.delete(name);
    return value;
  }

  /** list returns a comma-separated list. */
  list(name: string): string[] {
    return this.take(name).split(",").filter((item) => item !== "");
  }

  /** lines returns the variations beside a line of moves. */
  lines(moves: string[]): string[][] {
    return this.take("lines").split("*").filter((text) => text !== "").flatMap((text) => {
      const [n = "", ...rest] = split(text);
      if (/^\d+$/.test(n) && Number(n) <= moves.length && rest.length > 0) return [[...moves.slice(0, Number(n)), ...rest]];
      this.refuse("lines", text, "2.a1.b2*0.c3");
      return [];
    });
  }

  oneOf<T extends string>(name: string, known: readonly T[], usual: T): T {
    const value = this.take(name);
    const found = known.find((k) => k === value);
    if (found === undefined && value !== "") this.refuse(name, value, known.filter((k) => k !== "").join(", "));
    return found ?? usual;
  }

  /** count returns a number up to most, and most where it is left out. */
  count(name: string, most: number): number {
    const value = this.take(name);
    if (value === "" || (/^\d+$/.test(value) && Number(value) <= most)) return value === "" ? most : Number(value);
    this.refuse(name, value, `0 … ${most}`);
    return most;
  }

  strength(): Strength | null {
    const policies: readonly (Policy | "")[] = ["", "optimal", "shortest", "trap"];
    const policy = this.oneOf<Policy | "">("policy", policies, "");
    const given = this.take("blunder");
    const chance = Number(given);
    const fits = chance >= 0 && chance <= 1;
    if (!fits) this.refuse("blunder", given, "0 … 1");
    return policy === "" || !fits ? null : { policy, blunder: chance };
  }

  /** wrong returns the invalid values and the unknown parameters. */
  wrong(): string[] {
    return [...this.refused, ...[...new Set(this.all.keys())].map((name) => t("link.unknown", { name }))];
  }

  private refuse(name: string, value: string, known: string): void {
    this.refused.push(t("link.value", { name, value, known }));
  }
}

/** cut cuts a text in two at the first separator. */
function cut(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
