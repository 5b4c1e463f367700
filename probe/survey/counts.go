package survey

import "backsolve/tablebase"

// Counts counts states by outcome.
type Counts struct {
	States       uint64 `json:"states"`
	Win          uint64 `json:"wins"`
	Lose         uint64 `json:"losses"`
	Draw         uint64 `json:"draws"`
	TerminalWin  uint64 `json:"terminal_wins"`
	TerminalLose uint64 `json:"terminal_losses"`
}

func (c *Counts) add(t tablebase.Tally) {
	c.States += t.Wins + t.Losses + t.Draws
	c.Win += t.Wins
	c.Lose += t.Losses
	c.Draw += t.Draws
	c.TerminalWin += t.TerminalWins
	c.TerminalLose += t.TerminalLosses
}
