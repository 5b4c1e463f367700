package retro

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"testing"

	"backsolve/tablebase"
)

// mischief is a crew that hands its pieces in with something wrong.
type mischief struct {
	*squad
	harm func(piece []byte) []byte
	told error
}

func (m *mischief) Assemble(ctx context.Context, c *Cyclic) (Team, error) {
	team, err := m.squad.Assemble(ctx, c)
	if err != nil {
		return nil, err
	}
	return &spoiler{team.(*elsewhere), m}, nil
}

type spoiler struct {
	*elsewhere
	mischief *mischief
}

func (e *spoiler) Collect(_ context.Context, c *Collection) error {
	e.squad.ended.Wait()
	for i := range c.Pieces() {
		piece, err := e.squad.peers[0].Piece(i, new([]byte))
		if err == nil {
			err = c.Take(i, e.mischief.harm(bytes.Join(piece, nil)))
		}
		if e.mischief.told = err; err != nil {
			return err
		}
	}
	return nil
}

// A class that goes past is checked on the way: a piece that is none, or whose states are won
// and lost, is refused, and one that is short of states is noticed when they are counted.
func TestWhatGoesPastIsChecked(t *testing.T) {
	_, space := newSpace(t, "quixo", 2)
	for what, harm := range map[string]func(piece []byte) []byte{
		"cut":              func(b []byte) []byte { return b[:len(b)-1] },
		"longer":           func(b []byte) []byte { return append(b, 0) },
		"of another kind":  func(b []byte) []byte { b[0] = lostRecord; return b },
		"of another place": func(b []byte) []byte { b[5]++; return b },
		"won and lost": func(b []byte) []byte {
			half := len(b) / 2
			copy(b[half+recordHead:], b[recordHead:half])
			for i := recordHead; i < half; i++ {
				b[i], b[half+i] = 1, 1
			}
			return b
		},
		"without one of them": func(b []byte) []byte { return b[:len(b)/2] },
	} {
		s := newSquad(t, space, Options{}, 1)
		s.hands, s.worth = true, 1
		m := &mischief{squad: s, harm: harm}
		w, err := tablebase.Create(filepath.Join(t.TempDir(), "t.tb"), shape(space, false), false)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Solve(t.Context(), space, w, Options{Crew: m}); err == nil || m.told == nil || errors.Is(err, ErrUnwritten) {
			t.Errorf("a piece that is %s: %v", what, err)
		}
		s.wait()
		w.Close()
	}
	// One that has no won states contradicts the terminal ones.
	s := newSquad(t, space, Options{}, 1)
	s.hands, s.worth = true, 1
	m := &mischief{squad: s, harm: func(b []byte) []byte {
		clear(b[recordHead : len(b)/2])
		return b
	}}
	w, err := tablebase.Create(filepath.Join(t.TempDir(), "t.tb"), shape(space, false), false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := Solve(t.Context(), space, w, Options{Crew: m}); err == nil || m.told != nil || len(w.Sealed()) > 0 {
		t.Errorf("a class without won states: %v, %d classes are sealed", err, len(w.Sealed()))
	}
	s.wait()
}

// again is a crew whose first attempt at each class breaks off when half of its pieces are taken.
type again struct {
	*squad
	broken map[int]bool
}

func (a *again) Assemble(ctx context.Context, c *Cyclic) (Team, error) {
	team, err := a.squad.Assemble(ctx, c)
	if err != nil {
		return nil, err
	}
	return &breaking{team.(*elsewhere), a}, nil
}

type breaking struct {
	*elsewhere
	again *again
}

func (b *breaking) Collect(ctx context.Context, c *Collection) error {
	if b.again.broken[c.Class()] {
		return b.elsewhere.Collect(ctx, c)
	}
	b.again.broken[c.Class()] = true
	b.squad.ended.Wait()
	for i := range (c.Pieces() + 1) / 2 {
		piece, err := b.squad.peers[0].Piece(i, new([]byte))
		if err == nil {
			err = c.Take(i, bytes.Join(piece, nil))
		}
		if err != nil {
			return err
		}
	}
	b.squad.peers[0].forget() // which takes that the class above is read back
	return ErrAgain
}

// A class that has gone past in part begins again, and the table is the same.
func TestWhatHasGonePastBeginsAgain(t *testing.T) {
	_, space := newSpace(t, "quixo", 3)
	path, _ := solve(t, space, Options{})
	s := newSquad(t, space, Options{}, 1)
	s.hands, s.worth = true, 1
	a := &again{squad: s, broken: map[int]bool{}}
	got, _ := solve(t, space, Options{Crew: a})
	s.wait()
	if !bytes.Equal(contents(t, got), contents(t, path)) || len(a.broken) != space.MaskBits+1 {
		t.Errorf("%d classes began again, and made another table", len(a.broken))
	}
}
