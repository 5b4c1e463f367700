// The value over a game as columns, one for each position, upwards if the first player wins.

import { h } from "./dom.js";
import { playerName } from "./games.js";
import { read } from "./kinds.js";
import { t } from "./language.js";
import type { Model } from "./model.js";
import { mover, type Player } from "./position.js";
import { heights, type Judged } from "./review.js";
import type { Value } from "./types.js";
import { capital, valueText } from "./words.js";

/** valueGraph draws the graph of a game all of whose positions are answered; judged says what each move has changed.
 * The columns can be clicked: that is what the buttons of the moves are for without a mouse. */
export function valueGraph(model: Model, judged: (Judged | null)[], step: (at: number) => void): HTMLElement {
  const values = model.positions.flatMap((position, i) => {
    const value = model.answers[i];
    return value ? [{ value, mover: mover(read(position, model.board.size, model.game)) }] : [];
  });
  const first = capital(playerName("first", model.game));
  const second = capital(playerName("second", model.game));
  const columns = heights(values).map(({ height }, i) => {
    const kind = height === null ? "unknown" : height > 0 ? "up" : height < 0 ? "down" : "level";
    const classes = ["column", kind, i === model.view.at ? "current" : "", judged[i - 1]?.verdict ?? ""];
    const bar = h("span", { class: "bar-value" });
    if (height !== null) bar.style.height = `${Math.max(3, Math.abs(height) * 50)}%`;
    return h("span", { class: classes.join(" "), title: columnTitle(i, values[i], model), click: () => step(i) }, bar);
  });
  return h("div", { class: "graph-frame" },
    h("div", { class: "graph", role: "img", "aria-label": summary(model, judged) }, ...columns),
    h("div", { class: "graph-sides muted", "aria-hidden": "true" }, h("span", {}, t("graph.wins", { player: first })), h("span", {}, t("graph.wins", { player: second }))));
}

/** columnTitle is what a column stands for: the move that led there, and what the position is worth to whom. */
function columnTitle(i: number, position: { value: Value; mover: Player } | undefined, model: Model): string {
  if (!position) return "";
  const worth = t("graph.value", { value: valueText(position.value), player: playerName(position.mover, model.game) });
  return i === 0 ? worth : `${i}. ${model.view.moves[i - 1]}: ${worth}`;
}

/** summary is what a game's graph shows, in words. */
function summary(model: Model, judged: (Judged | null)[]): string {
  const spoiled = judged.flatMap((j, i) => (j?.verdict === "spoiled" ? [`${i + 1}. ${j.played.move}`] : []));
  const course = t("graph.label", { n: model.view.moves.length });
  const clean = judged.includes(null) ? "" : t("review.clean");
  return [course, spoiled.length > 0 ? t("review.spoiled", { n: spoiled.length, moves: spoiled.join(", ") }) : clean, unknownText(model)].join(" ").trim();
}

/** unknownText says of how many positions of a game the outcome is not known; it is "" if all are known. */
export function unknownText(model: Model): string {
  const n = model.answers.filter((answer) => answer?.outcome === "unknown").length;
  return n > 0 ? t("graph.unknown", { n }) : "";
}
