package probe_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
)

// TestNumber compares answers with and without numbered blocks, packed or not, also if every
// lookup is checked.
func TestNumber(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector")
	}
	check := func(t *testing.T, table *probe.Table) {
		path, rules, taken := table.Stored().Path(), table.Rules(), table.Space().Taken
		packed := packedCopy(t, rules, taken, table.HasSteps())
		for i, path := range []string{path, path, packed.Stored().Path()} {
			numbered, err := probe.OpenFile(path)
			if err != nil {
				t.Fatal(err)
			}
			defer numbered.Close()
			if i == 1 {
				numbered.CheckAlways()
			}
			numbered.Number()
			if small := numbered.Space().MaskBits <= 16; probe.IsPlaced(numbered) != small {
				t.Errorf("%s: the blocks are where they are numbered: %t", path, !small)
			}
			for _, p := range randomPositions(table, 300) {
				p.X, p.O = p.X|taken, p.O&^taken
				got, err := numbered.AppendAnswer(nil, p)
				if want, wrong := table.AppendAnswer(nil, p); string(got) != string(want) || err != nil || wrong != nil {
					t.Fatalf("%s: %s, %v\nwant %s, %v", rules.Format(p), got, err, want, wrong)
				}
			}
		}
	}
	eachBoard(t, check)
	eachAfter(t, func(t *testing.T, table, _ *probe.Table) { check(t, table) })
	opening, _ := probetest.Opening(t, open(t, "notakto", 4, false), 4)
	numbered, err := probe.OpenFile(opening.Stored().Path())
	if err != nil {
		t.Fatal(err)
	}
	defer numbered.Close()
	numbered.Number()
	r := rand.New(rand.NewPCG(7, 7))
	for range 300 {
		p := probe.RandomPosition(opening.Rules(), r)
		got, err := numbered.AppendAnswer(nil, p)
		if want, wrong := opening.AppendAnswer(nil, p); string(got) != string(want) || (err == nil) != (wrong == nil) {
			t.Fatalf("%s: %s, %v\nwant %s, %v", opening.Rules().Format(p), got, err, want, wrong)
		}
	}
}

func TestSortShort(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	for n := range 100 {
		var keys []int
		for range n {
			keys = append(keys, r.IntN(50))
		}
		want := slices.Sorted(slices.Values(keys))
		if probe.SortShort(keys); !slices.Equal(keys, want) {
			t.Fatalf("%v, want %v", keys, want)
		}
	}
}
