// The signs on cells: choices, the hint, the last move, deciding lines and values. The board shows them, the legend
// explains them.

import { isLong, nextCells, pathsOf, type Path } from "./choice.js";
import { touched, type Face } from "./faces.js";
import { discs } from "./games.js";
import { read } from "./kinds.js";
import { shown, type Model } from "./model.js";
import type { Position } from "./position.js";
import { surfaceOf } from "./surface.js";
import type { Signs } from "./traits.js";

/** pathsFor returns the moves that can be made by clicks now. */
export function pathsFor(model: Model): Path[] {
  if (!model.answer || !model.yourTurn || model.view.mode === "edit") return [];
  return pathsOf(model.answer.moves, shown(model), model.game, (text) => read(text, model.board.size, model.game));
}

/** canClick says whether every move can be made by clicks on the board. */
export function canClick(model: Model): boolean {
  const paths = pathsOf(model.answer?.moves ?? [], shown(model), model.game, (text) => read(text, model.board.size, model.game));
  return !!model.answer?.moves.every((move) => paths.some((path) => path.move === move));
}

/** signsOf returns the signs of each cell; faces and slots belong to the shown position, paths are the moves that can be
 * made, and taken is the place clicked first for one of them. */
export function signsOf(model: Model, position: Position, faces: Face[], slots: number[], paths: Path[], taken: string[]): Signs[] {
  const choices = nextCells(paths, taken);
  const hint = paths.find(({ move }) => move.move === model.hint)?.cells ?? [];
  const follows = taken.every((name, i) => hint[i] === name); // else the hint would be misread
  const put = hint.length > 1 ? new Set(faces.flatMap(({ name }, i) => (name !== "" && hint.slice(1).includes(name) ? [i] : []))) : new Set(changed(model, model.hint, faces, slots, false));
  const last = new Set(changed(model, model.view.moves[model.view.at - 1], faces, slots, true));
  const complete = new Set(model.result?.lines.flatMap((line) => line.cells));
  const spots = position.pieces && !position.heaps ? surfaceOf(position, model.game.layout).spots : [];
  return faces.map(({ name }, i) => {
    const choice = name === "" ? undefined : choices.get(name);
    const value = model.values && choice?.outcome !== "unknown" ? choice : undefined;
    const long = !!choice && isLong(paths, [...taken, name]);
    const free = position.pieces?.[spots[i]?.at ?? -1] === ".";
    const traits = {
      choice: !!choice,
      taken: name !== "" && taken.includes(name),
      target: !!choice && taken.length > 0,
      takeable: !!choice && taken.length === 0 && long && !free,
      place: !!choice && !value && (discs(model.game) || free),
      "hint-take": name !== "" && hint.length > 1 && name === hint[0] && taken.length === 0,
      "hint-put": follows && put.has(i),
      last: last.has(i),
      complete: complete.has(i),
    };
    return { traits, value };
  });
}

/** changed returns the places that a move changes; made says that it led to the shown position. For a move that takes a
 * tile and pushes it in, this is the place where the tile goes in. */
export function changed(model: Model, move: string | null | undefined, faces: Face[], slots: number[], made: boolean): number[] {
  if (!move) return [];
  const now = shown(model);
  if (!now.pieces) {
    const all = touched(move, faces, now, slots, made);
    return all.length === 2 && !now.heaps ? all.filter((i) => move.endsWith(faces[i]?.name ?? "")) : all;
  }
  const other = made ? model.positions[model.view.at - 1] : model.answer?.moves.find((m) => m.move === move)?.position;
  if (now.heaps || other === undefined) return [];
  const { pieces } = read(other, model.board.size, model.game);
  return surfaceOf(now, model.game.layout).spots.flatMap(({ at }, i) => (at >= 0 && pieces?.[at] !== now.pieces?.[at] ? [i] : []));
}
