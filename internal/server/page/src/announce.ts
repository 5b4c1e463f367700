// Screen reader announcements of a position.

import { playerName, turnText } from "./games.js";
import { t } from "./language.js";
import { person, toMove, type Model } from "./model.js";
import { offerText } from "./offer.js";
import { capital, valueText } from "./words.js";

/** announcement says what has happened on the board; headline is how the page calls the end of a game. */
export function announcement(model: Model, headline: string): string {
  const { answer, repetition, result, view } = model;
  const move = view.moves[view.at - 1];
  const you = person(view);
  const who = toMove(model);
  const words: string[] = [];
  if (move) words.push(you === null ? t("say.played", { move }) : who === you ? t("say.opponent", { move }) : t("say.you", { move }));
  if (repetition?.again === view.at && !result) words.push(offerText(repetition));
  if (result) words.push(`${headline}. ${result.reason}`);
  else if (model.yourTurn && view.mode === "play") words.push(you === null ? `${capital(turnText(who, model.game))}.` : `${t("status.yours")}.`);
  else if (model.values && answer) words.push(t("say.value", { value: capital(valueText(answer)), player: playerName(who, model.game) }));
  return words.join(" ");
}
