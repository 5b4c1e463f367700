package sparse

import (
	"bytes"
	"errors"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"backsolve/game"
)

// drawn returns tiers of states drawn by lot, keys close together and far apart.
func drawn(r *rand.Rand, tiers, states int) []map[uint64]Value {
	all := make([]map[uint64]Value, tiers)
	for t := range all {
		all[t] = map[uint64]Value{}
		bits, kinds := r.IntN(56), 1+r.IntN(40)
		for range r.IntN(states + 1) {
			v := Value{game.Draw, -1}
			if k := r.IntN(kinds); k > 0 {
				v = Value{game.Outcome(1 + k%2), k / 2}
			}
			all[t][r.Uint64()>>bits] = v
		}
	}
	return all
}

// write writes tiers into a table.
func write(t testing.TB, path string, tiers []map[uint64]Value) {
	t.Helper()
	err := Write(path, Header{Game: "lot", Start: 7}, len(tiers), func(tier int) iter.Seq2[uint64, Value] {
		return func(yield func(uint64, Value) bool) {
			for _, key := range slices.Sorted(maps.Keys(tiers[tier])) {
				if !yield(key, tiers[tier][key]) {
					return
				}
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// agrees reports what in a table is not as it was written: an error that tells of damage,
// or a wrong value.
func agrees(table *Table, tiers []map[uint64]Value) (err error, wrong bool) {
	for t := range tiers {
		n := 0
		for s, err := range table.Tier(t) {
			if err != nil {
				return err, false
			}
			if v, ok := tiers[t][s.Key]; !ok || v != s.Value {
				return nil, true
			}
			n++
		}
		if n != len(tiers[t]) {
			return nil, true
		}
		for key, want := range tiers[t] {
			if got, err := table.Lookup(t, key); err != nil {
				return err, errors.Is(err, ErrState)
			} else if got != want {
				return nil, true
			}
			if _, there := tiers[t][key+1]; !there {
				if _, err := table.Lookup(t, key+1); !errors.Is(err, ErrState) {
					return err, err == nil
				}
			}
		}
	}
	return nil, false
}

func TestRoundTrip(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		tiers := drawn(r, 1+r.IntN(4), 1000)
		path := filepath.Join(t.TempDir(), "lot.tb")
		write(t, path, tiers)
		table, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err, wrong := agrees(table, tiers); err != nil || wrong {
			t.Errorf("seed %d: wrong %v, %v", seed, wrong, err)
		}
		if err := errors.Join(table.Check(), table.Close()); err != nil {
			t.Error(err)
		}
	}
}

// A changed bit anywhere, a cut and a longer file are refused, at once or when they matter,
// and never answered wrongly.
func TestDamage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	tiers := drawn(r, 3, 100)
	path := filepath.Join(t.TempDir(), "lot.tb")
	write(t, path, tiers)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	spoil := func(name string, bad []byte) {
		t.Helper()
		if err := os.WriteFile(path, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		table, err := Open(path)
		if err == nil {
			var wrong bool
			if err, wrong = agrees(table, tiers); wrong {
				t.Errorf("%s: a wrong answer", name)
			}
			table.Close()
		}
		if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrForeign) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for i := 0; i < len(content); i += 1 + r.IntN(5) {
		bad := bytes.Clone(content)
		bad[i] ^= 1 << r.IntN(8)
		spoil("a changed bit", bad)
	}
	for range 50 {
		spoil("a cut", content[:r.IntN(len(content))])
	}
	spoil("a longer file", append(bytes.Clone(content), 0))
}

// A file that is truncated while it is open gives errors and no fault.
func TestTruncated(t *testing.T) {
	tiers := drawn(rand.New(rand.NewPCG(1, 4)), 1, 300000)
	path := filepath.Join(t.TempDir(), "lot.tb")
	write(t, path, tiers)
	table, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if err := os.Truncate(path, 100); err != nil {
		t.Fatal(err)
	}
	if err, wrong := agrees(table, tiers); !errors.Is(err, ErrDamaged) || wrong {
		t.Errorf("wrong %v, %v", wrong, err)
	}
}

// FuzzOpen: no file makes a table panic.
func FuzzOpen(f *testing.F) {
	path := filepath.Join(f.TempDir(), "lot.tb")
	write(f, path, drawn(rand.New(rand.NewPCG(1, 5)), 2, 40))
	content, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content)
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "lot.tb")
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		table, err := Open(path)
		if err != nil {
			return
		}
		defer table.Close()
		for tier := range table.Header().Tiers {
			for s, err := range table.Tier(tier) {
				if err == nil {
					table.Lookup(tier, s.Key)
				}
			}
		}
		table.Check()
	})
}
