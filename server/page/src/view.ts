// What the page shows, as the fragment of its address says it: who opens the address sees the same.

import type { Policy } from "./types.js";
import type { Player } from "./position.js";

export const modes = ["analyse", "play", "edit", "statistics"] as const;
export type Mode = (typeof modes)[number];

/** Board names a table: the game, the n of the n×n board, and the cells marked from the start. */
export interface Board {
  game: string;
  size: number;
  after: string[];
}

/** Strength says how the opponent plays; blunder is the probability, from 0 to 1, of a random move. */
export interface Strength {
  policy: Policy;
  blunder: number;
}

export interface View {
  /** null shows the list of tables. */
  board: Board | null;
  mode: Mode;
  /** The position that the moves begin with; "" is the start of the table's game. */
  start: string;
  moves: string[];
  /** How many of the moves are played on the board that is shown. */
  at: number;
  /** Who the person at the page is, in a game against the opponent. */
  you: Player;
  /** null is the strongest that the table allows. */
  strength: Strength | null;
  /** Whether values are shown while playing. */
  values: boolean;
}

export const home: View = { board: null, mode: "analyse", start: "", moves: [], at: 0, you: "first", strength: null, values: false };

/** sameBoard says whether two boards are asked of the same table. */
export function sameBoard(a: Board | null, b: Board | null): boolean {
  if (!a || !b) return a === b;
  return a.game === b.game && a.size === b.size && a.after.join() === b.after.join();
}

/** encode returns the fragment of a view, with its #. What is as usual is left out. */
export function encode(view: View): string {
  if (!view.board) return "#";
  const fields: string[] = [];
  const add = (name: string, value: string) => fields.push(`${name}=${escape(value)}`);
  if (view.board.after.length > 0) add("after", view.board.after.join(","));
  if (view.mode !== "analyse") add("mode", view.mode);
  if (view.start) add("p", view.start.replace(" ", "_"));
  if (view.moves.length > 0) add("moves", view.moves.join("."));
  if (view.at !== view.moves.length) add("at", String(view.at));
  if (view.mode === "play") {
    add("you", view.you);
    if (view.strength) {
      add("policy", view.strength.policy);
      add("blunder", String(view.strength.blunder));
    }
    if (view.values) add("values", "1");
  }
  return `#${escape(view.board.game)}/${view.board.size}` + (fields.length > 0 ? `?${fields.join("&")}` : "");
}

/** escape leaves the slashes and commas of positions and cells as they are, so that an address can be read. */
function escape(text: string): string {
  return encodeURIComponent(text).replaceAll("%2F", "/").replaceAll("%2C", ",");
}

/** decode reads a fragment. Whatever it cannot read is as usual: an address that was cut short still opens a board,
 * and what the server does not know, the server refuses. */
export function decode(fragment: string): View {
  const [path = "", query = ""] = split(fragment.replace(/^#\/?/, ""), "?");
  const [game = "", size = ""] = split(path, "/");
  if (!/^[a-z][a-z0-9-]*$/.test(game) || !/^[1-9]\d?$/.test(size)) return home;
  const fields = new URLSearchParams(query);
  const list = (name: string, separator: string) => (fields.get(name) ?? "").split(separator).filter((item) => item !== "");
  const moves = list("moves", ".");
  const at = fields.get("at") ?? "";
  return {
    board: { game, size: Number(size), after: list("after", ",") },
    mode: modes.find((mode) => mode === fields.get("mode")) ?? "analyse",
    start: (fields.get("p") ?? "").replace("_", " "),
    moves,
    at: /^\d+$/.test(at) ? Math.min(Number(at), moves.length) : moves.length,
    you: fields.get("you") === "second" ? "second" : "first",
    strength: decodeStrength(fields.get("policy"), fields.get("blunder")),
    values: fields.get("values") === "1",
  };
}

function decodeStrength(policy: string | null, blunder: string | null): Strength | null {
  const chance = Number(blunder ?? "0");
  if ((policy !== "optimal" && policy !== "shortest") || !(chance >= 0 && chance <= 1)) return null;
  return { policy, blunder: chance };
}

/** split cuts a text in two at the first separator. */
function split(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
