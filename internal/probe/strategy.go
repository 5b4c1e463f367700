package probe

import (
	"fmt"
	"strings"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/partition"
)

// Strategy knows values of positions without a table.
type Strategy struct {
	// Source is the source of its answers.
	Source Source
	// Title names it in sentences: the second player's pairing.
	Title string
	// New returns an answerer for a board; ok is false if the strategy knows nothing of it.
	New func(rules game.Rules) (a Answerer, ok bool)
}

// strategies are in the order in which they are asked: the first that knows a board answers.
var strategies = []Strategy{pairingStrategy, formulaStrategy, solverStrategy}

// StrategyAnswerer is a strategy with its answerer for one board.
type StrategyAnswerer struct {
	Strategy
	Answerer
}

// strategyFor returns the strategy of a board that can have no table, nil if there is none.
func strategyFor(rules game.Rules) *StrategyAnswerer {
	if partition.Solvable(rules.Info()) == nil {
		return nil
	}
	for _, s := range strategies {
		if a, ok := s.New(rules); ok {
			return &StrategyAnswerer{s, a}
		}
	}
	return nil
}

// StrategySizes returns the sizes of a game's boards that a strategy knows.
func StrategySizes(g game.Game) (sizes []int) {
	for _, n := range g.Sizes() {
		if strategyFor(g.New(n)) != nil {
			sizes = append(sizes, n)
		}
	}
	return sizes
}

// knownSizes ends a sentence that refuses a board; it is empty if no strategy knows the game.
func knownSizes(name string) string {
	g, err := games.Lookup(name)
	if err != nil {
		return ""
	}
	text := ""
	for _, s := range strategies {
		var sizes []string
		for _, n := range g.Sizes() {
			if known := strategyFor(g.New(n)); known != nil && known.Source == s.Source {
				sizes = append(sizes, fmt.Sprint(n))
			}
		}
		if sizes != nil && len(sizes) <= g.MaxSize-g.MinSize {
			text += fmt.Sprintf("; %s answers on boards of size %s", s.Title, strings.Join(sizes, ", "))
		}
	}
	return text
}
