// Names and clicks from the server's description of a game.

import { language, spaced, t, type Language } from "./language.js";
import type { Mark, Player } from "./position.js";
import { shapeOf } from "./shape.js";
import type { BoardSize, GameInfo } from "./types.js";
import type { Board } from "./view.js";

/** hasSides says whether the players of a game have marks of their own. */
export function hasSides(game: GameInfo): boolean {
  return game.marks === 2;
}

/** pushes says whether a move takes a tile and pushes it back in elsewhere. */
export function pushes(game: GameInfo): boolean {
  return game.move_kind === "push";
}

/** discs says whether the marks are discs, dark and light, that are turned over. */
export function discs(game: GameInfo): boolean {
  return game.move_kind === "enclose";
}

/** gameOn is a game on a board of a size: variants have other lines and symmetries. */
export function gameOn(game: GameInfo | undefined, size: BoardSize | undefined): GameInfo | undefined {
  if (!game || typeof size !== "string" || game.board !== "grid") return game;
  const on: GameInfo = { ...game };
  if (on.symmetries) on.symmetries = "square";
  const { variant } = shapeOf(size);
  if (variant.includes("misere")) on.complete_line = "loses";
  if (variant.includes("normal")) on.complete_line = "mover-wins";
  return on;
}

/** boardName names a board for people: its game, its size and the cells that are marked from the start. */
export function boardName(board: Board, game: GameInfo | undefined): string {
  const variant = game?.boards.find((b) => b.size === board.size)?.variant ?? String(board.size);
  const name = `${game ? titleOf(game) : board.game} ${variant.replaceAll(/(?<=\d)x/g, "×").replaceAll(",", " ")}`.trimEnd();
  return board.after.length > 0 ? t("board.after", { board: name, cells: board.after.join(", ") }) : name;
}

/** titleOf returns a game's title in a language, by default the page's. A custom game may name its board
 * after its title. */
export function titleOf(game: GameInfo, name: Language = language): string {
  const words = game.layout?.texts[name];
  const [, title = game.title, board = ""] = /^(.*?)( \d.*)?$/.exec(game.title) ?? [];
  return game.titles?.[name] ?? words?.[game.title] ?? (words?.["title"] ?? words?.[title] ?? title) + board;
}

/** word is what a game calls something in the language of the page. */
export function word(text: string, game: GameInfo): string {
  return spaced(language, game.layout?.texts[language]?.[text] ?? text);
}

/** said is a piece, for those who hear it. */
export function said(character: string, game: GameInfo): string {
  const [side, form] = game.layout?.pieces[character] ?? [];
  const owner = game.layout?.sides?.[side ?? -1];
  if (character === "" || character === ".") return t("mark.empty");
  if (form === undefined) return character;
  return owner && (form === "disc" || form === "counter") ? word(owner, game) : word(form, game);
}

/** markName is what a cell shows, for those who hear it. */
export function markName(mark: Mark, game: GameInfo): string {
  if (mark !== ".") return discs(game) ? t(mark === "X" ? "disc.dark" : "disc.light") : mark;
  return pushes(game) ? t("mark.blank") : t("mark.empty");
}

/** playerName names a player: X and O, by the colours of discs, or the first and the second player. */
export function playerName(player: Player, game: GameInfo): string {
  const side = game.layout?.sides?.[player === "first" ? 0 : 1];
  if (side) return word(side, game);
  if (discs(game)) return t(player === "first" ? "player.dark" : "player.light");
  return hasSides(game) ? markOf(player, game) : t(`player.${player}`);
}

/** markOf is the mark that a player sets. */
export function markOf(player: Player, game: GameInfo): "X" | "O" {
  return hasSides(game) && player === "second" ? "O" : "X";
}

/** turnText says whose turn it is. The names of sides, which may be of one or of many, stand by themselves. */
export function turnText(player: Player, game: GameInfo): string {
  return t(game.layout?.sides ? "status.turn.side" : "status.turn", { player: playerName(player, game) });
}

/** wonText says who has won. */
export function wonText(player: Player, game: GameInfo): string {
  return t(game.layout?.sides ? "status.won.side" : "status.won", { player: playerName(player, game) });
}
