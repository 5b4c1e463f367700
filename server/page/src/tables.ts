// The list of tables, the page's beginning.

import { miniature, valueLabel } from "./art.js";
import { h } from "./dom.js";
import { boardName, hasSides } from "./games.js";
import { parse } from "./position.js";
import type { GameInfo, TableEntry } from "./types.js";
import { encode, home, type Board } from "./view.js";
import { bytes, number } from "./words.js";

/** Readable is the entry of a table that can be read, which has all fields. */
type Readable = TableEntry & Required<Pick<TableEntry, "game" | "size" | "start" | "states" | "bytes">>;

/** readable says whether a table can be read. */
export function readable(entry: TableEntry): entry is Readable {
  return entry.error === undefined && entry.game !== undefined && entry.start !== undefined;
}

/** boardOf is the board of a table that can be read. */
export function boardOf(entry: Readable): Board {
  return { game: entry.game, size: entry.size, after: entry.after ?? [] };
}

export class TableList extends HTMLElement {
  show(tables: TableEntry[], games: GameInfo[]): void {
    const good = tables.filter(readable);
    const bad = tables.filter((entry) => !readable(entry));
    this.replaceChildren(
      h("div", { class: "intro" }, h("h2", { class: "page-title" }, "Choose a board"),
        h("p", {}, "Each of these boards is solved: for every position it is known who wins under best play; shown is what the empty board is worth to the player who begins. Look any position up, or play against an opponent that never errs.")),
      good.length > 0 ? h("ul", { class: "cards" }, ...good.map((entry) => card(entry, games.find((game) => game.name === entry.game)))) : none(games),
    );
    if (bad.length > 0) {
      this.append(h("section", { class: "card broken" }, h("h3", {}, "Tables that cannot be read"), h("dl", {}, ...bad.flatMap(broken))));
    }
  }
}

function card(entry: Readable, game: GameInfo | undefined): HTMLElement {
  const board = boardOf(entry);
  return h("li", {},
    h("a", { class: "card table-card", href: encode({ ...home, board }) },
      !!game?.marks && miniature(parse(entry.start.position, entry.size, hasSides(game)).cells, entry.size),
      h("span", { class: "table-name" }, boardName(board, game)),
      valueLabel(entry.start),
      h("span", { class: "muted" }, `${number(entry.states)} states, ${bytes(entry.bytes)}${entry.has_steps ? "" : ", without steps"}`)));
}

function none(games: GameInfo[]): HTMLElement {
  const names = games.map((game) => game.name).join(", ");
  return h("p", { class: "card" }, "There is no table here yet. ", h("code", {}, "tbsolve GAME SIZE --steps"),
    ` makes one; the games are ${names}. It is shown here as soon as it lies in the server’s directory.`);
}

function broken(entry: TableEntry): HTMLElement[] {
  return [h("dt", {}, h("code", {}, entry.file)), h("dd", {}, entry.error ?? "The server does not say why.")];
}
