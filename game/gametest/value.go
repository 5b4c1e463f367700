package gametest

import "backsolve/game"

// Value returns the outcome of a position under best play by full search, in a game whose
// positions cannot recur. It keeps what it finds in known.
func Value(rules game.Rules, s game.State, known map[game.State]game.Outcome) game.Outcome {
	if outcome, over := rules.Terminal(s); over {
		return outcome
	}
	if outcome, ok := known[s]; ok {
		return outcome
	}
	best := game.Lose
	for _, m := range rules.Moves(nil, s) {
		if after := Value(rules, rules.Play(s, m), known).Flip(); after == game.Win || after == game.Draw && best == game.Lose {
			best = after
		}
	}
	known[s] = best
	return best
}
