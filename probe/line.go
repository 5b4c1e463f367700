package probe

import (
	"errors"
	"math"

	"backsolve/game"
)

// Line is a line of best play: best move after best move, as Rank orders them.
type Line struct {
	Plies []Ply
	// Repeats is −1 where the line ends because the game is over. Otherwise the
	// position after the last ply is the one after so many plies, 0 for the
	// position asked about: play goes on in a circle, because it is a draw or
	// because the table has no steps to tell which move leads to the end.
	Repeats int
	// Truncated says that the line was cut short: after as many plies as were asked
	// for, or where an opening table ends.
	Truncated bool
}

// Ply is a move of a line and the text of the position after it.
type Ply struct {
	Move, Position string
}

// The bounds of a line that are no number of plies.
const (
	NoLine    = -1 // for Ask: no line at all
	WholeLine = math.MaxInt
)

// MainLine returns the main line from a state whose moves rate appends, the best
// first, and none where the game is over. It is cut short after maxPlies plies, and
// where no further move is known.
func MainLine(rules game.Rules, s game.State, maxPlies int, rate func(game.State) ([]Rated, error)) (*Line, error) {
	line := &Line{Plies: []Ply{}, Repeats: -1}
	seen := map[game.State]int{}
	for {
		if at, again := seen[s]; again {
			line.Repeats = at
			return line, nil
		}
		seen[s] = len(line.Plies)
		if _, over := rules.Terminal(s); over {
			return line, nil
		}
		if line.Truncated = len(line.Plies) == maxPlies; line.Truncated {
			return line, nil
		}
		moves, err := rate(s)
		if unknown(err) && len(line.Plies) > 0 {
			line.Truncated = true
			return line, nil
		}
		if err != nil {
			return nil, err
		}
		s = rules.Play(s, moves[0].Move)
		line.Plies = append(line.Plies, Ply{rules.FormatMove(moves[0].Move), rules.Format(s)})
	}
}

// Line returns the main line from a position, of at most maxPlies plies. Errors
// are those of Rank.
func (t *Table) Line(p game.Position, maxPlies int) (*Line, error) {
	line := &Line{Repeats: -1}
	seen := map[game.Position]int{}
	var ranked []Ranked
	for {
		if at, again := seen[p]; again {
			line.Repeats = at
			return line, nil
		}
		seen[p] = len(line.Plies)
		if len(line.Plies) == maxPlies {
			_, over := t.rules.Terminal(p)
			line.Truncated = !over
			return line, nil
		}
		var err error
		if _, ranked, err = t.Rank(p, ranked[:0]); errors.Is(err, ErrOutOfTable) && len(line.Plies) > 0 {
			line.Truncated = true
			return line, nil
		} else if err != nil {
			return nil, err
		}
		if len(ranked) == 0 {
			return line, nil
		}
		p = ranked[0].Position
		line.Plies = append(line.Plies, Ply{t.rules.FormatMove(ranked[0].Move), t.rules.Format(p)})
	}
}
