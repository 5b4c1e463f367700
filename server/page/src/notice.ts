// What went wrong, and what can be done about it.

import { ApiError } from "./api.js";
import { h } from "./dom.js";
import { capital } from "./words.js";

export class PageNotice extends HTMLElement {
  /** show shows an error until something else is asked for; retry does again what failed, if that makes sense. */
  show(error: unknown, retry: (() => void) | null): void {
    const remedy = advice(error);
    const again = () => {
      this.clear();
      retry?.();
    };
    this.hidden = false;
    this.replaceChildren(
      h("div", { class: "notice-text" },
        h("p", {}, capital(error instanceof Error ? error.message : String(error))),
        remedy && h("p", { class: "muted" }, remedy)),
      h("div", { class: "buttons" },
        retry && h("button", { type: "button", class: "primary", click: again }, "Try again"),
        h("a", { class: "button", href: "#" }, "All tables"),
        h("button", { type: "button", click: () => this.clear() }, "Dismiss")),
    );
  }

  clear(): void {
    this.hidden = true;
    this.replaceChildren();
  }
}

/** advice says what to do, beyond what the server says itself. */
function advice(error: unknown): string | null {
  if (!(error instanceof ApiError)) return null;
  const wait = error.retryAfter === null ? "a moment" : error.retryAfter === 1 ? "a second" : `${error.retryAfter} seconds`;
  switch (error.status) {
    case 429:
      return `The server takes no more requests from here for now. Try again in ${wait}.`;
    case 503:
      return `The server is busy, starting or about to stop. Try again in ${wait}.`;
    case 500:
      return "The other tables are not concerned. Who runs the server can make this one again.";
    case 404:
      return "If the table has only just been made or removed, the list of all tables shows what there is now.";
    default:
      return null;
  }
}
