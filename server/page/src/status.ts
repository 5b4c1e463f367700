// What stands on the board, in a line: who is to move and what that is worth, or who has won and why.

import { badgeIcon, tile } from "./art.js";
import { h, s } from "./dom.js";
import type { Result } from "./ending.js";
import { markOf, playerName } from "./games.js";
import { Part, shown, type Model } from "./model.js";
import { mover, type Mark } from "./position.js";
import { capital, valueText } from "./words.js";

export class GameStatus extends Part {
  update(model: Model): void {
    if (model.result) this.over(model, model.result);
    else this.open(model);
  }

  private over({ game, view }: Model, { winner, reason }: Result): void {
    const playing = view.mode === "play";
    const outcome = winner === null ? "draw" : playing && winner !== view.you ? "lose" : "win";
    const headline = winner === null ? "A draw" : playing ? `You ${outcome}` : `${capital(playerName(winner, game))} has won`;
    this.replaceChildren(
      badgeIcon({ outcome, steps: null }),
      h("strong", { class: "headline" }, headline),
      h("span", { class: "detail" }, reason),
    );
  }

  private open(model: Model): void {
    const { answer, game, view } = model;
    const who = mover(shown(model));
    const mark = markOf(who, game);
    if (view.mode === "play") {
      const turn = who !== view.you ? "The opponent is to move" : "Your move";
      const as = who === view.you ? `You play as ${playerName(who, game)}.` : "";
      this.line(model, mark, turn, model.values && answer ? `${capital(valueText(answer))}. ${as}` : as);
    } else {
      this.line(model, mark, answer ? capital(valueText(answer)) : "…", `${capital(playerName(who, game))} is to move.`);
    }
  }

  private line(model: Model, mark: Mark, headline: string, detail: string): void {
    const value = model.values ? model.answer : null;
    this.replaceChildren(
      value ? badgeIcon(value) : s("svg", { class: "badge-icon", viewBox: "0 0 100 100", "aria-hidden": "true" }, ...tile(mark)),
      h("strong", { class: "headline" }, headline),
      h("span", { class: "detail" }, detail),
    );
  }
}
