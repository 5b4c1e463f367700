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

// torn is a storage that fails after left accesses, once or from then on.
type torn struct {
	*bytes.Reader
	left atomic.Int64
	once bool
}

func newTorn(content []byte, left int, once bool) *torn {
	f := &torn{Reader: bytes.NewReader(content), once: once}
	f.left.Store(int64(left))
	return f
}

func (f *torn) Size() (int64, error)         { return f.Reader.Size(), nil }
func (f *torn) Close() error                 { return nil }
func (f *torn) ShareDeadline() (done func()) { return func() {} }

func (f *torn) Fetch([]format.Extent) error {
	if left := f.left.Add(-1); left == -1 || left < 0 && !f.once {
		return errTorn
	}
	return nil
}

func (f *torn) ReadAt(b []byte, at int64) (int, error) {
	if err := f.Fetch(nil); err != nil {
		return 0, err
	}
	return f.Reader.ReadAt(b, at)
}

// Whichever access fails, whatever reads a table says why. What one access has failed for may be read again,
// but is never taken for a wrong table.
func TestAllReadersSayWhatFails(t *testing.T) {
	for _, board := range []string{"notakto", "quixo"} {
		content, err := os.ReadFile(altered(t, open(t, board, 2, true), 99, nil).Stored().Path())
		if err != nil {
			t.Fatal(err)
		}
		for name, read := range readers {
			for _, once := range []bool{false, true} {
				for k := 0; ; k += 1 + k/4 {
					f := newTorn(content, k, once)
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
					if !errors.Is(err, errTorn) && (err != nil || !once) {
						t.Errorf("%s, %s: access %d fails: %v", board, name, k, err)
					}
				}
			}
		}
	}
}
