package probe

import (
	"fmt"
	"slices"
	"strings"

	"backsolve/game"
	"backsolve/game/notakto"
)

// pairingStrategy is the second player's pairing of Notakto. On 4×4 there is one as
// well, but a table knows more.
var pairingStrategy = Strategy{
	Source: FromPairing,
	Title:  "the second player's pairing",
	New: func(rules game.Rules) (Answerer, bool) {
		i := rules.Info()
		if i.Name != notakto.Game.Name || !notakto.Paired(i.Size) {
			return nil, false
		}
		return newPairing(i.Size), true
	},
}

// pairing answers from the second player's pairing of Notakto on a board that is
// too large for a table. It knows who wins where the pairing has been kept, and
// after one more move; it knows no steps.
type pairing struct {
	n     int
	rules *notakto.WideRules
}

func newPairing(n int) *pairing { return &pairing{n, notakto.NewWide(n)} }

// answer returns what follows from the pairing for a position of its board, with
// the main line of at most maxPlies plies unless that is NoLine. Moves are those
// whose outcome is known, in the order of a table without steps. The error wraps
// ErrUnknown where the pairing does not tell the outcome.
func (p *pairing) answer(w notakto.Wide, maxPlies int) (*Answer, error) {
	unpaired := len(notakto.Unpaired(w))
	a := &Answer{
		Game: notakto.Game.Name, Size: p.n, Position: p.rules.Format(w), Terminal: w.Complete(),
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
		for _, m := range p.rank(w, unpaired) {
			a.Moves = append(a.Moves, Move{Move: m.name, Value: m.Value, Position: p.rules.Format(w.Mark(m.cell))})
		}
	}
	if maxPlies >= 0 {
		a.Line = p.line(w, unpaired, maxPlies)
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
func (p *pairing) rank(w notakto.Wide, unpaired int) (moves []pairingMove) {
	for cell := range w.Cells() {
		if w.Marked(cell) {
			continue
		}
		m := pairingMove{cell, game.CellName(p.n, cell), Value{game.Lose, -1}}
		if !w.CompletedBy(cell) {
			switch left := unpaired + p.unpairs(w, cell); {
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
func (p *pairing) unpairs(w notakto.Wide, cell int) int {
	if w.Marked(notakto.Pair(p.n, cell)) {
		return -1
	}
	return 1
}

// line returns the main line from a position whose outcome is known: best move
// after best move, until the game is over or there are maxPlies.
func (p *pairing) line(w notakto.Wide, unpaired, maxPlies int) *Line {
	line := &Line{Plies: []Ply{}, Repeats: -1}
	for over := w.Complete(); !over; {
		if len(line.Plies) == maxPlies {
			line.Truncated = true
			break
		}
		best := p.rank(w, unpaired)[0]
		over = w.CompletedBy(best.cell)
		unpaired += p.unpairs(w, best.cell)
		w = w.Mark(best.cell)
		line.Plies = append(line.Plies, Ply{best.name, p.rules.Format(w)})
	}
	return line
}

// Info describes the board.
func (p *pairing) Info() game.Info { return p.rules.Info() }

// HasSteps reports that no steps are known.
func (p *pairing) HasSteps() bool { return false }

// Example returns the text of a position that shows the notation.
func (p *pairing) Example() string { return p.rules.Example() }

// Ask answers the position of a text as Answerer says.
func (p *pairing) Ask(text string, maxPlies int) (*Answer, error) {
	w, err := p.rules.Parse(text)
	if err != nil {
		return nil, err
	}
	return p.answer(w, maxPlies)
}

// AskState answers a state as Answerer says. Boards of at most 8×8 cells have states
// of another form, which have the text in common.
func (p *pairing) AskState(rules game.Rules, s game.State, maxPlies int) (*Answer, error) {
	if w, ok := s.(notakto.Wide); ok {
		return p.answer(w, maxPlies)
	}
	return p.Ask(rules.Format(s), maxPlies)
}

// AppendAsk appends the answer as Answerer says.
func (p *pairing) AppendAsk(dst []byte, text string) ([]byte, error) {
	return AppendAsk(p, dst, text)
}

// Rate rates the moves as Answerer says.
func (p *pairing) Rate(rules game.Rules, s game.State, buf []Rated) (Value, []Rated, error) {
	a, err := p.AskState(rules, s, NoLine)
	if err != nil {
		return Value{}, buf, err
	}
	for _, m := range a.Moves {
		move, err := rules.ParseMove(s, m.Move)
		if err != nil {
			return Value{}, buf, err
		}
		buf = append(buf, Rated{Move: move, Value: m.Value})
	}
	return a.Value, buf, nil
}
