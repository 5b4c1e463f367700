// Follows the views: asks the server for what each shows.

import { announcement } from "./announce.js";
import type { Directory } from "./directory.js";
import { find } from "./dom.js";
import { boardName, pushes } from "./games.js";
import { t } from "./language.js";
import { ask, load, mayBeOver } from "./loading.js";
import { tableless, type Actions } from "./model.js";
import { LinkError } from "./notice.js";
import { endGame, keepGame } from "./played.js";
import { passes, PositionError, splitMove } from "./position.js";
import { drawPuzzle } from "./puzzle.js";
import { PassError, ReplayError } from "./replay.js";
import { asksOpponent, replyTo } from "./reply.js";
import type { Screen } from "./screen.js";
import { home, type Board, type View } from "./view.js";

/** How often, in milliseconds, the list of tables is reloaded while it is shown. */
const listAge = 5000;

export class Visits {
  /** Counts the requests, so that late answers to earlier ones are dropped. */
  private turn = 0;
  private view: View = home;

  constructor(
    private readonly server: Directory,
    private readonly screen: Screen,
    private readonly actions: Actions,
    /** Is called when the server has answered. */
    private readonly answered: () => void,
  ) {}

  /** show follows a view: the list of tables, a table's statistics, or a board. wrong is what could not be read of its address. */
  async show(view: View, wrong: string[] = []): Promise<void> {
    const turn = ++this.turn;
    this.view = view;
    this.screen.busy(true);
    try {
      await this.server.learn();
      if (turn !== this.turn) return;
      if (!view.board) await this.showTables(turn);
      else if (view.mode === "statistics") await this.showStatistics(view, view.board);
      else await this.showBoard(view, view.board, turn);
      if (turn === this.turn) this.answered();
      if (turn === this.turn && wrong.length > 0) this.actions.fail(new LinkError(wrong), null);
    } catch (error) {
      if (turn === this.turn) this.recover(error, view);
    }
    if (turn === this.turn) this.screen.busy(false);
  }

  /** hint shows the best move or, where nobody knows that, the one that playouts lead to. */
  async hint(): Promise<void> {
    const { turn } = this;
    const { model } = this.screen;
    if (!model?.answer?.moves[0]) return;
    try {
      const move = model.answer.outcome === "unknown" ? await this.actions.api.playouts(model.board, model.position) : model.answer.moves[0].move;
      if (turn !== this.turn || !this.screen.model) return;
      const { from, to } = splitMove(move);
      this.actions.tell(pushes(model.game) ? t("hint.push", { from, to }) : t("hint.move", { move }));
      this.screen.render({ ...this.screen.model, hint: move });
    } catch (error) {
      if (turn === this.turn) this.actions.fail(error, () => void this.hint());
    }
  }

  /** recover continues with the valid parts of an address, and shows the invalid ones. */
  private recover(error: unknown, view: View): void {
    if (error instanceof PositionError) {
      this.actions.go({ start: "", moves: [], at: 0, ended: false }, "replace");
      this.actions.fail(new LinkError([t("link.position", { column: error.column, reason: error.message })]), null);
    } else if (error instanceof PassError) {
      const { played } = error;
      this.actions.go({ moves: [...view.moves.slice(0, played), passes, ...view.moves.slice(played)], at: view.at > played ? view.at + 1 : view.at }, "replace");
    } else if (error instanceof ReplayError) {
      this.actions.go({ moves: view.moves.slice(0, error.played), at: error.played, ended: false }, "replace");
      this.actions.fail(new LinkError([error.message]), null);
    } else {
      this.actions.fail(error, () => void this.show(this.view));
    }
  }

  private async showTables(turn: number): Promise<void> {
    this.screen.frame(null, "tables", undefined);
    await this.screen.tables.show(await this.server.list(), this.server.games);
    setTimeout(() => void this.watchTables(turn), listAge);
  }

  /** watchTables redraws the list of tables when it changes, as long as the page shows it. */
  private async watchTables(turn: number): Promise<void> {
    if (turn !== this.turn) return;
    const now = document.hidden ? null : await this.server.changed();
    if (turn !== this.turn) return;
    if (now) await this.screen.tables.show(now, this.server.games);
    setTimeout(() => void this.watchTables(turn), listAge);
  }

  private async showStatistics(view: View, board: Board): Promise<void> {
    this.screen.frame(view, "statistics", this.server.game(board));
    find("a[data-mode=statistics]").removeAttribute("hidden");
    await this.screen.statistics.show(board);
  }

  private async showBoard(view: View, board: Board, turn: number): Promise<void> {
    const { screen, actions, server } = this;
    const game = server.game(board);
    screen.frame(view, "board", game);
    const entry = await server.entry(board); // fails with the server's reason where it knows no such board
    for (const mode of ["puzzle", "statistics"]) find(`a[data-mode=${mode}]`).toggleAttribute("hidden", tableless(entry)); // they need a table
    if (!game?.board) throw new Error(t("error.noCells", { game: board.game }));
    if (view.mode === "puzzle" && !view.start) {
      const drawn = await drawPuzzle(actions.api, board, game, entry, view.seed);
      if (turn === this.turn) actions.go({ ...drawn, seed: "" }, "replace");
      return;
    }
    const loaded = await load(actions.api, view, board, game, entry, screen.brush);
    if (turn !== this.turn) return;
    const before = screen.model?.position;
    if (loaded.position !== before && screen.has(board)) screen.render(loaded); // the stones are there before their values
    const reply = asksOpponent(loaded) && !mayBeOver(loaded) ? replyTo(actions.api, loaded) : null; // while the position is asked
    reply?.catch(() => undefined); // told when it is waited for
    const model = await ask(actions.api, loaded);
    if (turn !== this.turn) return;
    screen.render(model);
    screen.uncover(board);
    const said = find(".headline").textContent ?? "";
    if (model.position !== before || view.mode === "play") actions.say(announcement(model, said));
    if (view.mode === "play" && view.moves.length > 0) keepGame(view, `${boardName(board, game)}: ${said}`, !model.result);
    if (view.mode !== "play" || view.moves.length + view.lines.length === 0) endGame();
    if (model.result || !asksOpponent(model)) return;
    const move = await (reply ?? replyTo(actions.api, model));
    if (turn !== this.turn) return;
    actions.follow([...view.moves, move], view.moves.length + 1, "replace"); // so that Back takes back the player's own move, too
  }
}
