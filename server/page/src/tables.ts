// The list of tables, the page's beginning.

import { miniature, valueLabel } from "./art.js";
import { h } from "./dom.js";
import { t } from "./language.js";
import { boardName, hasSides } from "./games.js";
import { parse } from "./position.js";
import type { GameInfo, TableEntry } from "./types.js";
import { encode, home, type Board } from "./view.js";
import { bytes } from "./words.js";

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
      h("div", { class: "intro" }, h("h1", { class: "page-title" }, t("tables.title")), h("p", {}, t("tables.intro"))),
      good.length > 0 ? h("ul", { class: "cards" }, ...good.map((entry) => card(entry, games.find((game) => game.name === entry.game)))) : none(games),
    );
    if (bad.length > 0) {
      this.append(h("section", { class: "card broken" }, h("h2", {}, t("tables.broken")), h("dl", {}, ...bad.flatMap(broken))));
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
      h("span", { class: "muted" }, facts(entry))));
}

function facts(entry: Readable): string {
  const all = [t("count.states", { n: entry.states }), bytes(entry.bytes)];
  return (entry.has_steps ? all : [...all, t("tables.noSteps")]).join(", ");
}

function none(games: GameInfo[]): HTMLElement {
  const names = games.map((game) => game.name).join(", ");
  return h("p", { class: "card" }, `${t("tables.none")} `, h("code", {}, "tbsolve GAME SIZE --steps"), ` ${t("tables.make", { names })}`);
}

function broken(entry: TableEntry): HTMLElement[] {
  return [h("dt", {}, h("code", {}, entry.file)), h("dd", { lang: "en" }, entry.error ?? "The server does not say why.")];
}
