// The page: follows the address, asks the server and updates its parts.

import { announcement } from "./announce.js";
import { Api, ApiError } from "./api.js";
import type { GameBoard } from "./board.js";
import { askToken, closeButtons, fillHelp, openHelp } from "./dialogs.js";
import { Directory } from "./directory.js";
import { copy, find } from "./dom.js";
import { defineElements } from "./elements.js";
import { fillLanguages, fillTexts, openFrame, showFrame, type Section } from "./frame.js";
import { boardName, pushes } from "./games.js";
import { t } from "./language.js";
import type { BoardLegend } from "./legend.js";
import { ask, load, mayBeOver } from "./loading.js";
import { tableless, type Actions, type Brush, type Model, type Part } from "./model.js";
import { LinkError, type PageNotice } from "./notice.js";
import { endGame, keepGame } from "./played.js";
import { drawPuzzle } from "./puzzle.js";
import { passes, PositionError, splitMove } from "./position.js";
import { Reconnect } from "./reconnect.js";
import { PassError, ReplayError } from "./replay.js";
import type { Drawn } from "./traits.js";
import type { TableStatistics } from "./statistics.js";
import { hasSound, setSound } from "./sound.js";
import { asksOpponent, replyTo } from "./reply.js";
import { rules } from "./rules.js";
import { follow, known } from "./variations.js";
import { Store, type How } from "./store.js";
import type { TableList } from "./tables.js";
import type { TableEntry } from "./types.js";
import { sameBoard, type Board, type View } from "./view.js";

/** How often, in milliseconds, the list of tables is reloaded while it is shown. */
const listAge = 5000;

class Page implements Actions {
  readonly api = new Api();
  private readonly store = new Store((view, wrong) => {
    this.notice.clear();
    void this.show(view, wrong);
  });
  private readonly server = new Directory(this.api);
  private readonly reconnect = new Reconnect();
  private model: Model | null = null;
  private brush: Brush = "cycle";
  /** Counts the requests, so that late answers to earlier ones are dropped. */
  private turn = 0;
  private readonly notice = find<PageNotice>("page-notice");
  private readonly board = find<GameBoard>("game-board");
  private readonly legend = find<BoardLegend>("board-legend");
  private readonly parts = [...document.querySelectorAll<Part>("[data-part]")];

  start(): void {
    for (const part of this.parts) part.actions = this;
    find<TableStatistics>("table-statistics").actions = this;
    find<TableList>("table-list").actions = this;
    openFrame(this.store.view);
    fillHelp([]);
    closeButtons();
    fillLanguages((message) => this.tell(message));
    find("#skip").addEventListener("click", (event) => {
      event.preventDefault(); // the fragment of the address is the view's
      const cell = document.querySelector<HTMLElement>("[data-section=board] game-board [tabindex='0']");
      (cell ?? find<HTMLElement>("main")).focus();
    });
    find("#open-help").addEventListener("click", () => this.help());
    const sound = find("#sound");
    const press = () => sound.setAttribute("aria-pressed", String(hasSound()));
    press();
    sound.addEventListener("click", () => {
      setSound(!hasSound());
      press();
    });
    find("#copy-link").addEventListener("click", () => void this.copyLink());
    document.addEventListener("keydown", (event) => this.key(event));
    this.store.begin();
  }

  go(change: Partial<View>, how: How = "push"): void {
    this.store.go(change, how);
  }

  play(moves: string[]): void {
    const { view } = this.store;
    const line = [...view.moves.slice(0, view.at), ...moves];
    const lines = view.mode === "analyse" ? view.lines : []; // in a game the opponent may answer otherwise
    this.follow(known({ moves: view.moves, lines }, line), line.length);
  }

  follow(line: string[], at: number, how: How = "push"): void {
    this.go({ ...follow(this.store.view, line), at, ended: false }, how);
  }

  step(at: number): void {
    const { view } = this.store;
    const to = Math.max(0, Math.min(at, view.moves.length));
    if (to !== view.at) this.go({ at: to });
  }

  set(position: string, how: How = "push"): void {
    this.go({ start: position, moves: [], at: 0, ended: false }, how);
  }

