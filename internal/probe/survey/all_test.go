package survey

import (
	"context"
	"errors"
	"iter"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
	"backsolve/tablebase"
)

// errStop ends a loop that its body left.
var errStop = errors.New("stop")

// All iterates over every stored state, in the order of Select.
func All(t *probe.Table) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		err := Select(context.Background(), t, Selection{}, func(states []Selected) error {
			for i := range states {
				s := &states[i]
				if !yield(Stored{s.State.(game.Position), s.Value, s.Images}, nil) {
					return errStop
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(Stored{}, err)
		}
	}
}

// checkAll iterates over a table: each state comes once, with its looked-up value, and the
// images add up to the counts of the table.
func checkAll(t *testing.T, table *probe.Table) {
	t.Helper()
	seen := map[game.Position]bool{}
	counted := map[game.Outcome]uint64{}
	for s, err := range All(table) {
		if err != nil {
			t.Fatal(err)
		}
		if seen[s.Position] {
			t.Fatalf("%s comes twice", table.Rules().Format(s.Position))
		}
		seen[s.Position] = true
		if v, err := table.Value(s.Position); err != nil || v != s.Value {
			t.Fatalf("%s is %v, but %v, %v is looked up", table.Rules().Format(s.Position), s.Value, v, err)
		}
		counted[s.Outcome] += s.Images
	}
	stored := uint64(0)
	want := map[game.Outcome]uint64{}
	for _, c := range table.Stored().Classes() {
		stored += storedStates(c)
		for _, tally := range c.Counts.ByWeight {
			want[game.Win] += tally.Wins
			want[game.Lose] += tally.Losses
			want[game.Draw] += tally.Draws
		}
	}
	if uint64(len(seen)) != stored {
		t.Errorf("%d of %d stored states came", len(seen), stored)
	}
	for _, o := range []game.Outcome{game.Win, game.Lose, game.Draw} {
		if counted[o] != want[o] {
			t.Errorf("%d states are a %v, the table counts %d", counted[o], o, want[o])
		}
	}
}

func TestAll(t *testing.T) { eachBoard(t, checkAll) }

func TestAllOfOthers(t *testing.T) {
	eachAfter(t, func(t *testing.T, table, _ *probe.Table) { checkAll(t, table) })
	t.Run("opening", func(t *testing.T) {
		opening, _ := probetest.Opening(t, open(t, "notakto", 4, false), 3)
		checkAll(t, opening)
	})
}

// TestAllEndsEarly leaves the loop before the last state.
func TestAllEndsEarly(t *testing.T) {
	left := 5
	for _, err := range All(open(t, "quixo", 3, true)) {
		if err != nil {
			t.Fatal(err)
		}
		if left--; left == 0 {
			break
		}
	}
	if left != 0 {
		t.Errorf("the loop ended %d states too early", left)
	}
}

// TestAllOfAClosedTable checks that an error ends the loop.
func TestAllOfAClosedTable(t *testing.T) {
	rules := newRules(t, "quixo", 2)
	table, err := probe.Open(tables.Dir(t, rules, 0, true), rules)
	if err != nil {
		t.Fatal(err)
	}
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	var errs []error
	for s, err := range All(table) {
		if s != (Stored{}) {
			t.Errorf("a closed table has %+v", s)
		}
		errs = append(errs, err)
	}
	if len(errs) != 1 || !errors.Is(errs[0], tablebase.ErrClosed) {
		t.Errorf("%v", errs)
	}
}
