package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"backsolve/player"
	"backsolve/tools/internal/chart"
)

const lengthLong = `Plays a match of each agent against players who know all values and never blunder,
and says how many plies the games have that the agent loses, on average: how long it
holds out.

`

func lengthCommand() *cobra.Command {
	s := &series{}
	games, turns := newCount(200, maxGames), newCount(200, maxTurns)
	policies := policiesValue{player.Optimal, player.Shortest}
	cmd := newSeriesCommand(s, &cobra.Command{
		Use:   "length",
		Short: "Say how long agents hold out against perfect players",
		Long:  lengthLong + seriesHelp + agentsHelp + "\n" + statuses,
		Example: `  ladder length --game quixo --size 3
  ladder length --game notakto --size 6 --policy optimal --iterations 0,100,1000`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := s.playAll(cmd, "length", games.count, turns.count, opponents(policies, []float64{0}))
			if err != nil {
				return err
			}
			if err := writeLengths(cmd, d.Points); err != nil {
				return err
			}
			return plotLengths(s.path("length"), d)
		},
	})
	f := cmd.Flags()
	f.Var(&games, "games", "number of games for each point")
	f.Var(&turns, "turn-limit", "number of turns after which a game is a draw")
	f.Var(&policies, "policy", "`policies` of the opponents: optimal, shortest")
	return cmd
}

func writeLengths(cmd *cobra.Command, points []matchPoint) error {
	rows := [][]string{{"agent", "opponent", "games lost", "plies of a lost game", "time of a move"}}
	for _, p := range points {
		length := "-"
		if e, ok := p.length(); ok {
			length = estimateText(e, "%.1f")
		}
		rows = append(rows, []string{p.Agent, p.Opponent, fmt.Sprint(p.Lost), length, secondsText(p.SecondsPerMove)})
	}
	return writeGrid(cmd.OutOrStdout(), rows)
}

var lengthAxis = chart.Axis{Name: "plies of a lost game, on average"}

// plotLengths draws a line for each opponent.
func plotLengths(path string, d *data[matchPoint]) error {
	title := fmt.Sprintf("%s %d×%[2]d: length of the games lost to a perfect player", d.Settings.Game, d.Settings.Size)
	return plot(path, title, lengthAxis, lengthCurves(d.Points))
}

// lengthCurves returns a line of mcts for each opponent, and one for each other
// agent.
func lengthCurves(points []matchPoint) []curve {
	var curves curveSet
	for _, p := range points {
		e, ok := p.length()
		if !ok {
			continue
		}
		name := "against " + p.Opponent
		if p.Iterations == noIterations {
			name = p.Agent + " " + name
		}
		curves.add(name, sample{p.Iterations, p.SecondsPerMove, e})
	}
	return curves
}
