package retro

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"testing"

	"backsolve/tablebase"
)

// collecting is a squad that has a class collected in another way.
type collecting struct {
	*squad
	collect func(e *elsewhere, c *Collection) error
}

func (s *collecting) Assemble(ctx context.Context, c *Cyclic) (Team, error) {
	team, err := s.squad.Assemble(ctx, c)
	if err != nil {
		return nil, err
	}
	return &collector{team.(*elsewhere), s}, nil
}

type collector struct {
	*elsewhere
	by *collecting
}

func (c *collector) Collect(_ context.Context, class *Collection) error {
	return c.by.collect(c.elsewhere, class)
}

// takeFirst has so many pieces of a class taken, when harm has been done to them.
func (s *squad) takeFirst(pieces int, c *Collection, harm func(piece []byte) []byte) error {
	s.ended.Wait()
	for i := range pieces {
		piece, err := s.peers[0].Piece(i, new([]byte))
		if err == nil {
			err = c.Take(i, harm(bytes.Join(piece, nil)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// mischief is a crew that hands its pieces in with something wrong; told has what Take says.
func mischief(s *squad, harm func(piece []byte) []byte, told *error) *collecting {
	return &collecting{s, func(_ *elsewhere, c *Collection) error {
		*told = s.takeFirst(c.Pieces(), c, harm)
		return *told
	}}
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
		var told error
		m := mischief(s, harm, &told)
		w, err := tablebase.Create(filepath.Join(t.TempDir(), "t.tb"), shape(space, false), false)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Solve(t.Context(), space, w, Options{Crew: m}); err == nil || told == nil || errors.Is(err, ErrUnwritten) {
			t.Errorf("a piece that is %s: %v", what, err)
		}
		s.wait()
		w.Close()
	}
	// One that has no won states contradicts the terminal ones.
	s := newSquad(t, space, Options{}, 1)
	s.hands, s.worth = true, 1
	var told error
	m := mischief(s, func(b []byte) []byte {
		clear(b[recordHead : len(b)/2])
		return b
	}, &told)
	w, err := tablebase.Create(filepath.Join(t.TempDir(), "t.tb"), shape(space, false), false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := Solve(t.Context(), space, w, Options{Crew: m}); err == nil || told != nil || len(w.Sealed()) > 0 {
		t.Errorf("a class without won states: %v, %d classes are sealed", err, len(w.Sealed()))
	}
	s.wait()
}

// A class of which half has gone past begins again, and the table is the same.
func TestWhatHasGonePastBeginsAgain(t *testing.T) {
	_, space := newSpace(t, "quixo", 3)
	path, _ := solve(t, space, Options{})
	s := newSquad(t, space, Options{}, 1)
	s.hands, s.worth = true, 1
	broken := map[int]bool{}
	again := &collecting{s, func(e *elsewhere, c *Collection) error {
		if broken[c.Class()] {
			return e.Collect(t.Context(), c)
		}
		broken[c.Class()] = true
		if err := s.takeFirst((c.Pieces()+1)/2, c, bytes.Clone); err != nil {
			return err
		}
		s.peers[0].forget() // which takes that the class above is read back
		return ErrAgain
	}}
	got, _ := solve(t, space, Options{Crew: again})
	s.wait()
	if !bytes.Equal(contents(t, got), contents(t, path)) || len(broken) != space.MaskBits+1 {
		t.Errorf("%d classes began again, and made another table", len(broken))
	}
}
