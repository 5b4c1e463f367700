package solving

import (
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/game/custom"
	"backsolve/internal/plan"
	"backsolve/internal/solve"
	"backsolve/retro/generic"
	"backsolve/tablebase"
)

// LongGames says how solving treats games whose positions repeat.
var LongGames = fmt.Sprintf("if best play takes %s plies or more (%s by rank), solving refuses it at that ply, and --outcomes goes on without steps", cli.CountText(generic.MostPlies), cli.CountText(generic.MostRankedPlies))

var gameRefuses = map[string]string{
	"steps":         "the table of GAME has the steps to the end unless --outcomes leaves them out",
	"grundy":        "GAME has no tables with nimbers",
	"packed":        "the table of GAME is written unpacked, and then packed by SOLVER pack GAME",
	"after":         "GAME always gets its whole table",
	"keep":          "GAME always gets its whole table",
	"down-to-class": "GAME is defined by its positions, and has no classes",
}

func (s *solver) runGame(cmd *cobra.Command, rules custom.Listed) error {
	o := generic.Options{Outcomes: s.outcomes, Force: s.Force, Threads: s.threads.Count}
	g := &solve.Game{Dir: s.dir, Rules: rules, Options: o, Limit: s.limit()}
	if s.plan {
		p, stop := progress.Begin(cmd, "plan", g.Name())
		plan, err := g.Plan(cmd.Context(), followGame(p, new(generic.Plan), g.Rules.Numbers().Tiers(), 1))
		stop()
		if err != nil {
			return err
		}
		plan.Err = s.explain(plan.Err, nil)
		return printPlan(cmd, plan)
	}
	p, stop := progress.Begin(cmd, "table", g.Name())
	if !progress.Off(cmd) {
		g.Progress = followGame(p, &g.Expected, g.Rules.Numbers().Tiers(), s.threads.Count)
	}
	t, sum, err := g.Solve(cmd.Context())
	stop()
	if err != nil {
		return s.explain(err, nil)
	}
	defer t.Close()
	return cli.Print(cmd, sum, writeSummary)
}

// followGame shows the progress of a solve, in which each state counts once in each phase, or of an estimate.
func followGame(p *progress.Progress, expected *generic.Plan, tiers, threads int) func(tablebase.Event) {
	last, states, total := "", 0.0, 0.0
	var sizes []uint64 // of the tiers that are found
	return func(now tablebase.Event) {
		if now.Stage == generic.Enumerated {
			sizes = append(sizes[:now.At], now.Done)
			return
		}
		phases := []string{generic.Enumerating, tablebase.Solving, generic.Writing}
		if expected.Ranked {
			phases = phases[1:]
		}
		at := fmt.Sprintf("%s, tier %d of %d", now.Stage, now.At+1, tiers)
		if at != last {
			var parts []plan.Class
			parts, states = gameParts(now.Total, sizes, expected, threads)
			total = float64(len(phases)) * states
			work := plan.WorkOf(parts)
			p.Weigh(func(done float64) float64 { return work(done / total) })
		}
		done := float64(now.Done) + float64(max(slices.Index(phases, now.Stage), 0))*states
		if last == "" {
			p.Begin("states", done, total)
		}
		last = at
		p.Grow(total)
		p.Update(at, done)
	}
}

// gameParts returns the parts of a solve: finding the states of each tier, unless they are ranks, then their
// values, then writing; none where too little is known of the number of states. The weights were fitted to the examples.
func gameParts(total uint64, sizes []uint64, expected *generic.Plan, threads int) (parts []plan.Class, states float64) {
	// In units of a move that is looked at to find the states of a tier without loops. One thread writes.
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
		if !expected.Ranked {
			parts = append(parts, plan.Class{States: uint64(n), Folds: open + find*moves})
		}
		values, states = append(values, plan.Class{States: uint64(n), Folds: open + solve*moves}), states+n
	}
	slices.Reverse(values)
	return append(append(parts, values...), plan.Class{States: uint64(states), Folds: 10*opening + writing*float64(threads)*states}), states
}

// follow shows the events of a job in states of the whole game; each stored state stands for the same number of them. The
// time left is estimated from the planned work, as a state takes more in classes that have few.
func follow(p *progress.Progress, j *solve.Job) func(tablebase.Event) {
	states := 0.0
	for class := j.Engine.DownTo; class <= j.Space.MaskBits; class++ {
		states += float64(j.Space.Masks(class)) * math.Exp2(float64(j.Space.IndexBits[class]))
	}
	work := plan.WorkOf(j.Classes())
	p.Weigh(func(done float64) float64 { return work(done / states) })
	began := false
	doing := "written"
	if strings.HasSuffix(j.Path, tablebase.PackedSuffix) {
		doing = "packed"
	}
	return func(e tablebase.Event) {
		switch e.Stage {
		case tablebase.Sealed:
			return // the class in work is another one
		case tablebase.Stopping:
			p.Log(slog.LevelInfo, fmt.Sprintf("stopping when class %d, which is solved, is %s; a second Ctrl-C ends at once, and class %[1]d is solved again then", e.At, doing))
			return
		}
		done := float64(e.Done) / float64(e.Total) * states
		if !began {
			p.Begin("states", done, states)
			began = true
		}
		p.Update(fmt.Sprintf("class %d", e.At), done)
	}
}
