// The opponent's replies.

import type { Api } from "./api.js";
import { person, toMove, type Model } from "./model.js";
import { usual } from "./opponent.js";
import { hardest, stateOf } from "./puzzle.js";

/** The opponent takes at least this many milliseconds, so that players see their own move before the answer. */
const thinking = 350;

/** asksOpponent says whether the opponent is to move at the end of the game that is shown. */
export function asksOpponent(model: Model): boolean {
  const you = person(model.view);
  const open = model.view.mode !== "puzzle" || stateOf(model).is !== "wrong";
  return you !== null && open && model.view.at === model.view.moves.length && toMove(model) !== you;
}

/** replyTo is the opponent's move, which takes a moment. */
export async function replyTo(api: Api, model: Model): Promise<string> {
  const pause = new Promise((done) => setTimeout(done, thinking));
  const [move] = await Promise.all([opponentsMove(api, model), pause]);
  return move;
}

/** opponentsMove returns the opponent's move: from a configured opponent, or by known values or, without any, by playouts. */
async function opponentsMove(api: Api, { answer, board, entry, position, view }: Model): Promise<string> {
  const strength = view.mode === "puzzle" ? hardest : (view.strength ?? usual(!!entry.has_steps));
  if (view.opponent) return api.reply(board, position, view.opponent);
  if (answer?.outcome !== "unknown") return (await api.move(board, position, strength)).move.move;
  const any = answer.moves[Math.floor(Math.random() * answer.moves.length)];
  return any && Math.random() < strength.blunder ? any.move : api.playouts(board, position);
}
