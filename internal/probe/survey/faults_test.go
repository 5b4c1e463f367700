package survey

import (
	"bytes"
	"errors"
	"os"
	"sync/atomic"
	"testing"

	"backsolve/internal/probe"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// errTorn is what a storage says that cannot be read.
var errTorn = &tablebase.Error{Path: "shelf", Err: errors.New("the tape is torn")}

// torn is a storage of which one access fails, the one before which so many are left, and all after it.
type torn struct {
	*bytes.Reader
	left atomic.Int64
}

func newTorn(content []byte, left int) *torn {
	f := &torn{Reader: bytes.NewReader(content)}
	f.left.Store(int64(left))
	return f
}

func (f *torn) Size() (int64, error)         { return f.Reader.Size(), nil }
func (f *torn) Close() error                 { return nil }
func (f *torn) ShareDeadline() (done func()) { return func() {} }

func (f *torn) Fetch([]format.Extent) error {
	if f.left.Add(-1) < 0 {
		return errTorn
	}
	return nil
}

func (f *torn) ReadAt(b []byte, at int64) (int, error) {
	if f.left.Add(-1) < 0 {
		return 0, errTorn
	}
	return f.Reader.ReadAt(b, at)
}

// Whichever access fails, whatever reads a table says why.
func TestAllReadersSayWhatFails(t *testing.T) {
	for _, board := range []string{"notakto", "quixo"} {
		content, err := os.ReadFile(altered(t, open(t, board, 2, true), 99, nil).Stored().Path())
		if err != nil {
			t.Fatal(err)
		}
		for name, read := range readers {
			for k := 0; ; k += 1 + k/8 {
				f := newTorn(content, k)
				table, err := probe.OpenStorage("shelf", f)
				if err == nil {
					err = read(t.Context(), table)
				}
				if f.left.Load() >= 0 {
					if err != nil {
						t.Errorf("%s, %s: %v", board, name, err)
					}
					break
				}
				if !errors.Is(err, errTorn) {
					t.Errorf("%s, %s: access %d fails: %v", board, name, k, err)
				}
			}
		}
	}
}
