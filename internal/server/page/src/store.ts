// The current view, kept in the browser's history.

import { decode, encode, type View } from "./view.js";

export type How = "push" | "replace";

export class Store {
  view: View;

  /** changed is called after each change, by the page or by the browser's Back and Forward; wrong lists the parts of an
   * address that could not be read. */
  constructor(private readonly changed: (view: View, wrong: string[]) => void) {
    if (!location.hash && location.search) history.replaceState(null, "", location.pathname + "#" + location.search.slice(1));
    this.view = decode(location.hash).view;
    addEventListener("popstate", () => this.read());
    addEventListener("hashchange", () => this.read());
  }

  /** begin shows the view of the address. */
  begin(): void {
    this.follow();
  }

  /** go shows another view. With push, the browser's Back returns to the previous one. */
  go(change: Partial<View>, how: How = "push"): void {
    const before = encode(this.view);
    const other = "start" in change ? { lines: [] } : {}; // from which nothing else was played
    this.view = { ...this.view, ...other, ...change };
    const now = encode(this.view);
    if (now !== before) history[how === "push" ? "pushState" : "replaceState"](null, "", now);
    this.changed(this.view, []);
  }

  /** read follows the address, unless it already shows the view. */
  private read(): void {
    if (location.hash === encode(this.view) || (location.hash === "" && !this.view.board)) return;
    this.follow();
  }

  /** follow shows the view of the address, and corrects the address if parts of it are wrong. */
  private follow(): void {
    const { view, wrong } = decode(location.hash);
    this.view = view;
    if (wrong.length > 0) history.replaceState(null, "", encode(view));
    this.changed(view, wrong);
  }
}
