// Tries again by itself when the server cannot be reached.

/** Reconnect waits for a server that is away. */
export class Reconnect {
  /** What will be tried again. */
  private lost: { wait: number; timer: number; retry: () => void } | null = null;

  constructor() {
    addEventListener("online", () => this.lost?.retry());
  }

  /** later tries again, at first after a second, and more and more seldom. */
  later(retry: () => void): void {
    const wait = Math.min(2 * (this.lost?.wait ?? 500), 15_000);
    clearTimeout(this.lost?.timer);
    this.lost = { wait, retry, timer: setTimeout(retry, wait) };
  }

  /** found ends that when the server has answered, and says whether it was away. */
  found(): boolean {
    if (!this.lost) return false;
    clearTimeout(this.lost.timer);
    this.lost = null;
    return true;
  }
}
