package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/internal/player"
	"backsolve/internal/player/arena"
	"backsolve/research/internal/chart"
)

const strengthLong = `Play each agent against players who know all values and blunder with a given
probability: optimal plays any move that keeps the outcome, shortest the one that wins
soonest or loses latest.

The strength of an agent is its score for 100 games, 100·(wins + draws/2)/games. The
players take turns to move first, so a perfect agent scores 50 against a player that
never blunders. Games of one number have the same seeds for all agents, so differences
from the first agent are taken game by game.`

func strengthCommand() *cobra.Command {
	s := newMatchSeries(&cobra.Command{
		Use:   "strength BOARD",
		Short: "Grade agents by matches against players who know all values",
		Long:  strengthLong + seriesHelp,
		Example: `  ladder strength quixo 3
  ladder strength quixo 4 --blunder 0,0.1 --policy optimal --iterations 0-1000/200
  ladder strength notakto 5 --iterations '' --agent greedy --agent minimax:depth=2`,
	}, strengthRows, func(d *data[matchPoint]) (plots []plot) {
		for _, policy := range bothPolicies {
			plots = append(plots, strengthPlot(d, d.Points, policy))
		}
		return plots
	})
	for _, p := range standardBlunders {
		s.blunders = append(s.blunders, floatText(p))
	}
	s.Flags().StringSliceVar(&s.blunders, "blunder", s.blunders, "`LIST` blunder probabilities of the opponents")
	cli.NoCompletion(s.Command, "blunder")
	return s.Command
}

const lengthLong = `Play each agent against perfect players. Print the average number of plies of the games
that it loses, and its share of that of mcts with 10,000 iterations, if measured. With
--replies the opponent always moves first.`

func lengthCommand() *cobra.Command {
	s := newMatchSeries(&cobra.Command{
		Use:   "length BOARD",
		Short: "Measure how long agents hold out against perfect players",
		Long:  lengthLong + seriesHelp,
		Example: `  ladder length quixo 3
  ladder length quixo 3 --replies --policy shortest --games 100
  ladder length notakto 6 --policy optimal --iterations 0,100,1000`,
	}, lengthRows, func(d *data[matchPoint]) []plot {
		return []plot{d.Settings.plot("", "length of the games lost to a perfect player", lengthAxis, lengthCurves("against ", d.Points, matchPoint.length))}
	})
	s.blunders = []string{"0"}
	s.Flags().BoolVar(&s.replies, "replies", false, "let the opponent move first in all games")
	return s.Command
}

// standardBlunders are those of the published ladders.
var standardBlunders = []float64{0, 0.01, 0.05, 0.1, 0.2, 0.5}

var bothPolicies = []player.Policy{player.Optimal, player.Shortest}

// matchSeries is a series of matches against perfect players.
type matchSeries struct {
	*seriesCommand
	games, turns       cli.CountValue
	policies, blunders []string
	replies            bool // in all games
}

func newMatchSeries(cmd *cobra.Command, rows func([]matchPoint) [][]string, plots func(*data[matchPoint]) []plot) *matchSeries {
	m := &matchSeries{seriesCommand: newSeries(cmd), games: cli.NewCount(200, maxGames), turns: cli.NewCount(200, maxTurns)}
	both := []string{string(player.Optimal), string(player.Shortest)}
	f := cmd.Flags()
	f.Var(&m.games, "games", "number of games for each point")
	f.Var(&m.turns, "turn-limit", "number of turns after which a game is drawn")
	f.StringSliceVar(&m.policies, "policy", both, "`LIST` policies of the opponents: optimal, shortest, trap")
	cli.NoCompletion(cmd, "games", "turn-limit")
	cli.Advanced(cmd, "turn-limit")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("policy", cobra.FixedCompletions(append(both, strings.Join(both, ",")), cobra.ShellCompDirectiveNoFileComp)))
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		opponents, err := m.opponents()
		if err != nil {
			return err
		}
		set := settings{Measure: cmd.Name(), Games: m.games.Count, TurnLimit: m.turns.Count, Replies: m.replies}
		return measure(m.seriesCommand, args, set, opponents, func(st *store[matchPoint], c contender) (jobs []job) {
			for _, opponent := range opponents {
				jobs = append(jobs, match(st, c, opponent)...)
			}
			return jobs
		}, rows, plots)
	}
	return m
}

// opponents returns the names of the players of each policy with each probability of a blunder.
func (m *matchSeries) opponents() (names []string, err error) {
	for _, policy := range m.policies {
		for _, text := range m.blunders {
			s := player.Strength{Policy: player.Policy(policy)}
			if s.Blunder, err = strconv.ParseFloat(text, 64); err != nil {
				return nil, cli.Usagef("--blunder %.40q: give probabilities, for example 0,0.05,0.5", text)
			}
			if err := s.Check(true); err != nil {
				return nil, &cli.UsageError{Err: err}
			}
			if !slices.Contains(names, s.String()) {
				names = append(names, s.String())
			}
		}
	}
	return names, nil
}

// strengthRows has the differences from the first agent against the same opponent, game by game.
func strengthRows(points []matchPoint) [][]string {
	rows := [][]string{{"agent", "opponent", "games", "strength", "time of a move", "failures", "difference from the first"}}
	first := map[string]string{}
	for _, p := range points {
		difference := "-"
		if results, ok := first[p.Opponent]; !ok {
			first[p.Opponent] = p.Results
		} else if e, ok := arena.Difference(p.Results, results); ok {
			difference = estimateText(e, "%+.1f")
		}
		rows = append(rows, []string{p.Agent, p.Opponent, fmt.Sprint(gameCount(p)), estimateText(p.strength(), "%.1f"),
			cli.SecondsText(p.SecondsPerMove), fmt.Sprint(p.Failures), difference})
	}
	return rows
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

// strengthAxis shows what a perfect agent reaches.
var (
	strengthAxis = chart.Axis{Name: "strength: score for 100 games", From: 0, To: 50}
	lengthAxis   = chart.Axis{Name: "plies of a lost game, on average"}
)

// strengthPlot plots points of d against a policy, a curve for each probability of a blunder.
func strengthPlot(d *data[matchPoint], points []matchPoint, policy player.Policy) plot {
	agent := func(p matchPoint) string {
		if p.Iterations == noIterations {
			return p.Agent
		}
		return "" // mcts comes first
	}
	points = slices.Clone(points)
	slices.SortStableFunc(points, func(a, b matchPoint) int {
		return cmp.Or(cmp.Compare(agent(a), agent(b)), cmp.Compare(a.Opponent, b.Opponent))
	})
	return d.Settings.plot("-"+string(policy), fmt.Sprintf("strength against %s with probability p of a blunder", policy), strengthAxis,
		curvesOf(points, func(p matchPoint) (string, arena.Estimate, bool) {
			s, err := parseStrength(p.Opponent)
			return "p = " + floatText(s.Blunder), p.strength(), err == nil && s.Policy == policy
		}))
}

// lengthCurves returns a curve of a value for each opponent.
func lengthCurves(prefix string, points []matchPoint, value func(matchPoint) (arena.Estimate, bool)) []curve {
	return curvesOf(points, func(p matchPoint) (string, arena.Estimate, bool) {
		e, ok := value(p)
		return prefix + p.Opponent, e, ok
	})
}
