// What stands on the board, in a line: who is to move and what that is worth, or who has won and why.

import { badgeIcon, tile } from "./art.js";
import { h, s } from "./dom.js";
import { Part, type Model } from "./model.js";
import { hasSides, mover, parse, type Mark } from "./position.js";
import { capital, playerName, valueText } from "./words.js";

export class GameStatus extends Part {
  update(model: Model): void {
    if (model.result) this.over(model, model.result.winner === model.view.you, model.result.reason);
    else this.open(model);
  }

  private over(model: Model, won: boolean, reason: string): void {
    const game = model.board.game;
    const playing = model.view.mode === "play";
    const winner = capital(playerName(model.result?.winner ?? "first", game));
    const headline = playing ? (won ? "You win" : "You lose") : `${winner} has won`;
    this.dataset["tone"] = playing && !won ? "lose" : "win";
    this.replaceChildren(
      badgeIcon({ outcome: playing && !won ? "lose" : "win", steps: null }),
      h("strong", { class: "headline" }, headline),
      h("span", { class: "detail" }, reason),
    );
  }

  private open(model: Model): void {
    const { answer, board, view } = model;
    const who = mover(parse(model.position, board.size, hasSides(board.game)));
    const mark = hasSides(board.game) && who === "second" ? "O" : "X";
    const name = capital(playerName(who, board.game));
    if (view.mode === "play") {
      const turn = who !== view.you ? "The opponent is to move" : "Your move";
      const as = who === view.you ? `You play as ${playerName(who, board.game)}.` : "";
      this.line(model, mark, turn, model.values && answer ? `${capital(valueText(answer))}. ${as}` : as);
    } else {
      this.line(model, mark, answer ? capital(valueText(answer)) : "…", `${name} is to move.`);
    }
  }

  private line(model: Model, mark: Mark, headline: string, detail: string): void {
    const value = model.values ? model.answer : null;
    this.dataset["tone"] = value?.outcome ?? "none";
    this.replaceChildren(
      value ? badgeIcon(value) : s("svg", { class: "badge-icon", viewBox: "0 0 100 100", "aria-hidden": "true" }, ...tile(mark)),
      h("strong", { class: "headline" }, headline),
      h("span", { class: "detail" }, detail),
    );
  }
}
