// The help, and the question for the token of a server that wants one.

import { badgeIcon } from "./art.js";
import { find, h } from "./dom.js";
import type { GameInfo } from "./types.js";
import { outcomes } from "./words.js";

const meanings = {
  win: "The player to move can force a win, whatever the opponent does.",
  draw: "Neither player can force a win.",
  lose: "The opponent can force a win, whatever the player to move does.",
};

/** fillHelp writes into the help what is known elsewhere: the signs of the outcomes and the rules of the games. */
export function fillHelp(games: GameInfo[]): void {
  find("#help-values").replaceChildren(
    ...outcomes.flatMap((o) => [h("dt", {}, badgeIcon({ outcome: o, steps: null }), o), h("dd", {}, meanings[o])]),
  );
  find("#help-rules").replaceChildren(...games.flatMap((game) => [h("dt", {}, game.title), h("dd", {}, game.summary)]));
}

/** openHelp shows the help. */
export function openHelp(): void {
  find<HTMLDialogElement>("#help").showModal();
}

/** askToken asks for the token and gives it to use; nothing happens where none is given. */
export function askToken(reason: string, use: (token: string) => void): void {
  const dialog = find<HTMLDialogElement>("#token");
  const input = find<HTMLInputElement>("input", dialog);
  if (dialog.open) return;
  find("#token-reason").textContent = reason;
  find<HTMLFormElement>("form", dialog).onsubmit = (event) => {
    event.preventDefault();
    const token = input.value.trim();
    input.value = "";
    dialog.close();
    if (token) use(token);
  };
  dialog.showModal();
}

/** closeButtons makes the buttons that close their dialog do so, and a click beside a dialog, too. */
export function closeButtons(): void {
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog || (event.target as Element).closest("[data-close]")) dialog.close();
    });
  }
}
