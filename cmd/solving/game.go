package solving

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/game/custom"
	"backsolve/internal/plan"
	"backsolve/internal/probe"
	"backsolve/internal/probe/survey"
	"backsolve/internal/solve"
	"backsolve/retro/generic"
	"backsolve/tablebase"
)

// mostPlies is how long best play may take in a table with steps.
const mostPlies = generic.MostPlies

// LongGames says what solving does about games whose positions repeat.
var LongGames = fmt.Sprintf("if best play takes %s plies or more, solving refuses it at that ply, and --outcomes goes on without steps", cli.CountText(uint64(mostPlies)))

// gameRefuses are the flags that do not fit a game which is defined by its positions, with the
// reasons.
var gameRefuses = map[string]string{
	"steps":         "the table of GAME has the steps to the end unless --outcomes leaves them out",
	"grundy":        "GAME has no tables with nimbers",
	"packed":        "the table of GAME is written unpacked, and packed then by SOLVER pack GAME",
	"after":         "of GAME the whole table is made",
	"keep":          "of GAME the whole table is made",
	"down-to-class": "GAME is defined by its positions, and has no classes",
}

// runGame solves a game that is defined by its positions.
func (s *solver) runGame(cmd *cobra.Command, rules custom.Listed) error {
	o := generic.Options{Outcomes: s.outcomes, Force: s.force, Threads: s.threads.Count}
	g := &solve.Game{Dir: s.dir, Rules: rules, Options: o, Limit: s.limit()}
	kind := "table"
	if s.plan {
		kind = "plan"
	}
	p := progress.New(kind, g.Name())
	stop := s.progress.Show(cmd, p)
	if s.plan {
		plan, err := g.Plan(cmd.Context(), followGame(p, new(generic.Plan), g.Rules.Numbers().Tiers(), 1))
		stop()
		if err != nil {
			return err
		}
		return explainGame(printPlan(cmd, s.format, plan, writeGamePlan))
	}
	began := time.Now()
	if !s.progress.Off() {
		g.Progress = followGame(p, &g.Expected, g.Rules.Numbers().Tiers(), s.threads.Count)
	}
	t, solved, err := g.Solve(cmd.Context())
	stop()
	if err != nil {
		return explainGame(err)
	}
	defer t.Close()
	sum, err := survey.Summarize(cmd.Context(), t)
	if err != nil {
		return err
	}
	how := "solved before; --force solves it again"
	if solved {
		how = "in " + time.Since(began).Round(time.Millisecond).String()
	}
	return cli.Print(cmd, s.format, sum, func(w io.Writer, sum *survey.Stats) error {
		_, err := fmt.Fprintf(w, "%s: the start is %s; %s, %s, %s\n", sum.Game, cli.ValueText(sum.Start.Outcome, sum.Start.Steps),
			cli.CountOf(sum.Stored, "state", "states"), cli.BytesText(sum.Bytes), how)
		return err
	})
}

// explainGame adds to an error what the command line can do about it.
func explainGame(err error) error {
	switch {
	case errors.As(err, new(*solve.Refusal)):
		return &cli.RefusedError{Err: err}
	case errors.Is(err, probe.ErrOtherBoard), errors.Is(err, generic.ErrWork):
		return fmt.Errorf("%w; --force does so", err)
	case errors.Is(err, generic.ErrTooLong):
		return fmt.Errorf("%w; --outcomes leaves out the steps and goes on from here", err)
	}
	return err
}

// writeGamePlan writes a plan for people.
func writeGamePlan(w io.Writer, p *solve.Plan) error {
	rows, bound := cli.NewRows(w), "at most "
	rows.Add("solve", "%s", p.What)
	if there := TableText(&p.Table); there != "" {
		rows.Add("there already", "%s", there)
	}
	switch states, low := cli.CountText(p.States), cli.CountText(p.Low); {
	case p.Low == 0:
		bound = ""
		rows.Add("states", "%s, counted", states)
	case p.States == 0:
		bound = "at least "
		rows.Add("states", "cannot be told, but at least %s: too few positions can be looked at in the time and memory of a plan", low)
	case p.High == 0:
		bound = "at least "
		rows.Add("states", "about %s, with 95 %% probability at least %s; an upper bound cannot be told from the samples", states, low)
	default:
		rows.Add("states", "about %s, with 95 %% probability %s to %s", states, low, cli.CountText(p.High))
	}
	if p.Counted < p.Tiers {
		rows.Add("method", "%d of %s counted, the others estimated from %s samples", p.Counted, cli.Plural(p.Tiers, "tier"), cli.CountText(uint64(p.Samples)))
	}
	if p.AnyLength {
		rows.Add("plies", "any number; %s", LongGames)
	}
	addNeeds(rows, p, bound)
	rows.Add("time", "about %s of processor time for %s", roughly(p.Seconds), cli.CountOf(max(p.States, p.Low), "state", "states"))
	addPossible(rows, p)
	return rows.Flush()
}

// followGame shows the progress of a solve, in which each state counts three times, or of an estimate.
func followGame(p *progress.Progress, expected *generic.Plan, tiers, threads int) func(tablebase.Event) {
	last, states := "", 0.0
	var sizes []uint64 // of the tiers that are found
	return func(now tablebase.Event) {
		if now.Stage == generic.Enumerated {
			sizes = append(sizes[:now.At], now.Done)
			return
		}
		at := fmt.Sprintf("%s, tier %d of %d", now.Stage, now.At+1, tiers)
		if at != last {
			var parts []plan.Class
			parts, states = gameParts(now.Total, sizes, expected, threads)
			work := plan.WorkOf(parts)
			p.Weigh(func(done float64) float64 { return work(done / 3 / states) })
		}
		done := float64(now.Done) + map[string]float64{tablebase.Solving: 1, generic.Writing: 2}[now.Stage]*states
		if last == "" {
			p.Begin("states", done, 3*states)
		}
		last = at
		p.Grow(3 * states)
		p.Update(at, done)
	}
}

// gameParts returns the parts of a solve: finding the states of each tier, then their values, then writing;
// none where too little is known of the number of states. The weights were fitted to the examples.
func gameParts(total uint64, sizes []uint64, expected *generic.Plan, threads int) (parts []plan.Class, states float64) {
	// In moves that a tier without loops looks at to find states. One thread writes.
	const opening, state, writing, solving, findLoops, solvingLoops = 2300, 0.67, 0.8, 1.1, 1.4, 2.2
	if total == 0 && (expected.High == 0 || expected.High > 2*expected.Low) {
		return nil, 0
	}
	var values []plan.Class
	for t, tier := range expected.Each {
		n, find, solve := math.Floor(tier.States), 1.0, solving
		if t < len(sizes) {
			n = float64(sizes[t])
		}
		if tier.Loops {
			find, solve = findLoops, solvingLoops
		}
		open, moves := opening*min(n, 1), n*(state+tier.Moves)
		found, solved := plan.Class{States: uint64(n), Folds: open + find*moves}, plan.Class{States: uint64(n), Folds: open + solve*moves}
		parts, values, states = append(parts, found), append(values, solved), states+n
	}
	slices.Reverse(values)
	return append(append(parts, values...), plan.Class{States: uint64(states), Folds: 10*opening + writing*float64(threads)*states}), states
}
