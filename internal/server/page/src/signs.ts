// The signs on cells: choices, the hint, the last move, deciding lines and values. The board shows them, the legend
// explains them.

import { firstCells, isWhole, secondCells } from "./choice.js";
import { touched, type Face } from "./faces.js";
import { discs } from "./games.js";
import { shown, type Model } from "./model.js";
import { splitMove } from "./position.js";
import type { SmallBoard } from "./small.js";
import type { Move } from "./types.js";

/** Trait is something that sets a cell apart, and the class of such cells: a click chooses it; its tile is taken, and can
 * go back in here; its tile can be taken; a disc can be placed here; a hint is to take its tile, or to move here; the last
 * move went here; it is in a complete line. */
export type Trait = "choice" | "taken" | "target" | "takeable" | "place" | "hint-take" | "hint-put" | "last" | "complete";

/** Signs are what a cell shows besides its face. */
export interface Signs {
  traits: Record<Trait, boolean>;
  /** The move whose value stands on the cell. */
  value: Move | undefined;
}

/** Drawn is what is to be seen on the board. */
export interface Drawn {
  model: Model;
  cells: Signs[];
  /** What has become of each of several boards; none where there is one. */
  boards: SmallBoard[];
}

/** choicesOf returns what the cells are for now: the moves that begin with them or, while a tile is taken, those that end
 * there. */
export function choicesOf(model: Model, taken: string | null): Map<string, Move> {
  if (!model.answer || !model.yourTurn || model.view.mode === "edit") return new Map();
  return taken ? secondCells(model.answer.moves, taken) : firstCells(model.answer.moves);
}

/** signsOf returns the signs of each cell; faces and slots are those of the position that is shown, and taken is the tile
 * that is taken. */
export function signsOf(model: Model, faces: Face[], slots: number[], taken: string | null): Signs[] {
  const choices = choicesOf(model, taken);
  const hint = splitMove(model.hint ?? "");
  // While another tile than the hinted one is taken, the hint would be misread.
  const hinted = taken && hint.from !== taken ? new Set<number>() : changed(model, model.hint, faces, slots, false);
  const last = changed(model, model.view.moves[model.view.at - 1], faces, slots, true);
  const complete = new Set(model.result?.lines.flatMap((line) => line.cells));
  return faces.map(({ name }, i) => {
    const choice = name === "" ? undefined : choices.get(name);
    const value = model.values && choice?.outcome !== "unknown" ? choice : undefined;
    const traits = {
      choice: !!choice,
      taken: name !== "" && name === taken,
      target: !!choice && !!taken,
      takeable: !!choice && !taken && !isWhole(splitMove(choice.move)),
      place: !!choice && !value && discs(model.game),
      "hint-take": name !== "" && name === hint.from && !taken && !isWhole(hint),
      "hint-put": hinted.has(i),
      last: last.has(i),
      complete: complete.has(i),
    };
    return { traits, value };
  });
}

/** changed are the cells that a move changes: of one that takes a tile, the one where that goes in. made says that the move
 * has led to the position that is shown. */
function changed(model: Model, move: string | null | undefined, faces: Face[], slots: number[], made: boolean): Set<number> {
  const parts = splitMove(move ?? "");
  if (isWhole(parts)) return new Set(touched(move ?? "", faces, shown(model), slots, made));
  return new Set([faces.findIndex((face) => face.name === parts.to)]);
}
