package probe

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"backsolve/game"
	"backsolve/game/notakto"
	"backsolve/partition"
)

// Pairing answers from the second player's pairing strategy on a board that is
// too large for a table. It knows who wins where the strategy has been kept, and
// after one more move; it knows no steps.
type Pairing struct{ n int }

// NewPairing returns the pairing of a game on the n×n board, and whether there is
// one: for Notakto on 8×8, 12×12, 16×16, 20×20 and 24×24. On 4×4 there is one as
// well, but a table knows more.
func NewPairing(name string, n int) (*Pairing, bool) {
	if name != notakto.Game.Name || !notakto.Paired(n) {
		return nil, false
	}
	if n <= notakto.Game.MaxSize {
		if partition.Solvable(notakto.New(n)) == nil {
			return nil, false
		}
	}
	return &Pairing{n}, true
}

// Size is the n of the n×n board.
func (p *Pairing) Size() int { return p.n }

// PairingSizes returns the sizes of the boards for which NewPairing has a
// pairing of a game.
func PairingSizes(name string) (sizes []int) {
	for n := range notakto.MaxPaired + 1 {
		if _, ok := NewPairing(name, n); ok {
			sizes = append(sizes, n)
		}
	}
	return sizes
}

// ErrUnknown is the cause when nothing is known of a position.
var ErrUnknown = errors.New("the outcome is not known")

// Example returns the text of a position that shows the notation.
func (p *Pairing) Example() string {
	g := game.NewGrid(p.n)
	g.Mark(0)
	return g.Format()
}

// Parse reads the text of a position. The error is a *game.SyntaxError.
func (p *Pairing) Parse(text string) (*game.Grid, error) {
	return game.ParseGrid(p.n, text, p.Example())
}

// Answer returns what follows from the pairing for a position of its board, with
// the main line of at most maxPlies plies unless that is NoLine. Moves are those
// whose outcome is known, in the order of a table without steps. The error wraps
// ErrUnknown where the pairing does not tell the outcome.
func (p *Pairing) Answer(g *game.Grid, maxPlies int) (*Answer, error) {
	unpaired := len(notakto.Unpaired(g))
	a := &Answer{
		Game: notakto.Game.Name, Size: p.n, Position: g.Format(), Terminal: g.Complete(),
		Value: Value{game.Win, -1}, Source: FromPairing, Moves: []Move{},
	}
	switch {
	case a.Terminal:
		a.Source = FromRules
	case unpaired == 0:
		a.Outcome = game.Lose
	case unpaired > 1:
		return nil, fmt.Errorf("%w: the second player's pairing tells who wins where at most one mark has no partner, but here %d have none; "+
			"notakto %d×%d has too many states for a table", ErrUnknown, unpaired, p.n, p.n)
	}
	if !a.Terminal {
		for _, m := range p.rank(g, unpaired) {
			a.Moves = append(a.Moves, Move{m.name, m.Value, after(g, m.cell).Format()})
		}
	}
	if maxPlies >= 0 {
		a.Line = p.line(g, unpaired, maxPlies)
	}
	return a, nil
}

// pairingMove is a move whose outcome is known.
type pairingMove struct {
	cell int
	name string
	Value
}

// rank returns the moves whose outcome is known, the best first, of a position
// that is not over and has so many marks without a partner.
func (p *Pairing) rank(g *game.Grid, unpaired int) (moves []pairingMove) {
	for cell := range g.Cells() {
		if g.Marked(cell) {
			continue
		}
		m := pairingMove{cell, game.CellName(p.n, cell), Value{game.Lose, -1}}
		if !g.CompletedBy(cell) {
			switch left := unpaired + p.unpairs(g, cell); {
			case left == 0: // the reply that keeps the pairing
				m.Outcome = game.Win
			case left > 1:
				continue
			}
		}
		moves = append(moves, m)
	}
	slices.SortFunc(moves, func(m, n pairingMove) int {
		if c := m.Compare(n.Value); c != 0 {
			return c
		}
		return strings.Compare(m.name, n.name)
	})
	return moves
}

// unpairs returns by how much a move on a cell changes the number of marks
// without a partner.
func (p *Pairing) unpairs(g *game.Grid, cell int) int {
	if g.Marked(notakto.Pair(p.n, cell)) {
		return -1
	}
	return 1
}

// line returns the main line from a position whose outcome is known: best move
// after best move, until the game is over or there are maxPlies.
func (p *Pairing) line(g *game.Grid, unpaired, maxPlies int) *Line {
	line := &Line{Plies: []Ply{}, Repeats: -1}
	for over := g.Complete(); !over; {
		if len(line.Plies) == maxPlies {
			line.Truncated = true
			break
		}
		best := p.rank(g, unpaired)[0]
		over = g.CompletedBy(best.cell)
		unpaired += p.unpairs(g, best.cell)
		g = after(g, best.cell)
		line.Plies = append(line.Plies, Ply{best.name, g.Format()})
	}
	return line
}

// after returns the position after a move on a cell.
func after(g *game.Grid, cell int) *game.Grid {
	g = g.Clone()
	g.Mark(cell)
	return g
}
