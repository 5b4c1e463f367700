// The page: does what is asked for by its parts and by the keyboard, each as a change of the view.

import { Api } from "./api.js";
import { closeButtons, openHelp } from "./dialogs.js";
import { Directory } from "./directory.js";
import { copy, find } from "./dom.js";
import { defineElements } from "./elements.js";
import { fillLanguages, fillTexts, openFrame } from "./frame.js";
import { boardName } from "./games.js";
import { t } from "./language.js";
import type { Actions, Brush, Model } from "./model.js";
import { rules } from "./rules.js";
import { Screen } from "./screen.js";
import { hasSound, setSound } from "./sound.js";
import { Store, type How } from "./store.js";
import type { Drawn } from "./traits.js";
import { Trouble } from "./trouble.js";
import { follow, known } from "./variations.js";
import type { View } from "./view.js";
import { Visits } from "./visits.js";

class Page implements Actions {
  readonly api = new Api();
  private readonly store = new Store((view, wrong) => {
    this.trouble.clear();
    void this.visits.show(view, wrong);
  });
  private readonly server = new Directory(this.api);
  private readonly trouble = new Trouble(this.api);
  private readonly screen = new Screen();
  private readonly visits = new Visits(this.server, this.screen, this, () => {
    if (this.trouble.answered()) this.tell(t("link.back"));
  });

  /** open shows the frame, which needs no answer, and asks for what all views need. */
  open(): void {
    fillTexts();
    openFrame(this.store.view);
    this.server.learn().catch(() => undefined); // told when a view waits for it
  }

  /** start fills the frame; the elements must have been defined. */
  start(): void {
    this.screen.begin(this);
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
    const { screen } = this;
    screen.brush = brush;
    if (screen.model) screen.render({ ...screen.model, brush });
  }

  hint(): void {
    void this.visits.hint();
  }

  preview(move: string | null): void {
    this.screen.board.preview(move);
  }

  explain(model: Model, drawn: Drawn): void {
    this.screen.legend.explain(model, drawn);
  }

  say(text: string): void {
    this.screen.say(text);
  }

  tell(text: string): void {
    this.screen.tell(text);
  }

  fail(error: unknown, retry: (() => void) | null): void {
    this.screen.uncover(this.store.view.board);
    this.trouble.show(error, retry);
  }

  /** help opens the help with the rules of the game that is open. */
  private help(): void {
    const { board } = this.store.view;
    const game = board ? this.server.game(board) : undefined;
    openHelp(board && game ? { title: boardName(board, game), ...rules(game, board.size) } : null, this.server.games);
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
    else if (event.key === "Escape") this.trouble.clear();
    else if (event.key === "[" && board) this.step(this.store.view.at - 1);
    else if (event.key === "]" && board) this.step(this.store.view.at + 1);
  }
}

const page = new Page();
page.open();
setTimeout(() => { // once the frame is painted
  defineElements();
  page.start();
});
