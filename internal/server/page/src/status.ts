// The status line: the side to move with its value, or the winner and why.

import { badgeIcon, disc, seat, tile } from "./art.js";
import { h, s } from "./dom.js";
import { counted, type Result } from "./ending.js";
import { discs, markOf, playerName, turnText, wonText } from "./games.js";
import { drawPiece } from "./pieces.js";
import { t } from "./language.js";
import { Part, person, shown, toMove, type Model } from "./model.js";
import type { Player } from "./position.js";
import type { GameInfo } from "./types.js";
import { capital, valueText } from "./words.js";

export class GameStatus extends Part {
  update(model: Model): void {
    if (model.result) this.over(model, model.result);
    else this.open(model);
  }

  private over({ game, view }: Model, { winner, reason }: Result): void {
    const you = person(view);
    const outcome = winner === null ? "draw" : you !== null && winner !== you ? "lose" : "win";
    const headline = winner === null ? t("status.draw") : you === null ? wonText(winner, game) : t(`status.you.${winner === you ? "win" : "lose"}`);
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
    const value = values && answer ? capital(valueText(answer)) : null;
    const turn = capital(turnText(who, game));
    if (you !== null) {
      const as = who === you ? t("status.as", { player }) : "";
      this.line(model, who === you ? t("status.yours") : t("status.opponents"), value ? `${value}. ${as}` : as);
    } else if (view.mode === "play") {
      this.line(model, turn, value ? `${value}.` : t("status.two"));
    } else {
      this.line(model, value ?? "…", `${turn}.`);
    }
  }

  private line(model: Model, headline: string, detail: string): void {
    const value = model.values ? model.answer : null;
    const nimber = value?.nimber === undefined ? "" : ` ${t("status.nimber", { n: value.nimber })}`;
    const sign = value && value.outcome !== "unknown"
      ? badgeIcon(value)
      : s("svg", { class: "badge-icon", viewBox: "0 0 100 100", "aria-hidden": "true" }, ...signOf(toMove(model), model.game));
    this.replaceChildren(sign, h("strong", { class: "headline" }, headline), h("span", { class: "detail" }, detail + nimber + (discs(model.game) ? ` ${counted(shown(model))}` : "")));
  }
}

/** signOf stands for a player: the mark or disc, or else a number. */
function signOf(player: Player, game: GameInfo): SVGElement[] {
  const own = Object.entries(game.layout?.pieces ?? {}).find(([, [side]]) => side === (player === "first" ? 0 : 1));
  if (own && game.layout) return [...tile("."), ...drawPiece(own[0], game.layout)];
  if (discs(game)) return disc(markOf(player, game));
  return game.marks > 0 ? tile(markOf(player, game)) : seat(player === "first" ? "1" : "2");
}
