package anygame

import (
	"fmt"
	"io"
	"math"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/retro/generic"
)

// plan is what solve --plan prints as JSON.
type plan struct {
	Game   string `json:"game"`
	States int64  `json:"states"`
	Low    int64  `json:"low"`
	// High is nil where the samples do not bound the number of states.
	High       *int64  `json:"high,omitempty"`
	Tiers      int     `json:"tiers"`
	Exact      int     `json:"exact"`
	Samples    int     `json:"samples"`
	Memory     int64   `json:"memory"`
	MinMemory  int64   `json:"min_memory"`
	Disk       int64   `json:"disk"`
	CPUSeconds float64 `json:"cpu_seconds"`
}

func writePlan(cmd *cobra.Command, g Game, asJSON bool) error {
	e, err := generic.Estimate(cmd.Context(), g.Numbers(), generic.PlanOptions{})
	if err != nil {
		return err
	}
	p := plan{g.Info().Name, int64(e.States), int64(e.Low), nil, e.Tiers, e.Exact, e.Samples, int64(e.Memory), int64(e.MinMemory), int64(e.Disk), e.Time.Seconds()}
	if !math.IsInf(e.High, 1) {
		high := int64(e.High)
		p.High = &high
	}
	if asJSON {
		return cli.WriteJSON(cmd.OutOrStdout(), p)
	}
	p.write(cmd.OutOrStdout())
	return nil
}

// write writes a plan for people.
func (p *plan) write(w io.Writer) {
	text := func(n int64) string { return cli.CountText(uint64(n)) }
	switch {
	case p.Exact == p.Tiers:
		fmt.Fprintf(w, "states  %s, counted\n", text(p.States))
	case p.High == nil:
		fmt.Fprintf(w, "states  at least %s, with no upper bound: the game is too large for the samples\n", text(p.Low))
	default:
		fmt.Fprintf(w, "states  about %s, with 95 %% probability %s to %s\n", text(p.States), text(p.Low), text(*p.High))
	}
	if p.Exact < p.Tiers {
		fmt.Fprintf(w, "method  %d of %d tiers counted, the others estimated from %s samples\n", p.Exact, p.Tiers, text(int64(p.Samples)))
	}
	bound := "at most"
	if p.High == nil {
		bound = "at least"
	}
	fmt.Fprintf(w, "disk    %s %s\n", bound, cli.BytesText(p.Disk))
	if p.Memory > 0 {
		fmt.Fprintf(w, "memory  %s %s for the largest tier with loops, or %s with --memory\n", bound, cli.BytesText(p.Memory), cli.BytesText(p.MinMemory))
	}
	fmt.Fprintf(w, "time    about %s of processor time for the states estimated\n", time.Duration(p.CPUSeconds*float64(time.Second)).Round(time.Second/10))
}
