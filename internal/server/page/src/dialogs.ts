// The help, and the dialog for the server's token.

import { badgeIcon } from "./art.js";
import { find, h } from "./dom.js";
import { titleOf } from "./games.js";
import { isFree } from "./kinds.js";
import { t } from "./language.js";
import { rules } from "./rules.js";
import type { GameInfo } from "./types.js";
import { outcomeName, outcomes } from "./words.js";

/** fillHelp writes into the help what is known elsewhere: the signs of the outcomes and the rules of the games. */
function fillHelp(games: GameInfo[]): void {
  find("#help-values").replaceChildren(
    ...outcomes.flatMap((o) => [h("dt", {}, badgeIcon({ outcome: o, steps: null }), outcomeName(o)), h("dd", {}, t(`meaning.${o}`))]),
  );
  const described = games.filter((game) => !isFree(game)).map((game) => ({ title: titleOf(game), ...rules(game) }));
  find("#help-rules").replaceChildren(...described.flatMap(({ title, text, lang }) => [h("dt", {}, title), h("dd", { lang }, text)]));
}

/** openHelp shows the help from the top; the browser would scroll to its first button, at the end. The rules of the game that
 * is open come first. */
export function openHelp(open: { title: string; text: string; lang: string } | null, games: GameInfo[]): void {
  fillHelp(games);
  find("#help-open").replaceChildren(...(open ? [h("h3", {}, open.title), h("p", { lang: open.lang }, open.text)] : []));
  find<HTMLDialogElement>("#help").showModal();
  find("#help-title").focus();
}

/** askToken asks for the token and gives it to use; nothing happens where none is given. refused says whether one was
 * sent already. */
export function askToken(refused: boolean, use: (token: string) => void): void {
  const dialog = find<HTMLDialogElement>("#token");
  const input = find<HTMLInputElement>("input", dialog);
  if (dialog.open) return;
  find("#token-reason").textContent = refused ? t("token.refused") : t("token.reason");
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
