package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/research/internal/chart"
)

const lengthLong = `Play each agent against perfect players. Print the average number of plies of the games
that it loses, and its share of that of mcts with 10,000 iterations, if measured. With
--replies the opponent always moves first.`

func lengthCommand() *cobra.Command {
	s := &seriesCommand{}
	var m matchFlags
	cmd := newSeriesCommand(s, &cobra.Command{
		Use:   "length BOARD",
		Short: "Measure how long agents hold out against perfect players",
		Long:  lengthLong + seriesHelp,
		Example: `  ladder length quixo 3
  ladder length quixo 3 --replies --policy shortest --games 100
  ladder length notakto 6 --policy optimal --iterations 0,100,1000`,
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := s.playAll(cmd, args, "length", &m, []string{"0"})
			if err != nil {
				return err
			}
			if err := writePoints(cmd.OutOrStdout(), s.format.Word(), d, lengthRows(d.Points)); err != nil {
				return err
			}
			title := fmt.Sprintf("%s %d×%[2]d: length of the games lost to a perfect player", d.Settings.Game, d.Settings.Size)
			return s.plots().both(s.file("length"), title, lengthAxis, lengthCurves(d.Points))
		},
	})
	m.add(cmd)
	cmd.Flags().BoolVar(&s.replies, "replies", false, "let the opponent move first in all games")
	return cmd
}

func lengthRows(points []matchPoint) [][]string {
	rows := [][]string{{"agent", "opponent", "games lost", "plies of a lost game", fmt.Sprintf("of those of mcts:%d", fullIterations), "time of a move"}}
	for _, p := range points {
		length, share := "-", "-"
		if e, ok := p.length(); ok {
			length = estimateText(e, "%.1f")
		}
		if e, ok := shareOfFull(points, p); ok {
			share = estimateText(e, "%.2f")
		}
		rows = append(rows, []string{p.Agent, p.Opponent, fmt.Sprint(p.Lost), length, share, cli.SecondsText(p.SecondsPerMove)})
	}
	return rows
}

var lengthAxis = chart.Axis{Name: "plies of a lost game, on average"}

// lengthCurves returns a curve of mcts for each opponent, and one for each other agent.
func lengthCurves(points []matchPoint) (curves []curve) {
	for _, p := range points {
		e, ok := p.length()
		if !ok {
			continue
		}
		name := "against " + p.Opponent
		if p.Iterations == noIterations {
			name = p.Agent + " " + name
		}
		curves = add(curves, name, sample{p.Iterations, p.SecondsPerMove, e})
	}
	return curves
}
