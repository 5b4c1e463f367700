// Solves a board that has no table: the estimate, the progress, and a way to stop.

import { ApiError } from "./api.js";
import { h } from "./dom.js";
import { isFree } from "./kinds.js";
import { number, t } from "./language.js";
import { Part, tableless, type Model } from "./model.js";
import type { Job, Plan } from "./types.js";
import { sameBoard, type Board } from "./view.js";
import { bytes, capital, duration, percent } from "./words.js";

/** How often, in milliseconds, the state of a job is requested. */
const jobAge = 500;

export class SolvePanel extends Part {
  private board: Board | null = null;
  private plan: Plan | null = null;
  /** Why there is no plan. */
  private unplanned = "";
  private job: Job | null = null;
  /** Whether there are tables without steps. */
  private choice = true;
  private readonly heading = h("h2", {});
  private readonly text = h("p", { role: "status" });
  private readonly bar = h("progress", { max: 1, "aria-label": t("solve.title") });
  private readonly steps = h("input", { type: "checkbox", id: "solve-steps", checked: true, change: () => void this.begin() });
  private readonly stepsLabel = h("label", { for: "solve-steps", class: "check" }, this.steps, t("solve.steps"));
  private readonly start = h("button", { type: "button", class: "primary", click: () => void this.solve() }, t("solve.title"));
  private readonly cancel = h("button", { type: "button", click: () => void this.stop() }, t("solve.cancel"));

  connectedCallback(): void {
    this.replaceChildren(this.heading, this.text, this.bar, this.stepsLabel, h("div", { class: "buttons" }, this.start, this.cancel));
  }

  update({ board, entry, game, view }: Model): void {
    const can = tableless(entry) && game.tables !== false && board.after.length === 0 && view.mode !== "edit";
    if (!can) {
      this.hidden = true;
      this.board = null;
    } else if (!sameBoard(board, this.board)) {
      this.hidden = true;
      this.board = board;
      this.job = null;
      this.choice = !isFree(game);
      void this.begin();
    }
  }

  /** begin asks for the plan, and for a job already in progress. A server that does not solve has neither. */
  private async begin(): Promise<void> {
    const board = this.board;
    if (!board || !this.actions.api.solves) return;
    this.plan = null;
    this.unplanned = t("solve.planning");
    try {
      const job = (await this.actions.api.jobs()).find((one) => one.game === board.game && one.size === board.size && atWork(one));
      if (board !== this.board) return;
      if (job) return void this.follow(board, job);
      this.show();
      const plan = await this.actions.api.plan(board, this.steps.checked);
      if (board !== this.board || this.job) return;
      this.plan = plan;
    } catch (error) {
      if (board !== this.board) return;
      if (!(error instanceof ApiError && error.status === 403)) this.actions.fail(error, () => void this.begin());
      this.unplanned = capital(error instanceof Error ? error.message : String(error));
    }
    this.show();
  }

  private async solve(): Promise<void> {
    const board = this.board;
    if (!board) return;
    try {
      const job = await this.actions.api.solve(board, this.steps.checked);
      await this.follow(board, job);
    } catch (error) {
      this.actions.fail(error, () => void this.solve());
    }
  }

  /** follow shows a job until it has ended, or another board is shown. */
  private async follow(board: Board, job: Job): Promise<void> {
    while (sameBoard(board, this.board)) {
      this.job = job;
      if (job.state === "done") {
        this.board = null;
        this.actions.api.forget();
        this.actions.go({}, "replace"); // the table is there
        return;
      }
      this.show();
      if (!atWork(job)) return;
      await new Promise((done) => setTimeout(done, jobAge));
      job = await this.actions.api.job(job.id).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404) throw error;
        return job; // the server may come back
      });
    }
  }

  private async stop(): Promise<void> {
    try {
      if (this.job) await this.actions.api.stop(this.job.id);
    } catch (error) {
      this.actions.fail(error, () => void this.stop());
    }
  }

  private show(): void {
    const { job, plan } = this;
    const busy = !!job && atWork(job);
    this.hidden = false;
    this.heading.textContent = t(busy ? "solve.running" : "solve.none");
    this.bar.hidden = this.cancel.hidden = !busy;
    this.start.hidden = busy || plan?.stored_states === 0; // no table can have the board
    this.stepsLabel.hidden = this.start.hidden || !this.choice;
    this.start.disabled = plan?.possible === false;
    this.text.textContent = job ? progressText(job) : plan ? planText(plan) : this.unplanned;
    const progress = job?.progress;
    if (progress && progress.total > 0) this.bar.value = progress.done / progress.total;
    else this.bar.removeAttribute("value");
  }
}

function atWork(job: Job): boolean {
  return job.state === "queued" || job.state === "running" || job.state === "stopping";
}

function planText(plan: Plan): string {
  const { stored_states_low: low, stored_states_high: high } = plan;
  const bounds = low === undefined ? "" : ` (95 %: ${high === undefined ? `≥ ${number(low)}` : `${number(low)} – ${number(high)}`})`;
  const values = { states: t("count.states", { n: plan.stored_states }) + bounds, time: duration(plan.seconds), memory: bytes(plan.memory_bytes), disk: bytes(plan.disk_bytes) };
  return plan.why ? capital(plan.remedy ? `${plan.why}; ${plan.remedy}` : plan.why) : t("solve.plan", values);
}

function progressText({ state, progress, reason }: Job): string {
  if (state === "failed") return reason ?? t("solve.failed");
  if (state !== "running" || !progress) return t(state === "stopped" || state === "stopping" ? "solve.stopped" : "solve.waiting");
  const left = progress.seconds_left === null ? "" : t("solve.left", { time: duration(progress.seconds_left) });
  return `${progress.at}: ${percent(progress.done, progress.total)}${left}`;
}
