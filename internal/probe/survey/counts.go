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

func (c *Counts) add(o tablebase.OutcomeCounts) {
	c.States += o.Wins + o.Losses + o.Draws
	c.Wins += o.Wins
	c.Losses += o.Losses
	c.Draws += o.Draws
	c.TerminalWins += o.TerminalWins
	c.TerminalLosses += o.TerminalLosses
}
