package player

import (
	"fmt"

	"backsolve/game"
	"backsolve/game/notakto"
)

// Random returns the agent named random, which plays any legal move, each with
// the same probability.
func Random(rules game.Rules) Agent {
	return byRank("random", rules, func(game.Position) func(game.Move) int {
		return func(game.Move) int { return 0 }
	})
}

// Greedy returns the agent named greedy, which looks one ply ahead: it plays a
// move that wins at once, else one with which the game goes on or is a draw, else
// one that loses at once; of equal ones each with the same probability. It does
// not see that the opponent may win with the next ply.
func Greedy(rules game.Rules) Agent {
	return byRank("greedy", rules, func(p game.Position) func(game.Move) int {
		return func(m game.Move) int {
			outcome, over := rules.Terminal(rules.Play(p, m)) // as the opponent sees it
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

// Pairing returns the agent named pairing, which plays Notakto on the 4×4 and the
// 8×8 board by the pairing of the cells with which the second player wins. Where
// one mark is without its partner, it marks that. Else it completes no line if it
// can help it, nor leaves one mark without its partner, which would win for an
// opponent who knows the pairing; of equal moves it plays each with the same
// probability. The error says for which boards there is a pairing.
func Pairing(rules game.Rules) (Agent, error) {
	n := rules.Size()
	if rules.Name() != notakto.Game.Name || !notakto.Paired(n) {
		return nil, fmt.Errorf("there is no pairing of %s %d×%d; pairing plays notakto 4×4 and 8×8", rules.Name(), n, n)
	}
	return byRank("pairing", rules, func(p game.Position) func(game.Move) int {
		unpaired := unpaired(n, p.X)
		return func(m game.Move) int {
			left := unpaired + 1
			if marked(p.X, notakto.Pair(n, int(m.To))) {
				left = unpaired - 1
			}
			_, over := rules.Terminal(rules.Play(p, m))
			switch {
			case over:
				return 3
			case left == 0:
				return 0
			case left == 1:
				return 2
			}
			return 1
		}
	}), nil
}

// unpaired returns the number of marked cells whose partner is not marked.
func unpaired(n int, mask uint64) (count int) {
	for cell := range n * n {
		if marked(mask, cell) && !marked(mask, notakto.Pair(n, cell)) {
			count++
		}
	}
	return count
}

func marked(mask uint64, cell int) bool { return mask>>uint(cell)&1 == 1 }
