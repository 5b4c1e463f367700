// The page: it follows the address, asks the server and tells its parts.

import { Api, ApiError } from "./api.js";
import { GameBoard } from "./board.js";
import { BarChart } from "./chart.js";
import { askToken, closeButtons, fillHelp, openHelp } from "./dialogs.js";
import { copy, find } from "./dom.js";
import { result } from "./ending.js";
import { boardName, hasSides, playerName, pushes } from "./games.js";
import { MoveHistory, StepButtons } from "./history.js";
import { MainLine } from "./mainline.js";
import { Part, shown, type Actions, type Brush, type Model } from "./model.js";
import { PageNotice } from "./notice.js";
import { OpponentPanel, strongest } from "./opponent.js";
import { mover, PositionError, splitMove, type Player } from "./position.js";
import { MoveRanking } from "./ranking.js";
import { replay, ReplayError } from "./replay.js";
import { SetupPanel } from "./setup.js";
import { TableStatistics } from "./statistics.js";
import { GameStatus } from "./status.js";
import { Store, type How } from "./store.js";
import { boardOf, readable, TableList } from "./tables.js";
import type { Answer, GameInfo, TableEntry } from "./types.js";
import { encode, modes, sameBoard, type Board, type View } from "./view.js";
import { capital, valueText } from "./words.js";

/** The opponent takes so many milliseconds at least, so that one sees the own move before the answer. */
const thinking = 350;

class Page implements Actions {
  readonly api = new Api();
  private readonly store = new Store((view) => void this.show(view));
  private games: GameInfo[] | null = null;
  private tables: TableEntry[] | null = null;
  private model: Model | null = null;
  private brush: Brush = "cycle";
  /** Counts what was asked for, so that late answers to earlier questions are dropped. */
  private turn = 0;
  private readonly notice = find<PageNotice>("page-notice");
  private readonly board = find<GameBoard>("game-board");
  private readonly parts = [...document.querySelectorAll<Part>("[data-part]")];

  start(): void {
    for (const part of this.parts) part.actions = this;
    find<TableStatistics>("table-statistics").actions = this;
    fillHelp([]);
    closeButtons();
    find("#skip").addEventListener("click", () => document.querySelector<HTMLElement>("game-board [tabindex='0']")?.focus());
    find("#open-help").addEventListener("click", openHelp);
    find("#copy-link").addEventListener("click", () => void this.copyLink());
    document.addEventListener("keydown", (event) => this.key(event));
    void this.show(this.store.view);
  }

  go(change: Partial<View>, how: How = "push"): void {
    this.notice.clear();
    this.store.go(change, how);
  }

  play(moves: string[]): void {
    const { at, moves: played } = this.store.view;
    const follows = moves.every((move, i) => played[at + i] === move);
    this.go({ moves: follows ? played : [...played.slice(0, at), ...moves], at: at + moves.length });
  }

  step(at: number): void {
    const { view } = this.store;
    const to = Math.max(0, Math.min(at, view.moves.length));
    if (to !== view.at) this.go({ at: to });
  }

  set(position: string, how: How = "push"): void {
    this.go({ start: position, moves: [], at: 0 }, how);
  }

  paint(brush: Brush): void {
    this.brush = brush;
    if (this.model) this.render({ ...this.model, brush });
  }

  hint(): void {
    const best = this.model?.answer?.moves[0];
    if (!this.model || !best) return;
    const { from, to } = splitMove(best.move);
    this.tell(pushes(this.model.game) ? `Hint: take ${from}, push it in at ${to}` : `Hint: ${best.move}`);
    this.render({ ...this.model, hint: best.move });
  }

  preview(move: string | null): void {
    this.board.preview(move);
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
    if (error instanceof ApiError && error.status === 401) {
      askToken(error.message, (token) => {
        this.api.useToken(token);
        this.notice.clear();
        retry?.();
      });
    }
    this.notice.show(error, retry);
  }

  /** show follows a view: the list of tables, a table's statistics, or a board. */
  private async show(view: View): Promise<void> {
    const turn = ++this.turn;
    this.busy(true);
    try {
      await this.learnGames();
      if (turn !== this.turn) return;
      if (!view.board) await this.showTables(turn);
      else if (view.mode === "statistics") await this.showStatistics(view, view.board);
      else await this.showBoard(view, view.board, turn);
    } catch (error) {
      if (turn === this.turn) this.recover(error, view);
    }
    if (turn === this.turn) this.busy(false);
  }

  /** learnGames asks for the games, once. */
  private async learnGames(): Promise<void> {
    if (this.games) return;
    this.games = await this.api.games();
    fillHelp(this.games);
  }

  /** game returns what is known of the game of a board. */
  private game(board: Board): GameInfo | undefined {
    return this.games?.find((game) => game.name === board.game);
  }

  /** recover goes on from what can be read of an address, and shows what cannot. */
  private recover(error: unknown, view: View): void {
    if (error instanceof PositionError) {
      this.store.go({ start: "", moves: [], at: 0 }, "replace");
      const where = new Error(`The position in the address cannot be read; this is the start. Column ${error.column}: ${error.message}`);
      this.fail(where, null);
    } else if (error instanceof ReplayError) {
      this.store.go({ moves: view.moves.slice(0, error.played), at: error.played }, "replace");
      this.fail(error, null);
    } else {
      this.fail(error, () => void this.show(this.store.view));
    }
  }

  private async showTables(turn: number): Promise<void> {
    this.frame(null, "tables");
    this.api.forget();
    this.tables = await this.api.tables();
    if (turn === this.turn) find<TableList>("table-list").show(this.tables, this.games ?? []);
  }

