// Retries automatically when the server cannot be reached.

/** Reconnect waits for an unreachable server. */
export class Reconnect {
  /** What will be tried again. */
  private lost: { wait: number; timer: number; retry: () => void } | null = null;

  constructor() {
    addEventListener("online", () => this.lost?.retry());
  }

  /** later tries again, first after a second, then at growing intervals. */
  later(retry: () => void): void {
    const wait = Math.min(2 * (this.lost?.wait ?? 500), 15_000);
    clearTimeout(this.lost?.timer);
    this.lost = { wait, retry, timer: setTimeout(retry, wait) };
  }

  /** found stops retrying once the server answers, and says whether it was unreachable. */
  found(): boolean {
    if (!this.lost) return false;
    clearTimeout(this.lost.timer);
    this.lost = null;
    return true;
  }
}
