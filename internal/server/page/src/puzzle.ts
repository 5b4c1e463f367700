// Puzzles: won positions in which one move alone wins.

import type { Api } from "./api.js";
import { h } from "./dom.js";
import { playerName } from "./games.js";
import { keep, kept } from "./kept.js";
import { read } from "./kinds.js";
import { t, type Key } from "./language.js";
import { Part, toMove, type Model } from "./model.js";
import { mover } from "./position.js";
import type { GameInfo, Move, TableEntry } from "./types.js";
import type { Board, Strength, Task, View } from "./view.js";
import { valueText } from "./words.js";

/** hardest is the opponent's level in puzzles: the longest defence, and among these the one after which most moves err. */
export const hardest: Strength = { policy: "trap", blunder: 0 };

/** State is the progress of a puzzle. */
export type State = { is: "prompt" | "right" | "solved" | "shown" | "moved" } | { is: "wrong"; at: number; move: Move };

/** stateOf tells the state of a puzzle. It is solved once several moves win, or the game is over. */
export function stateOf(model: Model): State {
  const { answers, view, result, answer } = model;
  if (view.values) return { is: "shown" };
  if (view.lesson === 1) return { is: view.moves.length > 0 ? "moved" : "prompt" };
  for (let at = 0; at < view.moves.length; at += 2) {
    const move = answers[at]?.moves.find((m) => m.move === view.moves[at]);
    if (move && !keeps(move, view.task)) return { is: "wrong", at, move };
  }
  if (view.at === 0) return { is: "prompt" };
  const several = toMove(model) === view.you && (answer?.moves.filter((m) => keeps(m, view.task)).length ?? 0) > 1;
  return { is: result || several ? "solved" : "right" };
}

/** keeps says whether a move reaches what a puzzle asks for. */
function keeps({ outcome }: Move, task: Task): boolean {
  return outcome === "win" || (task === "draw" && outcome === "draw");
}

/** taskText says what a challenge asks for, or how far it is. */
function taskText({ view, game }: Model, task: "win" | "draw", state: State): string {
  if (state.is === "prompt") return t(`task.${task}`, { player: playerName(view.you === "second" ? "second" : "first", game) });
  if (state.is === "right" || state.is === "solved") return t(`task.${state.is}`);
  return state.is === "wrong" ? t("task.wrong", { move: state.move.move, value: valueText(state.move) }) : t(`puzzle.${state.is}`);
}

/** drawPuzzle draws a puzzle: deeper after more were solved in a row, and with a seed the same for everybody. */
export async function drawPuzzle(api: Api, board: Board, game: GameInfo, entry: TableEntry, seed: string): Promise<Pick<View, "start" | "you">> {
  const counts = entry.has_steps ? (await api.table(board)).steps : [];
  const depths = counts.flatMap(({ steps, wins }) => (steps > 0 && wins > 0 ? [steps] : [])).sort((a, b) => a - b);
  const level = seed ? Number(seed) % Math.min(5, depths.length || 1) : Number(kept("streak"));
  const { position } = await api.puzzle(board, String(depths[Math.min(level, depths.length - 1)] ?? ""), seed);
  return { start: position, you: mover(read(position, board.size, game)) };
}

export class PuzzlePanel extends Part {
  private model: Model | null = null;
  private readonly message = h("p", { role: "status" });
  private readonly streak = h("p", { class: "muted" });
  private readonly again = this.button("puzzle.again", () => this.retry());
  private readonly line = this.button("puzzle.show", () => void this.showLine());
  private readonly next = this.button("puzzle.next", () => void this.goOn());
  private readonly heading = h("h2", {});

  connectedCallback(): void {
    this.replaceChildren(this.heading, this.message, this.streak, h("div", { class: "buttons" }, this.again, this.line, this.next));
  }

  update(model: Model): void {
    this.hidden = model.view.mode !== "puzzle";
    if (this.hidden || !model.answer) return;
    this.model = model;
    const state = stateOf(model);
    const { lesson } = model.view;
    this.heading.textContent = model.view.task ? t("task.title") : lesson ? t("lesson.title", { n: lesson }) : t("nav.puzzle");
    const text = lesson && state.is === "prompt" ? t(`lesson.${lesson as 1 | 2 | 3}`) : state.is === "wrong" ? t("puzzle.wrong", { move: state.move.move, value: valueText(state.move) }) : t(`puzzle.${state.is}`);
    const told = model.view.task ? taskText(model, model.view.task, state) : text;
    if (this.message.textContent !== told) this.message.textContent = told;
    this.streak.hidden = lesson > 0 || model.view.task !== "";
    if (!this.streak.hidden) this.count(model, state);
    this.again.hidden = state.is !== "wrong";
    this.line.hidden = state.is === "shown" || lesson === 1;
    this.next.textContent = t(lesson === 1 || lesson === 2 ? "lesson.next" : "puzzle.next");
    this.next.classList.toggle("primary", ["solved", "shown", "moved"].includes(state.is));
  }

  /** count keeps how many puzzles were solved in a row; each counts once. */
  private count({ board, view }: Model, { is }: State): void {
    const puzzle = [board.game, board.size, ...board.after, view.start].join(" ");
    if ((is === "solved" || is === "wrong" || is === "shown") && kept("puzzle") !== puzzle) {
      keep("puzzle", puzzle);
      keep("streak", String(is === "solved" ? Number(kept("streak")) + 1 : 0));
    }
    this.streak.textContent = t("puzzle.streak", { n: Number(kept("streak")) });
  }

  private button(text: Key, click: () => void): HTMLButtonElement {
    return h("button", { type: "button", click }, t(text));
  }

  /** goOn goes to the next lesson, or to another puzzle. */
  private async goOn(): Promise<void> {
    const { model } = this;
    if (!model) return;
    const { board, game, view } = model;
    const start = (view.lesson && (await this.actions.api.lessons())[`${board.game}/${board.size}`]?.[view.lesson]) || "";
    if (model === this.model) this.actions.go({ start, you: start ? mover(read(start, board.size, game)) : "first", lesson: start ? view.lesson + 1 : 0, task: "", moves: [], at: 0, values: false });
  }

  /** retry takes back the wrong move. */
  private retry(): void {
    const state = this.model && stateOf(this.model);
    if (this.model && state?.is === "wrong") this.actions.go({ moves: this.model.view.moves.slice(0, state.at), at: state.at }, "replace");
  }

  /** showLine plays the main line from the last won position on, to be stepped through. */
  private async showLine(): Promise<void> {
    const { model } = this;
    if (!model) return;
    const state = stateOf(model);
    const at = state.is === "wrong" ? state.at : model.view.at;
    try {
      const { line } = await this.actions.api.line(model.board, model.positions[at] ?? "");
      const moves = [...model.view.moves.slice(0, at), ...line.plies.map(({ move }) => move)];
      if (model === this.model) this.actions.go({ moves, at, values: true });
    } catch (error) {
      this.actions.fail(error, () => void this.showLine());
    }
  }
}
