// Requests to the server. Addresses are relative, so that the page works below any path.

import { t } from "./language.js";
import { layoutOf } from "./layout.js";
import type { Answer, Choice, Estimate, GameInfo, Job, LineAnswer, Move, Opponent, Outcome, Plan, Table, TableEntry, Value } from "./types.js";
import type { Board, Strength } from "./view.js";

/** ApiError is a failed request: status is the HTTP status, 0 if the server cannot be reached. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** After how many seconds it is worth trying again. */
    readonly retryAfter: number | null = null,
    /** Whether the message is the server's own, and so in English. */
    readonly fromServer = false,
  ) {
    super(message);
  }
}

const tokenKey = "backsolve-token";
/** The number of answers kept: an answer does not change as long as the table is the same. */
const keptAnswers = 5000;

export class Api {
  /** Whether the server solves boards. */
  solves = false;
  /** Whether all games of the server are known. */
  learned = false;
  private taught: Promise<Record<string, string[]>> | null = null;
  private readonly answers = new Map<string, Promise<Answer>>();

  /** useToken adds a token to all requests from now on, until the tab is closed. */
  useToken(token: string): void {
    sessionStorage.setItem(tokenKey, token);
  }

  /** hasToken says whether the requests carry a token. */
  hasToken(): boolean {
    return sessionStorage.getItem(tokenKey) !== null;
  }

  /** forget drops the cached answers: a table may have been replaced. */
  forget(): void {
    this.answers.clear();
  }

  async games(): Promise<GameInfo[]> {
    const { games, jobs } = await get<{ games: GameInfo[]; jobs: boolean }>("v1/games", {});
    this.solves = jobs;
    this.learned = true;
    return games.map(({ layout, ...game }) => {
      const checked = layoutOf(layout);
      return checked ? { ...game, layout: checked } : game;
    });
  }

  async tables(): Promise<TableEntry[]> {
    return (await get<{ tables: TableEntry[] }>("v1/tables", {})).tables;
  }

  table(board: Board): Promise<Table> {
    return ask<Table>(board, "", {});
  }

  /** position returns what the table says of a position; the answer may have been kept. Where there is no table, it may be
   * that nothing is known of a position but its moves. */
  position(board: Board, p: string, tableless: boolean): Promise<Answer> {
    const key = [board.game, board.size, board.after, p].join("|");
    const kept = this.answers.get(key);
    if (kept) return kept;
    if (this.answers.size >= keptAnswers) this.answers.clear();
    const answer = tableless ? ask<Legal>(board, "/moves", { p }).then(answerOf) : ask<Answer>(board, "/position", { p });
    this.answers.set(key, answer);
    answer.catch(() => this.answers.delete(key));
    return answer;
  }

  line(board: Board, p: string): Promise<LineAnswer> {
    return ask<LineAnswer>(board, "/line", { p, max_plies: "400" });
  }

  /** move returns what the opponent plays. */
  move(board: Board, p: string, strength: Strength): Promise<Choice> {
    return ask<Choice>(board, "/move", { p, policy: strength.policy, blunder: String(strength.blunder) });
  }

  /** opponents returns the opponents that the operator of the server has configured. */
  async opponents(): Promise<Opponent[]> {
    return (await get<{ opponents: Opponent[] }>("v1/opponents", {})).opponents;
  }

  /** reply returns the text of the move of one of them. */
  async reply(board: Board, p: string, opponent: string): Promise<string> {
    return (await ask<{ move: string }>(board, "/reply", { p, opponent })).move;
  }

  /** playouts returns the text of a move that random playouts lead to. */
  async playouts(board: Board, p: string): Promise<string> {
    return (await ask<{ move: { move: string } }>(board, "/playouts", { p })).move.move;
  }

  /** estimate returns the estimate of a position by random playouts; the same seed gives the same estimate. */
  async estimate(board: Board, p: string): Promise<Estimate> {
    return (await ask<{ estimate: Estimate }>(board, "/playouts", { p, seed: "1", iterations: "10000" })).estimate;
  }

  /** plan returns what solving a board takes. */
  plan({ game, size }: Board, steps: boolean): Promise<Plan> {
    return get<Plan>("v1/plan", { game, size: String(size), has_steps: String(steps) });
  }

