// What stands on the board, in a line: who is to move and what that is worth, or who has won and why.

import { badgeIcon, tile } from "./art.js";
import { h, s } from "./dom.js";
import type { Result } from "./ending.js";
import { markOf, playerName } from "./games.js";
import { t } from "./language.js";
import { Part, person, toMove, type Model } from "./model.js";
import type { Mark } from "./position.js";
import { capital, valueText } from "./words.js";

export class GameStatus extends Part {
  update(model: Model): void {
    if (model.result) this.over(model, model.result);
    else this.open(model);
  }

  private over({ game, view }: Model, { winner, reason }: Result): void {
    const you = person(view);
    const outcome = winner === null ? "draw" : you !== null && winner !== you ? "lose" : "win";
    const headline = winner === null ? t("status.draw") : you === null ? t("status.won", { player: playerName(winner, game) }) : t(`status.you.${winner === you ? "win" : "lose"}`);
    this.replaceChildren(
      badgeIcon({ outcome, steps: null }),
      h("strong", { class: "headline" }, capital(headline)),
      h("span", { class: "detail" }, reason),
    );
  }

  private open(model: Model): void {
    const { answer, game, view, values } = model;
    const who = toMove(model);
    const you = person(view);
    const player = playerName(who, game);
    const mark = markOf(who, game);
    const value = values && answer ? capital(valueText(answer)) : null;
    const turn = capital(t("status.turn", { player }));
    if (you !== null) {
      const as = who === you ? t("status.as", { player }) : "";
      this.line(model, mark, who === you ? t("status.yours") : t("status.opponents"), value ? `${value}. ${as}` : as);
    } else if (view.mode === "play") {
      this.line(model, mark, turn, value ? `${value}.` : t("status.two"));
    } else {
      this.line(model, mark, value ?? "…", `${turn}.`);
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
