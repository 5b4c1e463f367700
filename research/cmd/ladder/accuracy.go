package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/player/arena"
	"backsolve/research/internal/chart"
)

const accuracyLong = `Ask each agent for a move in random positions and count the right ones. Each state in
which the game is not over is equally likely, and all agents get the same positions. A
move is right if it keeps the outcome, and strictly right if it also wins soonest or
loses latest. In a draw both are the same. Strict results need a table with steps.`

const maxStates = 100_000_000

func accuracyCommand() *cobra.Command {
	s := &seriesCommand{}
	states := cli.NewCount(1000, maxStates)
	cmd := newSeriesCommand(s, &cobra.Command{
		Use:   "accuracy BOARD",
		Short: "Measure how often the moves of agents are right",
		Long:  accuracyLong + seriesHelp,
		Example: `  ladder accuracy quixo 3
  ladder accuracy quixo 4 --states 10000 --iterations 0,100,1000 --agent greedy`,
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := s.examineAll(cmd, args, states.Count)
			if err != nil {
				return err
			}
			if err := writePoints(cmd.OutOrStdout(), s.format.Word(), d, accuracyRows(d.Points)); err != nil {
				return err
			}
			title := fmt.Sprintf("%s %d×%[2]d: right moves in random positions", d.Settings.Game, d.Settings.Size)
			return s.plots().both(s.file("accuracy"), title, accuracyAxis, accuracyCurves(d.Points))
		},
	})
	cmd.Flags().Var(&states, "states", "number of positions")
	cli.NoCompletion(cmd, "states")
	return cmd
}

// examineAll adds the missing points and returns all points of the file.
func (s *seriesCommand) examineAll(cmd *cobra.Command, args []string, states int) (*data[accuracyPoint], error) {
	env, contenders, err := s.begin(cmd, args)
	if err != nil {
		return nil, err
	}
	defer env.Close()
	return measure(s, cmd, env, settings{Measure: "accuracy", States: states}, func(series series[accuracyPoint], add func(job, bool)) {
		for _, c := range contenders {
			add(exam(series, c))
		}
	})
}

func accuracyRows(points []accuracyPoint) [][]string {
	rows := [][]string{{"agent", "positions", "lenient", "strict", "time of a move", "failures"}}
	for _, p := range points {
		strict := "-"
		if e, ok := p.strict(); ok {
			strict = percentText(e)
		}
		rows = append(rows, []string{p.Agent, fmt.Sprint(p.States), percentText(p.lenient()), strict,
			cli.SecondsText(p.SecondsPerMove), fmt.Sprint(p.Failures)})
	}
	return rows
}

func percentText(e arena.Estimate) string {
	return estimateText(percent(e), "%.1f") + " %"
}

func percent(e arena.Estimate) arena.Estimate {
	return arena.Estimate{Value: 100 * e.Value, Low: 100 * e.Low, High: 100 * e.High}
}

var accuracyAxis = chart.Axis{Name: "right moves in %", To: 100}

// accuracyCurves returns a curve of mcts for each measure, and one for each other agent.
func accuracyCurves(points []accuracyPoint) (curves []curve) {
	for _, p := range points {
		prefix := ""
		if p.Iterations == noIterations {
			prefix = p.Agent + ", "
		}
		curves = add(curves, prefix+"lenient", sample{p.Iterations, p.SecondsPerMove, percent(p.lenient())})
		if e, ok := p.strict(); ok {
			curves = add(curves, prefix+"strict", sample{p.Iterations, p.SecondsPerMove, percent(e)})
		}
	}
	return curves
}
