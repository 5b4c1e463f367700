package selfplay

import (
	"context"

	"backsolve/game"
	"backsolve/player/zero"
	"backsolve/player/zero/network"
)

// Match is how a network that has learned fared against the one before.
type Match struct {
	// First counts the games that it has begun, Second the others.
	First  Tally `json:"first"`
	Second Tally `json:"second"`
}

// Tally counts games.
type Tally struct {
	Wins   int `json:"wins"`
	Draws  int `json:"draws"`
	Losses int `json:"losses"`
}

func (t *Tally) add(o game.Outcome) {
	switch o {
	case game.Win:
		t.Wins++
	case game.Lose:
		t.Losses++
	default:
		t.Draws++
	}
}

// wonOfDecided is the share of games that were won, of those that somebody has won: 0
// where there are none.
func (t Tally) wonOfDecided() float64 {
	if t.Wins == 0 {
		return 0
	}
	return float64(t.Wins) / float64(t.Wins+t.Losses)
}

// accepts reports whether the network is to take the place of the one before, where the
// first player has won a share of the games that it has learned from.
func (a *Acceptance) accepts(m *Match, firstWins float64) bool {
	if a.Rule == Fixed {
		both := Tally{Wins: m.First.Wins + m.Second.Wins, Losses: m.First.Losses + m.Second.Losses}
		return both.wonOfDecided() > a.Threshold
	}
	return m.First.wonOfDecided() > firstWins || m.Second.wonOfDecided() > 1-firstWins
}

// accept lets the next network, which has learned, meet the one before, where the rule asks for
// it, from the start position, and without noise.
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
			report.Match.First.add(e.outcome)
		} else {
			report.Match.Second.add(e.outcome.Flip())
		}
	}
	firstWins := report.FirstWins
	if firstWins < 0 {
		firstWins = 0.5 // no game has told
	}
	report.Accepted = a.accepts(report.Match, firstWins)
	return nil
}
