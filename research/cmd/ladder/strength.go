package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/player"
	"backsolve/research/internal/chart"
)

const strengthLong = `Play each agent against players who know all values and blunder with a given
probability: optimal plays any move that keeps the outcome, shortest the one that wins
soonest or loses latest.

The strength of an agent is its score for 100 games, 100·(wins + draws/2)/games. The
players take turns to move first, so a perfect agent scores 50 against a player that
never blunders.`

func strengthCommand() *cobra.Command {
	s := &seriesCommand{}
	var m matchFlags
	blunders := make([]string, len(standardBlunders))
	for i, p := range standardBlunders {
		blunders[i] = floatText(p)
	}
	cmd := newSeriesCommand(s, &cobra.Command{
		Use:   "strength BOARD",
		Short: "Grade agents by matches against players who know all values",
		Long:  strengthLong + seriesHelp,
		Example: `  ladder strength quixo 3
  ladder strength quixo 4 --blunder 0,0.1 --policy optimal --iterations 0-1000/200
  ladder strength notakto 5 --iterations '' --agent greedy --agent minimax:depth=2`,
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := s.playAll(cmd, args, "strength", &m, blunders)
			if err != nil {
				return err
			}
			if err := writePoints(cmd.OutOrStdout(), s.format.Word(), d, strengthRows(d.Points)); err != nil {
				return err
			}
			for _, policy := range bothPolicies {
				curves, err := strengthCurves(d.Points, policy)
				if err != nil {
					return err
				}
				if err := s.plots().both(s.file("strength")+"-"+string(policy), strengthTitle(d.Settings, policy), strengthAxis, curves); err != nil {
					return err
				}
			}
			return nil
		},
	})
	m.add(cmd)
	cmd.Flags().StringSliceVar(&blunders, "blunder", blunders, "`LIST` blunder probabilities of the opponents")
	cli.NoCompletion(cmd, "blunder")
	return cmd
}

// standardBlunders are those of the published ladders.
var standardBlunders = []float64{0, 0.01, 0.05, 0.1, 0.2, 0.5}

var bothPolicies = []player.Policy{player.Optimal, player.Shortest}

// matchFlags are the flags of a series of matches.
type matchFlags struct {
	games, turns cli.CountValue
	policies     []string
}

func (m *matchFlags) add(cmd *cobra.Command) {
	m.games, m.turns = cli.NewCount(200, maxGames), cli.NewCount(200, maxTurns)
	both := []string{string(player.Optimal), string(player.Shortest)}
	f := cmd.Flags()
	f.Var(&m.games, "games", "number of games for each point")
	f.Var(&m.turns, "turn-limit", "number of turns after which a game is drawn")
	f.StringSliceVar(&m.policies, "policy", both, "`LIST` policies of the opponents: optimal, shortest")
	cli.NoCompletion(cmd, "games", "turn-limit")
	cli.Advanced(cmd, "turn-limit")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("policy", cobra.FixedCompletions(append(both, strings.Join(both, ",")), cobra.ShellCompDirectiveNoFileComp)))
}

// opponents returns the names of the players of each policy with each probability of a blunder.
func (m *matchFlags) opponents(blunders []string) (names []string, err error) {
	for _, policy := range m.policies {
		for _, text := range blunders {
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

func strengthRows(points []matchPoint) [][]string {
	rows := [][]string{{"agent", "opponent", "games", "strength", "time of a move", "failures"}}
	for _, p := range points {
		games := gameCount(p)
		rows = append(rows, []string{p.Agent, p.Opponent, fmt.Sprint(games), estimateText(p.strength(), "%.1f"),
			cli.SecondsText(p.SecondsPerMove), fmt.Sprint(p.Failures)})
	}
	return rows
}

// strengthAxis shows what a perfect agent reaches.
var strengthAxis = chart.Axis{Name: "strength: score for 100 games", From: 0, To: 50}

func strengthTitle(s settings, policy player.Policy) string {
	return fmt.Sprintf("%s %d×%[2]d: strength against %s with probability p of a blunder", s.Game, s.Size, policy)
}

// strengthCurves returns the curves against a policy: of mcts for each probability of a
// blunder, and of each other agent.
func strengthCurves(points []matchPoint, policy player.Policy) ([]curve, error) {
	type kind struct {
		agent   string // empty for mcts
		blunder float64
	}
	samples := map[kind][]sample{}
	for _, p := range points {
		s, err := parseStrength(p.Opponent)
		if err != nil {
			return nil, err
		}
		if s.Policy != policy {
			continue
		}
		k := kind{blunder: s.Blunder}
		if p.Iterations == noIterations {
			k.agent = p.Agent
		}
		samples[k] = append(samples[k], sample{p.Iterations, p.SecondsPerMove, p.strength()})
	}
	var curves []curve
	for _, k := range slices.SortedFunc(maps.Keys(samples), func(a, b kind) int {
		return cmp.Or(cmp.Compare(a.agent, b.agent), cmp.Compare(a.blunder, b.blunder))
	}) {
		name := "p = " + floatText(k.blunder)
		if k.agent != "" {
			name = k.agent + ", " + name
		}
		curves = append(curves, curve{name: name, samples: samples[k]})
	}
	return curves, nil
}
