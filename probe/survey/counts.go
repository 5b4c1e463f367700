package survey

import "backsolve/tablebase"

// Counts counts states by outcome.
type Counts struct {
	States       uint64 `json:"states"`
	Win          uint64 `json:"win"`
	Lose         uint64 `json:"lose"`
	Draw         uint64 `json:"draw"`
	TerminalWin  uint64 `json:"terminal_win"`
	TerminalLose uint64 `json:"terminal_lose"`
}

func (c *Counts) add(t tablebase.Tally) {
	c.States += t.Wins + t.Losses + t.Draws
	c.Win += t.Wins
	c.Lose += t.Losses
	c.Draw += t.Draws
	c.TerminalWin += t.TerminalWins
	c.TerminalLose += t.TerminalLosses
}
