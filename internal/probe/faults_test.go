package probe_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"sync/atomic"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/reader"
)

// errTorn is what a storage says that cannot be read.
var errTorn = &tablebase.Error{Path: "shelf", Err: errors.New("the tape is torn")}

// torn is a storage that fails once, after left accesses.
type torn struct {
	*bytes.Reader
	left atomic.Int64
	shut bool
}

func newTorn(content []byte, left int) *torn {
	f := &torn{Reader: bytes.NewReader(content)}
	f.left.Store(int64(left))
	return f
}

func (f *torn) Size() (int64, error)         { return f.Reader.Size(), nil }
func (f *torn) Close() error                 { f.shut = true; return nil }
func (f *torn) ShareDeadline() (done func()) { return func() {} }

func (f *torn) Fetch([]format.Extent) error {
	if f.left.Add(-1) == -1 {
		return errTorn
	}
	return nil
}

func (f *torn) ReadAt(b []byte, at int64) (int, error) {
	if f.left.Add(-1) == -1 {
		return 0, errTorn
	}
	return f.Reader.ReadAt(b, at)
}

// Whichever access to a table fails, the caller gets the storage's error and no answer.
func TestEachReadFails(t *testing.T) {
	for _, name := range []string{"quixo", "notakto"} {
		whole := open(t, name, 3, true)
		content, err := os.ReadFile(whole.Stored().Path())
		if err != nil {
			t.Fatal(err)
		}
		rules, p := whole.Rules(), whole.Start()
		text := rules.Format(p)
		want, err := whole.AppendAnswer(nil, p)
		if err != nil {
			t.Fatal(err)
		}
		asked := func(answer *probe.Answer, err error) error {
			if (answer == nil) != (err != nil) {
				t.Errorf("%s: %v, %v", name, answer, err)
			}
			return err
		}
		appended := func(b []byte, err error) error {
			if err == nil && string(b) != string(want) || err != nil && len(b) > 0 {
				t.Errorf("%s: %s, %v", name, b, err)
			}
			return err
		}
		for what, ask := range map[string]func(table *probe.Table) error{
			"value": func(table *probe.Table) error { _, err := table.Value(p); return err },
			"values": func(table *probe.Table) error {
				_, err := table.Values([]game.Position{p, p}, make([]probe.Value, 2))
				return err
			},
			"place":  func(table *probe.Table) error { _, err := table.Place(p); return err },
			"rank":   func(table *probe.Table) error { _, _, err := table.Rate(nil, p, nil); return err },
			"rate":   func(table *probe.Table) error { _, _, err := table.Rate(nil, p, nil); return err },
			"line":   func(table *probe.Table) error { return asked(table.Ask(text, probe.WholeLine)) },
			"answer": func(table *probe.Table) error { return asked(table.Answer(p)) },
			"append": func(table *probe.Table) error { return appended(table.AppendAnswer(nil, p)) },
			"append to a text": func(table *probe.Table) error {
				b, _, err := probe.AppendAsk(table, nil, text)
				return appended(b, err)
			},
			"numbered": func(table *probe.Table) error {
				table.Number()
				_, err := table.Values([]game.Position{p}, make([]probe.Value, 1))
				return err
			},
		} {
			for k := 0; ; k += 1 + k/8 {
				f := newTorn(content, k)
				table, err := probe.OpenStorage("shelf", f)
				opened := err == nil
				if opened {
					if err = ask(table); err != nil && ask(table) != nil {
						t.Errorf("%s, %s: after access %d has failed, nothing is answered", name, what, k)
					}
				}
				if table == nil && !f.shut {
					t.Errorf("%s, %s: access %d fails, and the storage stays open", name, what, k)
				}
				if f.left.Load() >= 0 {
					if err != nil {
						t.Errorf("%s, %s: %v", name, what, err)
					}
					break
				}
				if !errors.Is(err, errTorn) && (what != "numbered" || !opened || err != nil) { // it numbers nothing then, and searches
					t.Errorf("%s, %s: access %d fails: %v", name, what, k, err)
				}
			}
		}
		for k := 0; ; k++ {
			f := newTorn(content, k)
			table, err := probe.OpenStorage("shelf", f)
			if err != nil {
				continue
			}
			b, err := table.Prefetch(context.Background(), reader.WorkerPool{Workers: 1}, 2, func(int) string { return text }, false)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 2 { // what was not read is asked for again
				got, _, err := b.AppendAsk(nil, i, text)
				if err := appended(got, err); err != nil {
					t.Errorf("%s: access %d of a batch fails: %v", name, k, err)
				}
			}
			if f.left.Load() >= 0 {
				break
			}
		}
	}
}
