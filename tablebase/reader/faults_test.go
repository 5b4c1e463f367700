package reader_test

import (
	"context"
	"errors"
	"testing"

	"backsolve/internal/probe/probetest"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/reader"
)

// errTorn is what a Storage says that cannot be read: a sentence.
var errTorn = &tablebase.Error{Path: "shelf", Err: errors.New("the tape is torn")}

// torn is a Storage that fails after left accesses, once or from then on.
type torn struct {
	*memoryStorage
	left int
	once bool
}

func (s *torn) access() error {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.left--
	if s.left == -1 || s.left < 0 && !s.once {
		return errTorn
	}
	return nil
}

func (s *torn) Fetch([]format.Extent) error { return s.access() }

func (s *torn) ReadAt(b []byte, offset int64) (int, error) {
	if err := s.access(); err != nil {
		return 0, err
	}
	return s.memoryStorage.ReadAt(b, offset)
}

// questions read a table of at least two classes: the last block of the i-th.
var questions = map[string]func(t *reader.Table, i int) error{
	"find": func(t *reader.Table, i int) error {
		_, _, err := t.Find(t.Classes()[i].Class, 1<<60)
		return err
	},
	"find all": func(t *reader.Table, i int) error {
		_, err := t.FindAll([]reader.Key{{Class: t.Classes()[i].Class, Mask: 1 << 60, Hint: 0}}, make([]reader.Place, 1))
		return err
	},
	"lookup": func(t *reader.Table, i int) error {
		c := t.Classes()[i]
		_, err := t.Lookup(c.Class, c.Blocks-1, 1<<c.IndexBits-1)
		return err
	},
	"lookup all": func(t *reader.Table, i int) error {
		c := t.Classes()[i]
		places := make([]reader.Place, 64)
		for n := range places {
			places[n] = reader.Place{Class: c.Class, Block: c.Blocks - 1, Index: uint64(n) & (1<<c.IndexBits - 1)}
		}
		return t.LookupAll(places, make([]tablebase.Entry, len(places)))
	},
	"masks": func(t *reader.Table, i int) error { _, err := t.Masks(i); return err },
	"planes": func(t *reader.Table, i int) error {
		return t.Planes(i, 0, t.Classes()[i].Blocks, new(tablebase.Planes))
	},
	"stored planes": func(t *reader.Table, i int) error {
		return t.StoredPlanes(i, 0, t.Classes()[i].Blocks, new(tablebase.Planes))
	},
	"block": func(t *reader.Table, i int) error { _, err := t.Block(i, t.Classes()[i].Blocks-1); return err },
	"bytes": func(t *reader.Table, i int) error {
		_, err := t.ReadAt(make([]byte, min(3*format.FrameSize, t.Bytes()/2)), t.Bytes()/3)
		return err
	},
	"ends":     func(t *reader.Table, i int) error { return t.VerifyEnds() },
	"verified": func(t *reader.Table, i int) error { return t.Verify(context.Background(), 1, nil) },
	"outcomes": func(t *reader.Table, i int) error {
		return t.Outcomes(i, 0, t.Classes()[i].Blocks, new(tablebase.Planes))
	},
}

// Whichever access to a table fails, now or from now on, who asked is told in the words of the storage, and none
// takes it for damage. What is asked when the storage is back is answered.
func TestEachReadFails(t *testing.T) {
	_, archive, _ := probetest.Archived(t, "quixo", 3)
	plain := tabletest.Write(t, tabletest.QuixoShape, tabletest.NumbersTable(tabletest.QuixoShape))
	for form, path := range map[string]string{"plain": plain, "packed": tabletest.Pack(t, plain), "archive": archive} {
		whole := newMemoryStorage(t, path)
		count := &torn{&memoryStorage{bytes: whole.bytes}, 1 << 30, true}
		openMemory(t, count)
		opening := 1<<30 - count.left
		for name, ask := range questions {
			first := opening
			if name == "ends" {
				first = 0
			}
			for k := first; ; k += 1 + max(0, k-opening)/8 {
				s := &torn{&memoryStorage{bytes: whole.bytes}, k, name != "verified"} // which reads again what it could not read
				table, err := reader.OpenStorage("shelf", s)
				if err == nil {
					i := 0
					for n, c := range table.Classes() {
						if c.Digits > table.Classes()[i].Digits {
							i = n
						}
					}
					if err = ask(table, i); err != nil {
						s.once = true
						if again := ask(table, i); again != nil {
							t.Errorf("%s, %s: after access %d has failed: %v", form, name, k, again)
						}
					}
				}
				if table == nil && !s.shut {
					t.Errorf("%s, %s: access %d fails, and the storage stays open", form, name, k)
				}
				if s.left >= 0 {
					if err != nil {
						t.Errorf("%s, %s: %v", form, name, err)
					}
					break
				}
				if err != error(errTorn) {
					t.Errorf("%s, %s: access %d fails: %v", form, name, k, err)
				}
			}
		}
	}
}
