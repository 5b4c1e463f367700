// What the server has: its games and tables.

import type { Api } from "./api.js";
import { gameOn } from "./games.js";
import { boardOf, entryOf, hasTable, readable } from "./tables.js";
import type { GameInfo, TableEntry } from "./types.js";
import { sameBoard, type Board } from "./view.js";

export class Directory {
  games: GameInfo[] = [];
  private tables: TableEntry[] | null = null;
  /** Whether the tables were just requested together with the games. */
  private fresh = false;

  private asked: Promise<void> | null = null;

  constructor(private readonly api: Api) {}

  /** learn asks for the games and the tables, unless the games are known. */
  async learn(): Promise<void> {
    if (this.api.learned && !this.asked) return;
    await (this.asked ??= this.ask().finally(() => (this.asked = null)));
  }

  private async ask(): Promise<void> {
    [this.games, this.tables] = await Promise.all([this.api.games(), this.api.tables()]);
    this.fresh = true;
  }

  /** game returns what is known of the game of a board. */
  game(board: Board): GameInfo | undefined {
    return gameOn(this.games.find((game) => game.name === board.game), board.size);
  }

  /** list asks for the tables, and drops cached answers from tables that were replaced. */
  async list(): Promise<TableEntry[]> {
    this.api.forget();
    if (!this.fresh || !this.tables) this.tables = await this.api.tables();
    this.fresh = false;
    return this.tables;
  }

  /** changed asks for the tables again, and returns them if they have changed. Without an answer they have not. */
  async changed(): Promise<TableEntry[] | null> {
    const now = await this.api.tables().catch(() => null); // the server may come back
    if (!now || JSON.stringify(now) === JSON.stringify(this.tables)) return null;
    this.api.forget();
    return (this.tables = now);
  }

  /** entry returns what the list of tables says of a board, or what is known of a board without a table. */
  async entry(board: Board): Promise<TableEntry> {
    const listed = hasTable(board, this.game(board));
    const known = () => this.tables?.filter(readable).find((entry) => sameBoard(boardOf(entry), board));
    if (listed && !known() && !this.fresh) this.tables = await this.api.tables();
    this.fresh = false;
    const entry = listed ? known() : undefined;
    if (entry) return entry;
    if (board.after.length > 0) return { file: "", ...(await this.api.table(board)) };
    return entryOf(board, await this.api.position(board, "startpos", true));
  }
}