  async jobs(): Promise<Job[]> {
    return (await get<{ jobs: Job[] }>("v1/jobs", {})).jobs;
  }

  job(id: string): Promise<Job> {
    return get<Job>(`v1/jobs/${id}`, {});
  }

  /** solve has the server solve a board. */
  solve({ game, size }: Board, steps: boolean): Promise<Job> {
    return request<Job>("POST", "v1/jobs", JSON.stringify({ game, size, has_steps: steps }));
  }

  /** addRules gives the server a file of rules, and returns their game. */
  async addRules(rules: File): Promise<GameInfo> {
    const game = await request<GameInfo>("POST", "v1/rules", rules);
    this.learned = false;
    return game;
  }

  stop(id: string): Promise<Job> {
    return request<Job>("DELETE", `v1/jobs/${id}`);
  }

  /** lessons returns the positions of the tutorial by game and size, with a slash between. */
  lessons(): Promise<Record<string, string[]>> {
    return (this.taught ??= get<Record<string, string[]>>("assets/lessons.json", {}));
  }

  /** puzzle returns a won position in which one move alone wins: in that number of steps or, if there is none, in fewer; "" is any number, any seed. */
  puzzle(board: Board, steps: string, seed: string): Promise<Answer> {
    return ask<Answer>(board, "/random", { outcome: "win", only: "true", steps, seed });
  }

  /** random returns a random position; "" is any outcome, any steps. */
  random(board: Board, outcome: Outcome | "", steps: string): Promise<Answer> {
    return ask<Answer>(board, "/random", { outcome, steps });
  }
}

/** Told is the part of a value that may be shown. */
interface Told {
  outcome?: Outcome;
  steps?: number;
}

/** Legal are the moves of a position, with what is known of them. */
type Legal = Omit<Answer, "outcome" | "steps" | "moves"> & Told & { moves: (Omit<Move, "outcome" | "steps"> & Told)[] };

function answerOf(legal: Legal): Answer {
  return { ...legal, ...valueOf(legal), moves: legal.moves.map((move) => ({ ...move, ...valueOf(move) })) };
}

function valueOf({ outcome, steps }: Told): Value {
  return { outcome: outcome ?? "unknown", steps: steps ?? null };
}

function ask<T>(board: Board, path: string, query: Record<string, string>): Promise<T> {
  return get<T>(`v1/${encodeURIComponent(board.game)}/${board.size}${path}`, { ...query, after: board.after.join(",") });
}

/** get asks once. Parameters that are "" are left out. It throws an ApiError. */
function get<T>(path: string, query: Record<string, string>): Promise<T> {
  const parameters = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ""));
  return request<T>("GET", parameters.size > 0 ? `${path}?${parameters}` : path);
}

/** request sends a request; the body is JSON, or a file of rules. It throws an ApiError. */
async function request<T>(method: string, path: string, body?: string | File): Promise<T> {
  const headers: Record<string, string> = { Accept: "application/json" };
  const token = sessionStorage.getItem(tokenKey);
  if (token) headers["Authorization"] = `Bearer ${token}`;
  if (body) headers["Content-Type"] = typeof body === "string" ? "application/json" : "application/wasm";
  let response: Response;
  try {
    response = await fetch(path, { method, headers, ...(body ? { body } : {}) });
  } catch {
    throw new ApiError(0, t("error.unreachable"));
  }
  if (!response.ok) throw await failure(response);
  try {
    return (await response.json()) as T;
  } catch {
    throw new ApiError(0, t("error.short"));
  }
}

/** failure reads the server's description of an error, or explains the status if something else answered. */
async function failure(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => null);
  const said = typeof body === "object" && body ? (body as Record<string, unknown>) : {};
  const wait = Number.parseInt(response.headers.get("Retry-After") ?? "", 10);
  const reason = said["error"] ?? said["detail"];
  return new ApiError(
    response.status,
    typeof reason === "string" ? reason : t("error.status", { status: String(response.status) }),
    Number.isFinite(wait) ? wait : null,
    typeof reason === "string",
  );
}
