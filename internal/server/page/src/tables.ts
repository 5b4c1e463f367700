// The list of tables, the first page.

import { find, h, inTurns } from "./dom.js";
import { t } from "./language.js";
import { boardName, gameOn, playerName, titleOf, wonText } from "./games.js";
import { isFree, read } from "./kinds.js";
import type { Actions } from "./model.js";
import { keptSide } from "./opponent.js";
import { ownGame } from "./own.js";
import { picture } from "./picture.js";
import { mover, other } from "./position.js";
import { continueLink, gamesPanel, playedGames } from "./played.js";
import { goal } from "./rules.js";
import type { Answer, GameInfo, TableEntry } from "./types.js";
import { encode, home, type Board } from "./view.js";
import { bytes, capital } from "./words.js";

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

/** hasTable says whether a board's positions are known from a table. */
export function hasTable(board: Board, game: GameInfo | undefined): boolean {
  return game?.tables !== false || board.after.length > 0;
}

/** entryOf returns an entry for a board without a table, from the answer for its start. */
export function entryOf(board: Board, { outcome, position, steps }: Answer): TableEntry {
  return { file: "", game: board.game, size: board.size, has_steps: steps !== null, start: { position, outcome, steps }, knows_all: outcome !== "unknown" };
}

/** Choice is a selectable board, with its table if it has one. */
interface Choice {
  board: Board;
  entry: Readable | null;
}

export class TableList extends HTMLElement {
  actions!: Actions;
  private shown = "";

  connectedCallback(): void {
    history.scrollRestoration = "manual"; // the browser would do it before the games are shown
    this.addEventListener("click", () => history.replaceState({ top: scrollY }, ""));
  }

  /** show lists the games. The cards come one after the other when there are none yet; others take their places all at once. */
  async show(tables: TableEntry[], games: GameInfo[]): Promise<void> {
    const now = JSON.stringify([tables, playedGames()]);
    if (now === this.shown) return; // what is chosen stays
    this.shown = now;
    const good = tables.filter(readable);
    const bad = tables.filter((entry) => !readable(entry));
    const solved = games.filter((game) => good.some((entry) => entry.game === game.name));
    const others = games.filter((game) => game.tables === false);
    const [intro, ...before] = this.children;
    find(".begin", this).replaceChildren(...[continueLink(), dailyLink(good)].filter((link) => link !== null));
    const list = h("ul", { class: "cards" });
    if (before.length === 0) this.append(list);
    await inTurns([...solved, ...others], (game) => list.append(this.card(game, choicesOf(game, good))));
    if (now !== this.shown) return;
    for (const old of before) old.remove();
    if (good.length === 0) intro?.after(none(games));
    this.append(list, gamesPanel((text) => this.actions.tell(text)));
    if (this.actions.api.solves) this.append(ownGame(this.actions));
    if (bad.length > 0) {
      this.append(h("section", { class: "card broken" }, h("h2", {}, t("tables.broken")), h("dl", {}, ...bad.flatMap(broken))));
    }
  }

  /** card presents a game: its goal, its boards, and what is known of the selected one, at first the largest complete square board. */
  private card(game: GameInfo, choices: Choice[]): HTMLElement {
    const headline = h("p", { class: "facts-line" });
    const place = h("div", { class: "picture" });
    const play = h("a", { class: "button primary" }, t("nav.play"));
    const puzzle = h("a", {}, t("nav.puzzle"));
    const explore = h("a", { class: "button" }, t("tables.explore"));
    const lesson = h("a", { hidden: true }, t("lesson.link"));
    void this.addLesson(lesson, game, choices);
    const name = ({ board }: Choice) => boardName(board, gameOn(game, board.size));
    const size = h("select", { "aria-label": t("tables.board", { game: titleOf(game) }) },
      ...choices.map((choice, i) => h("option", { value: i }, name(choice).replace(`${titleOf(game)} `, ""))));
    const choose = () => {
      const choice = choices[Number(size.value)];
      if (!choice) return;
      play.href = encode({ ...home, board: choice.board, mode: "play", you: keptSide() });
      explore.href = encode({ ...home, board: choice.board });
      puzzle.hidden = !choice.entry;
      puzzle.href = encode({ ...home, board: choice.board, mode: "puzzle" });
      for (const [link, text] of [[play, "nav.play"], [puzzle, "nav.puzzle"], [explore, "tables.explore"]] as const) link.setAttribute("aria-label", `${t(text)}: ${name(choice)}`);
      headline.replaceChildren(...headlineOf(choice, game));
      place.replaceChildren(pictureOf(game, choice));
      if (choice.entry?.has_steps) void this.addLongest(choice.board, choice.entry.start.steps, headline, () => choices[Number(size.value)] === choice);
    };
    const whole = choices.filter(({ board }) => board.after.length === 0 && typeof board.size === "number");
    const largest = (whole.length > 0 ? whole : choices).reduce((a, b) => ((b.entry?.states ?? 0) > (a.entry?.states ?? 0) ? b : a));
    size.value = String(largest.entry ? choices.indexOf(largest) : Math.min(choices.length - 1, 3));
    size.addEventListener("change", choose);
    choose();
    const story = goal(game);
    return h("li", { class: "card game-card" }, place, h("h2", {}, titleOf(game)),
      h("p", { class: "story", lang: story.lang }, story.text), headline,
      choices.length > 1 && size, h("div", { class: "buttons" }, play, explore), h("p", { class: "buttons" }, puzzle, lesson));
  }

