// Takes the rules of a game of one's own, for a server that solves.

import { h } from "./dom.js";
import { t } from "./language.js";
import type { Actions } from "./model.js";
import { home } from "./view.js";

/** ownGame takes a file of rules, and shows the game's board. */
export function ownGame(actions: Actions): HTMLElement {
  const file = h("input", { type: "file", id: "rules-file", accept: ".wasm", change: () => void send() });
  const send = async (): Promise<void> => {
    const rules = file.files?.[0];
    if (!rules) return;
    try {
      const { name, boards } = await actions.api.addRules(rules);
      if (boards[0]) actions.go({ ...home, board: { game: name, size: boards[0].size, after: [] } });
    } catch (error) {
      actions.fail(error, () => void send());
    }
  };
  return h("section", { class: "card" }, h("h2", {}, t("own.title")), h("p", {}, h("label", { for: "rules-file" }, t("own.file"))), file);
}