  private async showStatistics(view: View, board: Board): Promise<void> {
    this.frame(view, "statistics");
    await find<TableStatistics>("table-statistics").show(board);
  }

  private async showBoard(view: View, board: Board, turn: number): Promise<void> {
    this.frame(view, "board");
    const entry = await this.entry(board); // fails with the server's reason where it knows no such board
    const game = this.game(board);
    if (!game?.marks) throw new Error(`The page cannot draw the boards of ${board.game}; tbquery answers for them, and the server over HTTP.`);
    const positions = await replay(this.api, board, hasSides(game), view.start || (entry.start?.position ?? ""), view.moves);
    if (turn !== this.turn) return;
    const position = positions[view.at] ?? "";
    const before = this.model?.position;
    const values = view.mode !== "play" || view.values;
    const model: Model = { view, board, game, entry, positions, position, answer: null, result: null, values, yourTurn: false, brush: this.brush, hint: null };
    if (position !== before) this.render(model); // the stones are there before their values
    const answer = await this.api.position(board, position);
    if (turn !== this.turn) return;
    this.render(answered(model, answer));
    if (position !== before || view.mode === "play") this.announce();
    await this.opponentPlays(turn);
  }

  /** entry returns what the list of tables says of a board; it asks again where the board is not in the list. */
  private async entry(board: Board): Promise<TableEntry> {
    const known = () => this.tables?.filter(readable).find((entry) => sameBoard(boardOf(entry), board));
    if (!known()) this.tables = await this.api.tables();
    return known() ?? { file: "", ...(await this.api.table(board)) };
  }

  private async opponentPlays(turn: number): Promise<void> {
    const { model } = this;
    if (!model?.answer || model.view.mode !== "play" || model.result || model.view.at !== model.view.moves.length) return;
    if (toMove(model) === model.view.you) return;
    const strength = model.view.strength ?? strongest(!!model.entry.has_steps);
    const pause = new Promise((done) => setTimeout(done, thinking));
    const [choice] = await Promise.all([this.api.move(model.board, model.position, strength), pause]);
    if (turn !== this.turn) return;
    const moves = [...model.view.moves, choice.move.move];
    this.store.go({ moves, at: moves.length }, "replace"); // so that going back takes back the own move, too
  }

  private render(model: Model): void {
    this.model = model;
    find(".desk").classList.remove("stale");
    for (const part of this.parts) part.update(model);
  }

  /** announce says what has happened on the board. */
  private announce(): void {
    const { model } = this;
    if (!model?.answer) return;
    const move = model.view.moves[model.view.at - 1];
    const words: string[] = [];
    if (move) words.push(model.view.mode === "play" ? `${toMove(model) === model.view.you ? "The opponent" : "You"} played ${move}.` : `${move} played.`);
    if (model.result) words.push(`${find(".headline").textContent}. ${model.result.reason}`);
    else if (model.yourTurn && model.view.mode === "play") words.push("Your move.");
    else if (model.values) words.push(`${capital(valueText(model.answer))} for ${playerName(toMove(model), model.game)}, who is to move.`);
    this.say(words.join(" "));
  }

  /** frame shows the sections of a kind of view, and where in the page one is. */
  private frame(view: View | null, section: "tables" | "statistics" | "board"): void {
    document.body.dataset["section"] = section;
    find(".desk").classList.toggle("stale", !sameBoard(view?.board ?? null, this.model?.board ?? null));
    for (const mode of modes) {
      const link = find<HTMLAnchorElement>(`a[data-mode=${mode}]`);
      link.href = view ? encode({ ...view, mode }) : "#";
      if (view?.mode === mode) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const game = view?.board ? this.game(view.board) : undefined;
    const name = view?.board ? boardName(view.board, game) : "";
    find("#board-name").textContent = name;
    document.title = name ? `${name} – backsolve` : "backsolve";
    find("#rules").textContent = game?.summary ?? "";
  }

  private busy(busy: boolean): void {
    find("main").setAttribute("aria-busy", String(busy));
  }

  private async copyLink(): Promise<void> {
    const done = await copy(location.href);
    this.tell(done ? "The link is copied: it opens just this view." : "The browser does not let the page copy; the address of the page is the link.");
  }

  private key(event: KeyboardEvent): void {
    const typing = event.target instanceof Element && event.target.matches("input:not([type=checkbox], [type=radio]), select, dialog *");
    if (event.defaultPrevented || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const board = document.body.dataset["section"] === "board";
    if (event.key === "?") openHelp();
    else if (event.key === "[" && board) this.step(this.store.view.at - 1);
    else if (event.key === "]" && board) this.step(this.store.view.at + 1);
  }
}

function toMove(model: Model): Player {
  return mover(shown(model));
}

/** answered adds to a model what the server says of its position. */
function answered(model: Model, answer: Answer): Model {
  const { view } = model;
  const you = view.mode === "play" ? view.you : null;
  return {
    ...model,
    answer,
    result: answer.terminal ? result(shown(model), model.game, answer.outcome, you) : null,
    yourTurn: !answer.terminal && (you === null || toMove(model) === you),
  };
}

const elements = {
  "bar-chart": BarChart,
  "game-board": GameBoard,
  "game-status": GameStatus,
  "main-line": MainLine,
  "move-history": MoveHistory,
  "move-ranking": MoveRanking,
  "opponent-panel": OpponentPanel,
  "page-notice": PageNotice,
  "setup-panel": SetupPanel,
  "step-buttons": StepButtons,
  "table-list": TableList,
  "table-statistics": TableStatistics,
};
for (const [name, element] of Object.entries(elements)) customElements.define(name, element);
new Page().start();
