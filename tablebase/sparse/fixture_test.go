package sparse

import (
	"bytes"
	"errors"
	"io/fs"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"backsolve/game"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/pack"
)

// contents are the states of a table, by tier.
type contents []map[uint64]Value

// random returns tiers of random states, their keys close together and far apart.
func random(seed uint64, tiers, states int) contents {
	r := rand.New(rand.NewPCG(seed, 3))
	all := make(contents, tiers)
	for t := range all {
		all[t] = map[uint64]Value{}
		bits, kinds := r.IntN(56), 1+r.IntN(40)
		for range 1 + r.IntN(states) {
			v := Value{game.Draw, -1}
			if k := r.IntN(kinds); k > 0 {
				v = Value{game.Outcome(1 + k%2), k / 2}
			}
			all[t][r.Uint64()>>bits] = v
		}
	}
	return all
}

// write writes a table and returns its path.
func (c contents) write(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "random.tb")
	if err := Write(path, Header{Game: "random", Start: 7}, len(c), c.states); err != nil {
		t.Fatal(err)
	}
	return path
}

// states iterates over a tier by ascending key.
func (c contents) states(tier int) iter.Seq2[uint64, Value] {
	return func(yield func(uint64, Value) bool) {
		for _, key := range slices.Sorted(maps.Keys(c[tier])) {
			if !yield(key, c[tier][key]) {
				return
			}
		}
	}
}

// compare looks everything up. It fails the test at a wrong answer, and returns the first error.
func (c contents) compare(t testing.TB, table *Table) error {
	t.Helper()
	var refs []Ref
	var want []Value
	for i, states := range c {
		n := 0
		for s, err := range table.Tier(i) {
			if err != nil {
				return err
			}
			if v, ok := states[s.Key]; !ok || v != s.Value {
				t.Errorf("tier %d has state %d, %v, want %v", i, s.Key, s.Value, v)
			}
			n++
		}
		if n != len(states) {
			t.Errorf("tier %d has %d states, want %d", i, n, len(states))
		}
		for key, v := range states {
			refs, want = append(refs, Ref{i, key}), append(want, v)
			if _, there := states[key+1]; !there {
				if v, err := table.Lookup(i, key+1); err == nil {
					t.Errorf("tier %d has %d, %v, which was not written", i, key+1, v)
				} else if !errors.Is(err, ErrState) {
					return err
				}
			}
		}
	}
	got := make([]Value, len(refs))
	if err := table.LookupAll(refs, got); err != nil {
		if errors.Is(err, ErrState) {
			t.Error("a state is not found")
		}
		return err
	}
	if !slices.Equal(got, want) {
		t.Error("a state has another value")
	}
	return nil
}

// memory is a file in memory, as a format.Storage.
type memory struct {
	*bytes.Reader
	fail error // of all reads, unless nil
}

func (m *memory) Size() (int64, error)         { return m.Reader.Size(), nil }
func (m *memory) Fetch([]format.Extent) error  { return m.fail }
func (m *memory) ShareDeadline() (done func()) { return func() {} }
func (m *memory) Close() error                 { m.fail = fs.ErrClosed; return nil }
func (m *memory) ReadAt(b []byte, at int64) (int, error) {
	if m.fail != nil {
		return 0, m.fail
	}
	return m.Reader.ReadAt(b, at)
}

// openBytes opens a table in memory.
func openBytes(content []byte) (*Table, error) {
	return OpenStorage("memory", &memory{Reader: bytes.NewReader(content)})
}

// read returns the contents of a file.
func read(t testing.TB, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// packed returns a table packed.
func packed(t testing.TB, content []byte) []byte {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "packed"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, err = pack.Stream(f, int64(len(content)), func(buf []byte, at int64) error { copy(buf, content[at:]); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return read(t, f.Name())
}

// refused fails the test unless an error says that a file is no whole table.
func refused(t testing.TB, what string, err error) {
	t.Helper()
	var about *tablebase.Error
	if !errors.As(err, &about) || about.Path == "" {
		t.Errorf("%s: the error names no file: %v", what, err)
	}
	for _, kind := range []error{tablebase.ErrForeign, tablebase.ErrTruncated, tablebase.ErrDamaged} {
		if errors.Is(err, kind) {
			return
		}
	}
	t.Errorf("%s: %v", what, err)
}

// Tier returns the states of a tier, by ascending key; the error is nil but in the last
// pair, where it is a *tablebase.Error.
func (t *Table) Tier(tier int) iter.Seq2[State, error] {
	return func(yield func(State, error) bool) {
		var states []State
		for b := range t.header.Tiers[tier].Blocks() {
			var err error
			if states, err = t.Block(states[:0], tier, b); err != nil {
				yield(State{}, err)
				return
			}
			for _, s := range states {
				if !yield(s, nil) {
					return
				}
			}
		}
	}
}