  paint(brush: Brush): void {
    this.brush = brush;
    if (this.model) this.render({ ...this.model, brush });
  }

  hint(): void {
    void this.findHint(this.turn);
  }

  /** findHint shows the best move or, where nobody knows that, the one that playouts lead to. */
  private async findHint(turn: number): Promise<void> {
    const { model } = this;
    if (!model?.answer?.moves[0]) return;
    try {
      const move = model.answer.outcome === "unknown" ? await this.api.playouts(model.board, model.position) : model.answer.moves[0].move;
      if (turn !== this.turn || !this.model) return;
      const { from, to } = splitMove(move);
      this.tell(pushes(model.game) ? t("hint.push", { from, to }) : t("hint.move", { move }));
      this.render({ ...this.model, hint: move });
    } catch (error) {
      if (turn === this.turn) this.fail(error, () => this.hint());
    }
  }

  preview(move: string | null): void {
    this.board.preview(move);
  }

  explain(model: Model, drawn: Drawn): void {
    this.legend.explain(model, drawn);
  }

  say(text: string): void {
    find("#live").textContent = text;
  }

  tell(text: string): void {
    const toast = find("#toast");
    toast.textContent = text;
    toast.classList.remove("shown");
    void toast.offsetWidth; // begins the animation again
    toast.classList.add("shown");
  }

  fail(error: unknown, retry: (() => void) | null): void {
    this.uncover();
    this.notice.show(error, retry);
    if (error instanceof ApiError && error.status === 0 && retry) this.reconnect.later(retry);
    if (!(error instanceof ApiError) || error.status !== 401) return;
    askToken(this.api.hasToken(), (token) => {
      this.api.useToken(token);
      this.notice.clear();
      retry?.();
    });
  }

  /** found is called when the server has answered. */
  private found(): void {
    if (!this.reconnect.found()) return;
    this.notice.clear();
    this.tell(t("link.back"));
  }

  /** show follows a view: the list of tables, a table's statistics, or a board. */
  private async show(view: View, wrong: string[] = []): Promise<void> {
    const turn = ++this.turn;
    this.busy(true);
    try {
      if (await this.server.learn()) fillHelp(this.server.games);
      if (turn !== this.turn) return;
      if (!view.board) await this.showTables(turn);
      else if (view.mode === "statistics") await this.showStatistics(view, view.board);
      else await this.showBoard(view, view.board, turn);
      if (turn === this.turn) this.found();
      if (turn === this.turn && wrong.length > 0) this.fail(new LinkError(wrong), null);
    } catch (error) {
      if (turn === this.turn) this.recover(error, view);
    }
    if (turn === this.turn) this.busy(false);
  }

  /** recover continues with the valid parts of an address, and shows the invalid ones. */
  private recover(error: unknown, view: View): void {
    if (error instanceof PositionError) {
      this.store.go({ start: "", moves: [], at: 0, ended: false }, "replace");
      this.fail(new LinkError([t("link.position", { column: error.column, reason: error.message })]), null);
    } else if (error instanceof PassError) {
      const { played } = error;
      this.store.go({ moves: [...view.moves.slice(0, played), passes, ...view.moves.slice(played)], at: view.at > played ? view.at + 1 : view.at }, "replace");
    } else if (error instanceof ReplayError) {
      this.store.go({ moves: view.moves.slice(0, error.played), at: error.played, ended: false }, "replace");
      this.fail(new LinkError([error.message]), null);
    } else {
      this.fail(error, () => void this.show(this.store.view));
    }
  }

  private async showTables(turn: number): Promise<void> {
    this.frame(null, "tables");
    this.listTables(await this.server.list());
    setTimeout(() => void this.watchTables(turn), listAge);
  }

  private listTables(tables: TableEntry[]): void {
    find<TableList>("table-list").show(tables, this.server.games);
  }

  /** watchTables redraws the list of tables when it changes, as long as the page shows it. */
  private async watchTables(turn: number): Promise<void> {
    if (turn !== this.turn) return;
    const now = document.hidden ? null : await this.server.changed();
    if (turn !== this.turn) return;
    if (now) this.listTables(now);
    setTimeout(() => void this.watchTables(turn), listAge);
  }

