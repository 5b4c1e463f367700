package probe

import (
	"math"

	"backsolve/game"
)

// Line is a line of best play: best move after best move, as Rank orders them.
type Line struct {
	Plies []Ply
	// Repeats is −1 if the game is over at the end. Otherwise the last position is the one after that many
	// plies. A draw repeats, and so may a win if no steps tell which move leads to the end.
	Repeats int
	// Truncated says that the line ends at the limit of plies, or of an opening table.
	Truncated bool
}

// Ply is a move of a line and the text of the position after it.
type Ply struct {
	Move, Position string
}

// Limits of a line for Ask that are not numbers of plies.
const (
	NoMoves   = -2 // nor moves: the value alone, which takes one lookup
	NoLine    = -1 // no line at all
	WholeLine = math.MaxInt
)

// MainLine asks rate for the moves of a state, the best first, none if it is over. It ends after maxPlies
// plies, and where no further move is known.
func MainLine(rules game.Rules, s game.State, maxPlies int, rate func(game.State) (Value, []Rated, error)) (*Line, error) {
	line := &Line{Plies: []Ply{}, Repeats: -1}
	seen := map[game.State]int{}
	for {
		if at, again := seen[s]; again {
			line.Repeats = at
			return line, nil
		}
		seen[s] = len(line.Plies)
		if len(line.Plies) == maxPlies {
			_, over := rules.Terminal(s)
			line.Truncated = !over
			return line, nil
		}
		_, moves, err := rate(s)
		if line.Truncated = unknown(err) && len(line.Plies) > 0; line.Truncated {
			return line, nil
		}
		if err != nil {
			return nil, err
		}
		if len(moves) == 0 {
			return line, nil
		}
		text := game.MoveText(rules, s, moves[0].Move)
		s = rules.Play(s, moves[0].Move)
		line.Plies = append(line.Plies, Ply{text, rules.Format(s)})
	}
}
