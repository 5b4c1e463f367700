// An error in the middle of the page, with its remedy.

import { ApiError } from "./api.js";
import { h } from "./dom.js";
import { t } from "./language.js";
import { capital } from "./words.js";

/** LinkError says what of an address could not be read; each reason is a sentence. */
export class LinkError extends Error {
  constructor(readonly reasons: string[]) {
    super(t("link.title"));
  }
}

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
      h("div", { class: "notice-text" }, ...reason(error), remedy && h("p", { class: "muted" }, remedy)),
      h("div", { class: "buttons" },
        retry && h("button", { type: "button", class: "primary", click: again }, t("notice.again")),
        h("a", { class: "button", href: "#", click: () => this.clear() }, t("notice.tables")),
        h("button", { type: "button", click: () => this.clear() }, t("notice.dismiss"))),
    );
  }

  clear(): void {
    this.hidden = true;
    this.replaceChildren();
  }
}

/** reason is what went wrong. What the server says is in English. */
function reason(error: unknown): HTMLElement[] {
  if (error instanceof LinkError) return [h("p", {}, error.message), h("ul", {}, ...error.reasons.map((r) => h("li", {}, r)))];
  if (error instanceof ApiError && error.status === 401) return [h("p", {}, t("token.needed"))];
  const text = capital(error instanceof Error ? error.message : String(error));
  return [h("p", error instanceof ApiError && error.fromServer ? { lang: "en" } : {}, text)];
}

/** advice says what to do, beyond what the server says itself. */
function advice(error: unknown): string | null {
  if (!(error instanceof ApiError)) return null;
  const wait = error.retryAfter === null ? t("wait.moment") : t("wait.seconds", { n: error.retryAfter });
  switch (error.status) {
    case 429:
      return t("advice.tooMany", { wait });
    case 503:
      return t("advice.busy", { wait });
    case 500:
      return t("advice.damaged");
    case 404:
      return t("advice.missing");
    default:
      return null;
  }
}