  private async showStatistics(view: View, board: Board): Promise<void> {
    this.frame(view, "statistics");
    find("a[data-mode=statistics]").removeAttribute("hidden");
    await find<TableStatistics>("table-statistics").show(board);
  }

  private async showBoard(view: View, board: Board, turn: number): Promise<void> {
    this.frame(view, "board");
    const entry = await this.server.entry(board); // fails with the server's reason where it knows no such board
    for (const mode of ["puzzle", "statistics"]) find(`a[data-mode=${mode}]`).toggleAttribute("hidden", tableless(entry)); // they need a table
    const game = this.server.game(board);
    if (!game?.board) throw new Error(t("error.noCells", { game: board.game }));
    if (view.mode === "puzzle" && !view.start) {
      const drawn = await drawPuzzle(this.api, board, game, entry, view.seed);
      if (turn === this.turn) this.go({ ...drawn, seed: "" }, "replace");
      return;
    }
    const loaded = await load(this.api, view, board, game, entry, this.brush);
    if (turn !== this.turn) return;
    const before = this.model?.position;
    if (loaded.position !== before) this.render(loaded); // the stones are there before their values
    const reply = asksOpponent(loaded) && !mayBeOver(loaded) ? replyTo(this.api, loaded) : null; // while the position is asked
    reply?.catch(() => undefined); // told when it is waited for
    const model = await ask(this.api, loaded);
    if (turn !== this.turn) return;
    this.render(model);
    this.uncover();
    if (model.position !== before || view.mode === "play") this.say(announcement(model, find(".headline").textContent ?? ""));
    if (view.mode === "play" && view.moves.length > 0) keepGame(view, `${boardName(board, game)}: ${find(".headline").textContent}`, !model.result);
    if (view.mode !== "play" || view.moves.length + view.lines.length === 0) endGame();
    if (model.result || !asksOpponent(model)) return;
    const move = await (reply ?? replyTo(this.api, model));
    if (turn !== this.turn) return;
    this.follow([...view.moves, move], view.moves.length + 1, "replace"); // so that Back takes back the player's own move, too
  }

  private render(model: Model): void {
    this.model = model;
    for (const part of this.parts) part.update(model);
  }

  /** frame shows the sections of a kind of view. Parts that still show another board stay hidden until all of this
   * one is there, so that nothing moves. */
  private frame(view: View | null, section: Section): void {
    if (!sameBoard(view?.board ?? null, this.model?.board ?? null)) find(".desk").classList.add("stale");
    showFrame(view, section, view?.board ? this.server.game(view.board) : undefined);
  }

  /** uncover shows the board drawn last, if it is the board of the view. */
  private uncover(): void {
    if (sameBoard(this.store.view.board, this.model?.board ?? null)) find(".desk").classList.remove("stale");
  }

  /** help opens the help with the rules of the game that is open. */
  private help(): void {
    const { board } = this.store.view;
    const game = board ? this.server.game(board) : undefined;
    openHelp(board && game ? { title: boardName(board, game), ...rules(game, board.size) } : null);
  }

  private busy(busy: boolean): void {
    find("main").setAttribute("aria-busy", String(busy));
  }

  private async copyLink(): Promise<void> {
    const done = await copy(location.href.replace("#", "?")); // the server can read a query, and describe it
    this.tell(done ? t("link.copied") : t("link.notCopied"));
  }

  private key(event: KeyboardEvent): void {
    const typing = event.target instanceof Element && event.target.matches("input:not([type=checkbox], [type=radio]), select, dialog *");
    if (event.defaultPrevented || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const board = document.body.dataset["section"] === "board";
    if (event.key === "?") this.help();
    else if (event.key === "Escape") this.notice.clear();
    else if (event.key === "[" && board) this.step(this.store.view.at - 1);
    else if (event.key === "]" && board) this.step(this.store.view.at + 1);
  }
}

fillTexts();
defineElements();
new Page().start();
