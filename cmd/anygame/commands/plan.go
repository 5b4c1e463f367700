package commands

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/game/custom"
	"backsolve/retro/generic"
)

// writePlan estimates what a solve takes.
func writePlan(cmd *cobra.Command, g custom.Listed, display *progress.Display, asJSON bool) error {
	if err := g.Check(10, 1); err != nil {
		return err
	}
	shown := progress.New("plan", g.Info().Name)
	stop := display.Show(cmd, shown)
	p, err := generic.Estimate(cmd.Context(), g.Numbers(), generic.PlanOptions{Progress: follow(shown, 0)})
	stop()
	if err != nil {
		return err
	}
	if asJSON {
		return cli.WriteJSON(cmd.OutOrStdout(), struct {
			Game string `json:"game"`
			generic.Plan
		}{g.Info().Name, p})
	}
	writePlanText(cmd.OutOrStdout(), &p)
	if generic.MayLoop(g.Numbers()) {
		fmt.Fprintf(cmd.OutOrStdout(), "plies   any number; %s\n", longGames)
	}
	return nil
}

// writePlanText writes a plan for people.
func writePlanText(w io.Writer, p *generic.Plan) {
	text, bound := func(n int64) string { return cli.CountText(uint64(n)) }, "at most"
	switch {
	case p.Exact == p.Tiers:
		fmt.Fprintf(w, "states  %s, counted\n", text(p.States))
	case p.States == 0:
		bound = "at least"
		fmt.Fprintf(w, "states  at least %s; a plan has too little time and memory to estimate them\n", text(p.Low))
	case p.High == 0:
		bound = "at least"
		fmt.Fprintf(w, "states  about %s, with 95 %% probability at least %s; the samples give no upper bound\n", text(p.States), text(p.Low))
	default:
		fmt.Fprintf(w, "states  about %s, with 95 %% probability %s to %s\n", text(p.States), text(p.Low), text(p.High))
	}
	if p.Exact < p.Tiers {
		fmt.Fprintf(w, "method  %d of %s counted, the others estimated from %s samples\n", p.Exact, cli.Plural(p.Tiers, "tier"), text(int64(p.Samples)))
	}
	fmt.Fprintf(w, "disk    %s %s\n", bound, cli.BytesText(p.Disk))
	if p.Memory > 0 {
		fmt.Fprintf(w, "memory  %s %s for the largest tier with loops, or %s with --memory\n", bound, cli.BytesText(p.Memory), cli.BytesText(p.MinMemory))
	}
	fmt.Fprintf(w, "time    about %s of processor time for %s\n", time.Duration(p.Seconds*float64(time.Second)).Round(time.Second/10), cli.CountOf(uint64(cmp.Or(p.States, p.Low)), "state", "states"))
}
