// The view that is shown now, kept in the browser's history.

import { decode, encode, type View } from "./view.js";

export type How = "push" | "replace";

export class Store {
  view: View = decode(location.hash);

  /** changed is called after each change, by the page or by the browser's back and forward. */
  constructor(private readonly changed: (view: View) => void) {
    addEventListener("popstate", () => this.read());
    addEventListener("hashchange", () => this.read());
  }

  /** go shows another view. push lets the browser's back return to the one before. */
  go(change: Partial<View>, how: How = "push"): void {
    const before = encode(this.view);
    this.view = { ...this.view, ...change };
    const now = encode(this.view);
    if (now !== before) history[how === "push" ? "pushState" : "replaceState"](null, "", now);
    this.changed(this.view);
  }

  /** read follows the address. */
  private read(): void {
    if (location.hash === encode(this.view) || (location.hash === "" && !this.view.board)) return;
    this.view = decode(location.hash);
    this.changed(this.view);
  }
}
