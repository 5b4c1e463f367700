package probe

import (
	"errors"
	"fmt"
	"io/fs"
	"math/bits"

	"backsolve/game"
	"backsolve/tablebase"
)

// HasNimbers reports whether the nimbers of positions are known, from the table itself
// or from another one beside it.
func (t *Table) HasNimbers() bool { return t.nimbers != nil }

// Nimber returns the nimber of a position: in the game in which lines must not be
// completed and who cannot move loses. It is not known where the game is over, nor where
// HasNimbers says so. Errors are those of Lookup.
func (t *Table) Nimber(p game.Position) (Nimber, error) {
	if t.nimbers == nil {
		return Nimber{}, nil
	}
	e, err := t.nimbers.entry(p)
	if err != nil {
		return Nimber{}, err
	}
	return nimberOf(e), nil
}

// nimberOf returns what a table with nimbers says of a state.
func nimberOf(e tablebase.Entry) Nimber {
	if e.Nimber < 0 {
		return Nimber{}
	}
	return NimberOf(e.Nimber)
}

// rankNimbers returns the nimber of a position of a value and fills in those of its
// ranked moves. They must fit the values and each other, or a table is damaged.
func (t *Table) rankNimbers(p game.Position, value Value, ranked []Ranked) (Nimber, error) {
	n := t.nimbers
	if n == nil {
		return Nimber{}, nil
	}
	w := rankings.Get().(*ranking)
	defer rankings.Put(w)
	if err := w.lookUp(n, p, ranked); err != nil {
		return Nimber{}, err
	}
	own, fits := w.entries[0], w.entries[0].Outcome == value.Outcome
	var reached uint64 // the nimbers after the moves
	for i, e := range w.entries[1:] {
		ranked[i].Nimber = nimberOf(e)
		fits = fits && e.Outcome == ranked[i].Outcome.Flip()
		if e.Nimber >= 0 {
			reached |= 1 << uint(e.Nimber)
		}
	}
	if !fits {
		return Nimber{}, n.damaged("the outcomes of %s and its moves are not those of %s", t.rules.Format(p), t.stored.Path())
	}
	derived := Nimber{}
	if len(ranked) > 0 {
		derived = NimberOf(bits.TrailingZeros64(^reached))
	}
	if nimberOf(own) != derived && !t.leavesOut(p, len(ranked)) {
		return Nimber{}, n.damaged("%s is stored with the nimber %v, but its moves lead to %v", t.rules.Format(p), nimberOf(own), derived)
	}
	return nimberOf(own), nil
}

// besideIn opens a table by its name unpacked, packed where there is no other.
type besideIn func(name string) (*tablebase.Table, error)

// withNimbers returns the table with that of its board's nimbers, if such a one lies
// beside it. That it cannot be opened is an error: who has made it wants to be answered
// from it.
func (t *Table) withNimbers(open besideIn) (*Table, error) {
	if t.nimbers != nil || t.space.Taken != 0 || !t.space.HasNimbers() {
		return t, nil
	}
	stored, err := open(NimbersFileName(t.rules.Info()))
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if t.nimbers, err = newNimbers(t.rules, stored, err); err != nil {
		t.stored.Close()
		return nil, err
	}
	return t, nil
}

// newNimbers returns the table with a board's nimbers that was opened.
func newNimbers(rules game.Grid, stored *tablebase.Table, err error) (*Table, error) {
	n, err := openStored(stored, err)
	if err != nil {
		return nil, err
	}
	if n.nimbers == nil || n.Board() != boardText(rules.Info(), 0) {
		n.Close()
		return nil, n.otherBoard(fmt.Sprintf("it holds %v", stored.Shape()), "give it back its name, "+n.fileName())
	}
	return n, nil
}

// NimbersIdentity returns the identity of the table that has the nimbers, and false where
// there is none.
func (t *Table) NimbersIdentity() (identity [32]byte, ok bool) {
	if t.nimbers == nil {
		return identity, false
	}
	return t.nimbers.stored.Identity(), true
}

// CheckAlways is tablebase.Table.CheckAlways for the table and that of its nimbers.
func (t *Table) CheckAlways() {
	t.stored.CheckAlways()
	if t.nimbers != nil {
		t.nimbers.stored.CheckAlways()
	}
}
