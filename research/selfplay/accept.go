package selfplay

import (
	"context"

	"backsolve/game"
	"backsolve/internal/player/arena"
	"backsolve/internal/player/zero"
	"backsolve/internal/player/zero/network"
)

// Match is the result of a trained network against its predecessor.
type Match struct {
	// First counts the games in which the trained network moved first, Second the others.
	First  arena.Tally `json:"first"`
	Second arena.Tally `json:"second"`
}

func count(t *arena.Tally, o game.Outcome) {
	*map[game.Outcome]*int{game.Win: &t.Wins, game.Draw: &t.Draws, game.Lose: &t.Losses}[o]++
}

// winRate is the share of wins among decided games, 0 if there are none.
func winRate(wins, losses int) float64 {
	if wins == 0 {
		return 0
	}
	return float64(wins) / float64(wins+losses)
}

// accepts reports whether the trained network replaces its predecessor. firstWins is the
// first player's score in the games that it learned from.
func (a *Acceptance) accepts(m *Match, firstWins float64) bool {
	if a.Rule == Fixed {
		return winRate(m.First.Wins+m.Second.Wins, m.First.Losses+m.Second.Losses) > a.Threshold
	}
	return winRate(m.First.Wins, m.First.Losses) > firstWins || winRate(m.Second.Wins, m.Second.Losses) > 1-firstWins
}

// accept plays the trained network against its predecessor if the rule asks for it: from the
// start position, without noise.
func (l *Learner) accept(ctx context.Context, next *network.Network, report *Report) error {
	a := &l.Run.Acceptance
	if a.Rule == Always {
		report.Accepted = true
		return nil
	}
	evaluators := [2]*zero.Evaluator{
		zero.NewEvaluator(l.view, next, a.Games, cacheBytes/2, l.threads),
		zero.NewEvaluator(l.view, l.Best, a.Games, cacheBytes/2, l.threads),
	}
	var episodes []*episode
	for i := range a.Games {
		episodes = append(episodes, l.episode(chance(l.Run.Seed, l.Iteration, ofAcceptance, i), evaluators[i%2], evaluators[1-i%2], false))
	}
	if err := lockstep(ctx, episodes, l.threads); err != nil {
		return err
	}
	report.Match = &Match{}
	for i, e := range episodes {
		if i%2 == 0 {
			count(&report.Match.First, e.outcome)
		} else {
			count(&report.Match.Second, e.outcome.Flip())
		}
	}
	firstWins := report.FirstWins
	if firstWins < 0 {
		firstWins = 0.5 // no game began at the start
	}
	report.Accepted = a.accepts(report.Match, firstWins)
	return nil
}
