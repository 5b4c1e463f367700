package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/internal/player/arena"
	"backsolve/research/internal/chart"
)

const accuracyLong = `Ask each agent for a move in random positions and count the right ones. Each state in
which the game is not over is equally likely, and all agents get the same positions. A
move is right if it keeps the outcome, and strictly right if it also wins soonest or
loses latest. In a draw both are the same. Strict results need a table with steps.`

const maxStates = 100_000_000

func accuracyCommand() *cobra.Command {
	states := cli.NewCount(1000, maxStates)
	s := newSeries(&cobra.Command{
		Use:   "accuracy BOARD",
		Short: "Measure how often the moves of agents are right",
		Long:  accuracyLong + seriesHelp,
		Example: `  ladder accuracy quixo 3
  ladder accuracy quixo 4 --states 10000 --iterations 0,100,1000 --agent greedy`,
	})
	s.RunE = func(_ *cobra.Command, args []string) error {
		return measure(s, args, settings{Measure: "accuracy", States: states.Count}, nil, exam, accuracyRows, func(d *data[accuracyPoint]) []plot {
			return []plot{d.Settings.plot("", "right moves in random positions", accuracyAxis, accuracyCurves("", d.Points))}
		})
	}
	s.Flags().Var(&states, "states", "number of positions")
	cli.NoCompletion(s.Command, "states")
	return s.Command
}

func accuracyRows(points []accuracyPoint) [][]string {
	rows := [][]string{{"agent", "positions", "lenient", "strict", "time of a move", "failures"}}
	for _, p := range points {
		rows = append(rows, []string{p.Agent, fmt.Sprint(p.States), percentText(p.lenient()), p.StrictText(),
			cli.SecondsText(p.SecondsPerMove), fmt.Sprint(p.Failures)})
	}
	return rows
}

// StrictText returns the strict accuracy, - if the table has no steps.
func (p accuracyPoint) StrictText() string {
	if e, ok := p.strict(); ok {
		return percentText(e)
	}
	return "-"
}

func percentText(e arena.Estimate) string {
	return estimateText(percent(e), "%.1f") + " %"
}

func percent(e arena.Estimate) arena.Estimate {
	return arena.Estimate{Value: 100 * e.Value, Low: 100 * e.Low, High: 100 * e.High}
}

var accuracyAxis = chart.Axis{Name: "right moves in %", To: 100}

// accuracyCurves returns the curves of both accuracies.
func accuracyCurves(prefix string, points []accuracyPoint) []curve {
	lenient := curvesOf(points, func(p accuracyPoint) (string, arena.Estimate, bool) {
		return prefix + "lenient", percent(p.lenient()), true
	})
	return append(lenient, curvesOf(points, func(p accuracyPoint) (string, arena.Estimate, bool) {
		e, ok := p.strict()
		return prefix + "strict", percent(e), ok
	})...)
}
