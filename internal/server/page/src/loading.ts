// The model of a board: the view and the server's answer.

import { result, type Result } from "./ending.js";
import { kindOf, read, write } from "./kinds.js";
import { completeLines } from "./position.js";
import { t } from "./language.js";
import { person, shown, tableless, toMove, type Brush, type Model } from "./model.js";
import { repetition } from "./repetition.js";
import { replay } from "./replay.js";
import type { Api } from "./api.js";
import type { Answer, GameInfo, TableEntry } from "./types.js";
import type { Board, View } from "./view.js";

/** load returns the model of a view before its position is answered. It throws what replay throws. */
export async function load(api: Api, view: View, board: Board, game: GameInfo, entry: TableEntry, brush: Brush): Promise<Model> {
  const start = write(read(view.start || (entry.start?.position ?? ""), board.size, game), kindOf(game));
  const { positions, answers } = await replay((p) => api.position(board, p, tableless(entry)), start, view.moves);
  const position = positions[view.at] ?? "";
  const values = (view.mode !== "play" && view.mode !== "puzzle") || view.values;
  return { view, board, game, entry, positions, answers, position, answer: null, result: null, repetition: null, values, yourTurn: false, brush, hint: null };
}

/** mayBeOver says whether the game may be over, or its outcome not known, as far as is known without asking: by its lines on a grid,
 * elsewhere by the steps of the last move. */
export function mayBeOver(model: Model): boolean {
  const [before, move] = [model.answers.at(-1), model.view.moves.at(-1)];
  const value = before ? before.moves.find((m) => m.move === move) : model.entry.start;
  if (!value || (!before && model.view.start) || value.outcome === "unknown") return true;
  const p = shown(model);
  if (p.shape && model.game.complete_line) return !p.cells.includes(".") || (["X", "O"] as const).some((mark) => completeLines(p, mark).length > 0);
  return (value.steps ?? 0) <= (before ? 1 : 0); // those of a move count itself
}

/** ask asks what a model still lacks. */
export async function ask(api: Api, model: Model): Promise<Model> {
  const { board, entry, positions, view } = model;
  const last = positions.length - 1;
  const about = (p: string) => api.position(board, p, tableless(entry));
  const [answer, lastAnswer] = await Promise.all([about(model.position), about(positions[last] ?? "")]);
  const answers = [...model.answers.slice(0, last), lastAnswer];
  const outcomes = answers.map((a) => a?.outcome);
  const repeated = view.mode === "play" ? repetition(positions, outcomes, view.at) : null;
  const whole = { ...model, answers, answer, repetition: repeated };
  const over = ended(whole, answer);
  return { ...whole, result: over, yourTurn: !over && (person(view) ?? toMove(model)) === toMove(model) };
}

/** ended is the end of the game in the position that is shown, by the rules or as a draw that the players have agreed on;
 * null where it goes on. */
function ended(model: Model, answer: Answer): Result | null {
  const { view, repetition: repeated } = model;
  if (answer.terminal && answer.outcome !== "unknown") return result(shown(model), model.game, answer.outcome, person(view), answer.end);
  if (!view.ended || !repeated || view.at !== view.moves.length) return null;
  return { winner: null, reason: t("ending.agreed", { again: repeated.again, first: repeated.first }), lines: [] };
}
