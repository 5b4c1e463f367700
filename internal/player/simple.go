package player

import (
	"fmt"

	"backsolve/game"
)

// Random returns the agent named random, which plays any legal move.
func Random(rules game.Rules) Agent {
	return byRank("random", rules, func(game.State) func(game.Move) int {
		return func(game.Move) int { return 0 }
	})
}

// Greedy returns the agent named greedy, which prefers moves that win at once and avoids those that lose at once.
// It does not see that the opponent may win on the next ply.
func Greedy(rules game.Rules) Agent {
	return byRank("greedy", rules, func(s game.State) func(game.Move) int {
		return func(m game.Move) int {
			outcome, over := rules.Terminal(rules.Play(s, m)) // as the opponent sees it
			switch {
			case over && outcome == game.Lose:
				return 0
			case over && outcome == game.Win:
				return 2
			}
			return 1
		}
	})
}

// ByFormula returns the agent that plays by a formula and bears its name. The error says which boards have
// a formula.
func ByFormula(rules game.Rules, f game.Formula) (Agent, error) {
	rank, ok := f.New(rules)
	if !ok {
		return nil, fmt.Errorf("there is no %s of %v; %s plays %s", f.Name, rules.Info(), f.Name, f.Boards)
	}
	return byRank(f.Name, rules, rank), nil
}
