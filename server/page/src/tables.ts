// The list of tables, the first page.

import { miniature, valueLabel } from "./art.js";
import { h } from "./dom.js";
import { t } from "./language.js";
import { boardName, gameOn, titleOf } from "./games.js";
import { isFree, kindOf, read } from "./kinds.js";
import { shapeOf } from "./shape.js";
import type { Answer, GameInfo, TableEntry } from "./types.js";
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

/** hasTable says whether the positions of a board are known by a table. */
export function hasTable(board: Board, game: GameInfo | undefined): boolean {
  return game?.tables !== false || board.after.length > 0;
}

/** entryOf is what stands for the table of a board that has none, by the answer for its start. */
export function entryOf(board: Board, { outcome, position, steps }: Answer): TableEntry {
  return { file: "", game: board.game, size: board.size, has_steps: steps !== null, start: { position, outcome, steps }, knows_all: outcome !== "unknown" };
}

export class TableList extends HTMLElement {
  show(tables: TableEntry[], games: GameInfo[]): void {
    const good = tables.filter(readable);
    const bad = tables.filter((entry) => !readable(entry));
    this.replaceChildren(
      h("div", { class: "intro" }, h("h1", { class: "page-title" }, t("tables.title")), good.length > 0 && h("p", {}, t("tables.intro"))),
      good.length > 0 ? h("ul", { class: "cards" }, ...good.map((entry) => card(entry, gameOn(games.find((game) => game.name === entry.game), entry.size)))) : none(games),
    );
    const others = games.filter((game) => game.tables === false);
    if (others.length > 0) this.append(tableless(others));
    if (bad.length > 0) {
      this.append(h("section", { class: "card broken" }, h("h2", {}, t("tables.broken")), h("dl", {}, ...bad.flatMap(broken))));
    }
  }
}

function card(entry: Readable, game: GameInfo | undefined): HTMLElement {
  const board = boardOf(entry);
  return h("li", {},
    h("a", { class: "card table-card", href: encode({ ...home, board }) },
      !!game && little(entry, game),
      h("span", { class: "table-name" }, boardName(board, game)),
      valueLabel(entry.start),
      h("span", { class: "muted" }, facts(entry))));
}

/** little draws the start of a game on a grid. */
function little({ size, start }: Readable, game: GameInfo): SVGElement | false {
  if (kindOf(game) !== "grid" && kindOf(game) !== "rows") return false;
  const { cells, rows } = read(start.position, size, game);
  return miniature(cells, rows?.[0]?.length ?? shapeOf(size).columns);
}

/** tableless lists the games that have no tables, with all their boards. */
function tableless(games: GameInfo[]): HTMLElement {
  return h("section", { class: "tableless" }, h("h2", {}, t("tables.tableless")), h("p", {}, t("tables.unneeded")),
    h("ul", { class: "cards" }, ...games.map((game) => h("li", { class: "card" },
      h("h3", {}, titleOf(game)),
      h("div", { class: "chips" }, ...game.boards.map(({ size, variant }) =>
        h("a", { class: "chip", href: encode({ ...home, board: { game: game.name, size, after: [] } }) }, variant.replaceAll("x", "×"))))))));
}

function facts(entry: Readable): string {
  const all = [t("count.states", { n: entry.states }), bytes(entry.bytes)];
  return (entry.has_steps ? all : [...all, t("tables.noSteps")]).join(", ");
}

function none(games: GameInfo[]): HTMLElement {
  const names = games.filter((game) => game.tables !== false && !isFree(game)).map((game) => game.name).join(", ");
  return h("p", { class: "card" }, `${t("tables.none")} `, h("code", {}, "tbsolve GAME SIZE --steps"), ` ${t("tables.make", { names })}`);
}

function broken(entry: TableEntry): HTMLElement[] {
  return [h("dt", {}, h("code", {}, entry.file)), entry.error ? h("dd", { lang: "en" }, entry.error) : h("dd", {}, t("tables.noReason"))];
}