  /** addLesson shows the link to a board's tutorial, if it has one and the server knows its last position. */
  private async addLesson(link: HTMLAnchorElement, game: GameInfo, choices: Choice[]): Promise<void> {
    const { api } = this.actions;
    const lessons = await api.lessons().catch(() => ({}) as Record<string, string[]>); // without an answer there are none
    const of = ({ board }: Choice) => (board.after.length > 0 ? undefined : lessons[`${board.game}/${board.size}`]);
    const choice = choices.find(of);
    const [start = "", , last = ""] = (choice && of(choice)) ?? [];
    if (!choice) return;
    const known = choice.entry ?? game.boards.find(({ source }) => source) ?? (await api.position(choice.board, last, true).catch(() => null));
    if (!known || ("outcome" in known && known.outcome === "unknown")) return;
    link.hidden = false;
    link.href = encode({ ...home, board: choice.board, mode: "puzzle", lesson: 1, start });
  }

  /** addLongest adds the longest win of a board, if it takes more steps than that from the start, to its headline while the
   * board is chosen. */
  private async addLongest(board: Board, steps: number | null, headline: HTMLElement, chosen: () => boolean): Promise<void> {
    const longest = (await this.actions.api.table(board).catch(() => null))?.longest_win; // without an answer the headline is shorter
    if (longest && longest.steps > (steps ?? 0) && chosen()) headline.lastElementChild?.append(t("tables.longest", { n: longest.steps }));
  }
}

/** choicesOf are the boards of a game that have tables, or else those that need none. */
function choicesOf(game: GameInfo, tables: Readable[]): Choice[] {
  const solved = tables.filter((entry) => entry.game === game.name).map((entry) => ({ board: boardOf(entry), entry }));
  return solved.length > 0 ? solved : game.boards.map(({ size }) => ({ board: { game: game.name, size, after: [] }, entry: null }));
}

/** dailyLink leads to the puzzle of the day, on one of the boards with steps; null if there are none. */
function dailyLink(tables: Readable[]): HTMLElement | null {
  const boards = tables.filter((entry) => entry.has_steps && boardOf(entry).after.length === 0);
  const seed = new Date().toISOString().slice(0, 10).replaceAll("-", ""); // the date in UTC: 20301231
  const entry = boards[Number(seed) % boards.length];
  return entry ? h("p", {}, h("a", { id: "daily", href: encode({ ...home, board: boardOf(entry), mode: "puzzle", seed }) }, t("puzzle.daily"))) : null;
}

/** headlineOf says what is known of a board. */
function headlineOf({ board, entry }: Choice, game: GameInfo): Node[] {
  if (entry) return [outcomeOf(entry, game), h("span", { class: entry.has_steps ? "muted longest" : "muted" }, facts(entry))];
  const source = game.boards.find(({ size }) => size === board.size)?.source;
  return [h("span", { class: "muted" }, t(source ? "tables.known" : "tables.near"))];
}

/** outcomeOf says who wins a board from its start. */
function outcomeOf({ start, size }: Readable, game: GameInfo): HTMLElement {
  const { outcome, steps, position } = start;
  const first = mover(read(position, size, game));
  const winner = outcome === "win" ? first : other(first);
  const text = outcome === "draw" ? t("tables.draw") : outcome === "unknown" ? t("outcome.unknown")
    : game.layout?.sides ? wonText(winner, game) : t("tables.wins", { player: capital(playerName(winner, game)) });
  return h("strong", {}, steps === null ? text : text + t("tables.in", { n: steps }));
}

function pictureOf(game: GameInfo, { board, entry }: Choice): SVGElement {
  return picture(game, board.size, entry?.start.position ?? game.boards.find(({ size }) => size === board.size)?.start ?? "");
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
