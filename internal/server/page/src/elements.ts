// The custom elements of the page by name.

import { GameBoard } from "./board.js";
import { BarChart } from "./chart.js";
import { PositionEstimate } from "./estimate.js";
import { MoveHistory, StepButtons } from "./history.js";
import { BoardLegend } from "./legend.js";
import { MainLine } from "./mainline.js";
import { PageNotice } from "./notice.js";
import { DrawOffer } from "./offer.js";
import { OpponentPanel } from "./opponent.js";
import { PassOffer } from "./passing.js";
import { PuzzlePanel } from "./puzzle.js";
import { MoveRanking } from "./ranking.js";
import { SetupPanel } from "./setup.js";
import { SolvePanel } from "./solving.js";
import { TableStatistics } from "./statistics.js";
import { GameStatus } from "./status.js";
import { TableList } from "./tables.js";

const elements = {
  "bar-chart": BarChart,
  "board-legend": BoardLegend,
  "draw-offer": DrawOffer,
  "game-board": GameBoard,
  "game-status": GameStatus,
  "main-line": MainLine,
  "move-history": MoveHistory,
  "move-ranking": MoveRanking,
  "opponent-panel": OpponentPanel,
  "page-notice": PageNotice,
  "pass-offer": PassOffer,
  "position-estimate": PositionEstimate,
  "puzzle-panel": PuzzlePanel,
  "setup-panel": SetupPanel,
  "solve-panel": SolvePanel,
  "step-buttons": StepButtons,
  "table-list": TableList,
  "table-statistics": TableStatistics,
};

/** defineElements registers the custom elements. */
export function defineElements(): void {
  for (const [name, element] of Object.entries(elements)) customElements.define(name, element);
}
