// The frame of the page: its texts, the choice of language, and navigation.

import { find, h } from "./dom.js";
import { boardName } from "./games.js";
import { keepLanguage, language, languages, t, translate, type Key, type Language } from "./language.js";
import { rules } from "./rules.js";
import { keptSide } from "./opponent.js";
import type { GameInfo } from "./types.js";
import { encode, home, modes, type View } from "./view.js";

/** The sections of the page, one of which is shown. */
export type Section = "tables" | "statistics" | "board";

/** fillTexts writes the texts into the elements that name them: data-t is the visible text, data-t-label the name for
 * screen readers, data-t-title the tooltip. */
export function fillTexts(): void {
  document.documentElement.lang = language;
  const each = (name: string, fill: (element: Element, text: string) => void) => {
    for (const element of document.querySelectorAll(`[${name}]`)) fill(element, t(element.getAttribute(name) as Key));
  };
  each("data-t", (element, text) => (element.textContent = text));
  each("data-t-label", (element, text) => element.setAttribute("aria-label", text));
  each("data-t-title", (element, text) => element.setAttribute("title", text));
  find("meta[name=description]").setAttribute("content", t("page.description"));
}

/** After a change of language reloads the page, the focus returns to that control. */
const chosenKey = "backsolve-language-chosen";

/** fillLanguages builds the choice of language. Choosing another one reloads the page: the address holds all
 * that is shown. */
export function fillLanguages(refused: (message: string) => void): void {
  const select = find<HTMLSelectElement>("#language");
  const names = Object.keys(languages) as Language[];
  select.replaceChildren(...names.map((name) => h("option", { value: name, lang: name }, translate(name, "language.name"))));
  select.value = language;
  select.addEventListener("change", () => {
    if (!keepLanguage(select.value as Language)) {
      select.value = language;
      refused(t("language.notKept"));
      return;
    }
    sessionStorage.setItem(chosenKey, "1");
    location.reload();
  });
  if (sessionStorage.getItem(chosenKey)) select.focus();
  sessionStorage.removeItem(chosenKey);
}

/** openFrame shows the page for the first time, with the section of a view, so that nothing moves when it is filled. */
export function openFrame(view: View): void {
  document.body.dataset["section"] = !view.board ? "tables" : view.mode === "statistics" ? "statistics" : "board";
  document.body.dataset["mode"] = view.mode;
  document.body.dataset["ready"] = "";
}

/** showFrame shows the section of a view, with the name of its board and the ways to its other modes. Another one begins at
 * the top, but on the way back the games are where they were left. */
export function showFrame(view: View | null, section: Section, game: GameInfo | undefined): void {
  const { section: before, mode: was } = document.body.dataset;
  document.body.dataset["section"] = section;
  document.body.dataset["mode"] = view?.mode ?? "";
  if (before !== section || was !== document.body.dataset["mode"]) {
    scrollTo(0, section === "tables" ? ((history.state as { top?: number } | null)?.top ?? 0) : 0);
  }
  for (const mode of modes) {
    const link = find<HTMLAnchorElement>(`a[data-mode=${mode}]`);
    link.href = view ? encode({ ...(mode === "puzzle" ? { ...home, board: view.board } : view), mode, you: mode === "puzzle" ? "first" : view.mode === "play" || mode !== "play" ? view.you : keptSide() }) : "#";
    if (view?.mode === mode) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const name = view?.board ? boardName(view.board, game) : "";
  find("#board-name").textContent = name;
  document.title = name ? `${name} – backsolve` : "backsolve";
  const said = game && view?.board ? rules(game, view.board.size) : { text: "", lang: language };
  find("#rules").textContent = said.text;
  find("#rules").lang = said.lang;
}
