package survey

import "backsolve/tablebase"

// Counts counts states by outcome.
type Counts struct {
	States         uint64 `json:"states"`
	Wins           uint64 `json:"wins"`
	Losses         uint64 `json:"losses"`
	Draws          uint64 `json:"draws"`
	TerminalWins   uint64 `json:"terminal_wins"`
	TerminalLosses uint64 `json:"terminal_losses"`
}

func (c *Counts) add(t tablebase.OutcomeCounts) {
	c.States += t.Wins + t.Losses + t.Draws
	c.Wins += t.Wins
	c.Losses += t.Losses
	c.Draws += t.Draws
	c.TerminalWins += t.TerminalWins
	c.TerminalLosses += t.TerminalLosses
}
