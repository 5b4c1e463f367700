package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

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
	s := &series{}
	games, turns := cli.NewCount(200, maxGames), cli.NewCount(200, maxTurns)
	blunders, policies := slices.Clone(standardBlunders), policiesValue{player.Optimal, player.Shortest}
	cmd := newSeriesCommand(s, &cobra.Command{
		Use:   "strength BOARD",
		Short: "Grade agents by matches against players who know all values",
		Long:  strengthLong + seriesHelp,
		Example: `  ladder strength quixo 3
  ladder strength quixo 4 --blunder 0,0.1 --policy optimal --iterations 0-1000/200
  ladder strength notakto 5 --iterations '' --agent greedy --agent minimax:depth=2`,
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := s.playAll(cmd, args, "strength", games.Count, turns.Count, opponents(policies, blunders))
			if err != nil {
				return err
			}
			if err := writePoints(cmd.OutOrStdout(), s.format.Word(), d, strengthRows(d.Points)); err != nil {
				return err
			}
			return plotStrengths(s.path("strength"), d)
		},
	})
	addGames(cmd, &games, &turns)
	cmd.Flags().Var(&blunders, "blunder", "`LIST` blunder probabilities of the opponents")
	cli.NoCompletion(cmd, "blunder")
	addPolicies(cmd, &policies)
	return cmd
}

// addGames adds the flags of the games of each point.
func addGames(cmd *cobra.Command, games, turns *cli.CountValue) {
	f := cmd.Flags()
	f.Var(games, "games", "number of games for each point")
	f.Var(turns, "turn-limit", "number of turns after which a game is drawn")
	cli.NoCompletion(cmd, "games", "turn-limit")
	cli.Advanced(cmd, "turn-limit")
}

// addPolicies adds the flag of the policies of the opponents.
func addPolicies(cmd *cobra.Command, policies *policiesValue) {
	cmd.Flags().Var(policies, "policy", "`LIST` policies of the opponents: optimal, shortest")
	both := string(player.Optimal) + "," + string(player.Shortest)
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("policy",
		cobra.FixedCompletions([]string{string(player.Optimal), string(player.Shortest), both}, cobra.ShellCompDirectiveNoFileComp)))
}

// opponents returns the names of the players of each policy with each blunder.
func opponents(policies []player.Policy, blunders []float64) []string {
	var names []string
	for _, policy := range policies {
		for _, p := range blunders {
			names = append(names, player.Strength{Policy: policy, Blunder: p}.String())
		}
	}
	return names
}

// strengthRows are the points for people.
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

// plotStrengths draws a plot for each policy, with a line for each probability of a
// blunder.
func plotStrengths(path string, d *data[matchPoint]) error {
	for _, policy := range []player.Policy{player.Optimal, player.Shortest} {
		curves, err := strengthCurves(d.Points, policy)
		if err != nil {
			return err
		}
		if err := plot(path+"-"+string(policy), strengthTitle(d.Settings, policy), strengthAxis, curves); err != nil {
			return err
		}
	}
	return nil
}

func strengthTitle(s settings, policy player.Policy) string {
	return fmt.Sprintf("%s %d×%[2]d: strength against %s with probability p of a blunder", s.Game, s.Size, policy)
}

// strengthCurves returns the lines of the matches against a policy: one of mcts for
// each probability of a blunder, and for each other agent.
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
