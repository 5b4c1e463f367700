// What each move changed, and the values of the positions for the first player.

import type { Player } from "./position.js";
import type { Answer, Move, Value } from "./types.js";

/** Verdict is the effect of a move: it kept the value of the position; it kept the outcome, but wins later
 * or loses sooner than necessary; or it spoiled the outcome. */
export type Verdict = "kept" | "slower" | "sooner" | "spoiled";

/** Judged is a move that was played, compared with the best one. */
export interface Judged {
  verdict: Verdict;
  played: Move;
  best: Move;
}

/** judge compares the move that was played with the best one of its position; the answer's moves come in the server's
 * order, the best first. It is null if the move is not among them, or if either outcome is not known. */
export function judge(answer: Answer, move: string): Judged | null {
  const [best] = answer.moves;
  const played = answer.moves.find((m) => m.move === move);
  return best && played && best.outcome !== "unknown" && played.outcome !== "unknown" ? { verdict: verdict(best, played), played, best } : null;
}

function verdict(best: Value, played: Value): Verdict {
  if (best.outcome !== played.outcome) return "spoiled";
  if (best.outcome === "draw" || best.steps === null || best.steps === played.steps) return "kept";
  return best.outcome === "win" ? "slower" : "sooner";
}

/** worst returns at most that many costly moves of a player, or of both, the worst first: those that spoiled the outcome.
 * A move is given as the number of moves before it. */
export function worst(judged: (Judged | null)[], whose: (at: number) => boolean, most: number): number[] {
  const worth = { win: 2, draw: 1, lose: 0, unknown: 0 };
  const cost = (at: number) => worth[judged[at]?.best.outcome ?? "unknown"] - worth[judged[at]?.played.outcome ?? "unknown"];
  const all = judged.flatMap((j, at) => (j?.verdict === "spoiled" && whose(at) ? [at] : []));
  return all.sort((a, b) => cost(b) - cost(a) || a - b).slice(0, most);
}

/** Height is the value of a position for the player who began, for a graph: from 1, where that player has won, through 0,
 * a draw, to −1, where the other one has. The nearer the end, the farther from 0. It is null if the outcome is not known. */
export interface Height {
  value: Value;
  height: number | null;
}

/** heights returns the heights of positions with their players to move. Where steps are not known, all wins are alike. */
export function heights(values: { value: Value; mover: Player }[]): Height[] {
  const longest = Math.max(1, ...values.map(({ value }) => value.steps ?? 0));
  return values.map(({ value, mover }) => {
    if (value.outcome === "unknown") return { value, height: null };
    const size = value.outcome === "draw" ? 0 : value.steps === null ? 0.8 : 1 - (0.7 * value.steps) / (longest + 1);
    const forFirst = (value.outcome === "win") === (mover === "first");
    return { value, height: forFirst || size === 0 ? size : -size };
  });
}
