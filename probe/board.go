package probe

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/partition"
)

var (
	// ErrNoBoard: there is no such game, or none on a board of this size.
	ErrNoBoard = errors.New("no such board")
	// ErrAfter: there is no game after the moves given.
	ErrAfter = errors.New("no game goes on after these moves")
)

// ofKind is an error of a kind that errors.Is finds and its text does not repeat.
type ofKind struct {
	error
	kind error
}

func (e ofKind) Unwrap() []error { return []error{e.error, e.kind} }

// Board is a game on a board of some size, whole or after given moves, whose
// positions can be asked about: of its table or, where there can be none and a
// pairing is known, of that.
type Board struct {
	rules   game.Rules // nil where a pairing answers
	taken   uint64
	pairing *Pairing
}

// NewBoard returns the board of a game, of which moves are made at first if
// after is not empty: cells separated by commas. The error is ErrNoBoard, or
// ErrAfter and, where the moves cannot be read or made, a *game.SyntaxError or
// *game.IllegalMoveError as well.
func NewBoard(name string, n int, after string) (*Board, error) {
	if p, ok := NewPairing(name, n); ok {
		if after != "" {
			return nil, ofKind{fmt.Errorf("%s %d×%d has no tables after given moves, as it has too many states; leave them out", name, n, n), ErrAfter}
		}
		return &Board{pairing: p}, nil
	}
	rules, err := games.New(name, n)
	if err != nil {
		if sizes := PairingSizes(name); sizes != nil {
			texts := strings.Fields(strings.Trim(fmt.Sprint(sizes), "[]"))
			err = fmt.Errorf("%w; the second player's pairing answers on boards of size %s", err, strings.Join(texts, ", "))
		}
		return nil, ofKind{err, ErrNoBoard}
	}
	b := &Board{rules: rules}
	if after == "" {
		return b, nil
	}
	if !partition.GoesOn(name) {
		return nil, ofKind{fmt.Errorf("%s has no tables after given moves; leave them out", name), ErrAfter}
	}
	if b.taken, err = parseAfter(rules, after); err != nil {
		return nil, ofKind{err, ErrAfter}
	}
	return b, nil
}

// parseAfter returns the cells that moves mark from the start of the game on.
func parseAfter(rules game.Rules, text string) (taken uint64, err error) {
	p, before := rules.Start(), 0
	for move := range strings.SplitSeq(text, ",") {
		m, err := rules.ParseMove(p, move)
		if syntax, ok := errors.AsType[*game.SyntaxError](err); ok {
			syntax.Text, syntax.Column = text, syntax.Column+before
		}
		if err != nil {
			return 0, err
		}
		p = rules.Play(p, m)
		before += utf8.RuneCountInString(move) + 1
	}
	if _, over := rules.Terminal(p); over {
		return 0, errors.New("the game is over after these moves; give fewer")
	}
	return p.X, nil
}

// Rules returns the rules, nil where a pairing answers.
func (b *Board) Rules() game.Rules { return b.rules }

// Taken returns the cells that are marked from the start.
func (b *Board) Taken() uint64 { return b.taken }

// Pairing returns the pairing that answers instead of a table, nil where there
// can be one.
func (b *Board) Pairing() *Pairing { return b.pairing }

// Example returns the text of a position that shows the notation.
func (b *Board) Example() string {
	switch {
	case b.pairing != nil:
		return b.pairing.Example()
	case b.taken != 0:
		return b.rules.Format(game.Position{X: b.taken})
	}
	return b.rules.Example()
}

// Diagram reads the text of a position and draws it for people. The error is a
// *game.SyntaxError.
func (b *Board) Diagram(text string) (string, error) {
	if b.pairing != nil {
		g, err := b.pairing.Parse(text)
		if err != nil {
			return "", err
		}
		return g.Diagram(), nil
	}
	p, err := b.rules.Parse(text)
	if err != nil {
		return "", err
	}
	return game.Diagram(b.rules, p), nil
}

// Open returns what answers for the board, its table in a directory or the
// pairing, and what closes it again. Errors are those of OpenAfter.
func (b *Board) Open(dir string) (from Answerer, closeTable func() error, err error) {
	if b.pairing != nil {
		return b.pairing, func() error { return nil }, nil
	}
	t, err := OpenAfter(dir, b.rules, b.taken)
	if err != nil {
		return nil, nil, err
	}
	return t, t.Close, nil
}
