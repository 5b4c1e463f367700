package survey

import (
	"context"
	"errors"
	"iter"
	"math"
	"math/bits"
	"slices"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"backsolve/game"
	"backsolve/game/rank"
	"backsolve/internal/probe"
	"backsolve/tablebase"
)

// visited is a copy of a visit.
type visited struct {
	stratum  int
	times    uint64
	position game.Position
}

// walkAll walks a table and returns how often it visited each state. Each visit must agree with
// Rank.
func walkAll(t *testing.T, table *probe.Table, o WalkOptions) map[visited]int {
	t.Helper()
	return walkWith(t, table, o, func(v *Visit) error {
		value, ranked, err := table.Rate(nil, v.State, nil)
		if err != nil {
			return err
		}
		if value != v.Value || !slices.Equal(v.Moves, ranked) || v.Terminal != (len(ranked) == 0) {
			t.Errorf("%s: %+v, but it is %v with %v", game.Opaque(table.Rules()).Format(v.State), v, value, ranked)
		}
		return nil
	})
}

// walkWith walks a table, checks each visit, and returns how often it visited each state.
func walkWith(t *testing.T, table *probe.Table, o WalkOptions, check func(v *Visit) error) map[visited]int {
	t.Helper()
	var lock sync.Mutex
	all := map[visited]int{}
	err := Walk(context.Background(), table, o, func(visits iter.Seq[*Visit]) error {
		for v := range visits {
			if err := check(v); err != nil {
				return err
			}
			lock.Lock()
			all[visited{v.Stratum, v.Images, v.State.(game.Position)}]++
			lock.Unlock()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestWalkEvery checks that every stored state is visited once, and that together they
// represent the whole game.
func TestWalkEvery(t *testing.T) {
	eachBoard(t, func(t *testing.T, table *probe.Table) {
		if table.Stored().Bytes() > 1<<20 {
			t.Skip("takes long; TestVerify goes through all of it")
		}
		strata := Strata(table)
		counted := make([]Counts, len(strata))
		for v, n := range walkAll(t, table, WalkOptions{}) {
			if n != 1 {
				t.Errorf("%+v is visited %d times", v, n)
			}
			value, err := table.Value(v.position)
			if err != nil {
				t.Fatal(err)
			}
			var tally tablebase.OutcomeCounts
			outcome, over := table.Rules().Terminal(v.position)
			switch value.Outcome {
			case game.Win:
				tally.Wins = v.times
			case game.Lose:
				tally.Losses = v.times
			case game.Draw:
				tally.Draws = v.times
			}
			switch {
			case over && outcome == game.Win:
				tally.TerminalWins = v.times
			case over && outcome == game.Lose:
				tally.TerminalLosses = v.times
			}
			counted[v.stratum].Add(tally)
		}
		for i, s := range strata {
			if counted[i] != s.Counts {
				t.Errorf("stratum %+v: %+v was counted", s, counted[i])
			}
		}
	})
}

// TestWalkSample checks that a sample has the wanted number of states of each stratum, the same
// for any number of threads, and a small stratum completely.
func TestWalkSample(t *testing.T) {
	for _, c := range []struct {
		game   string
		n      int
		sample uint64
	}{{"quixo", 3, 100}, {"notakto", 3, 9}, {"notakto", 4, sampleTask + 1}} {
		if testing.Short() && c.sample > sampleTask {
			continue // takes long under the race detector
		}
		table, sample := open(t, c.game, c.n, true), c.sample
		strata := Strata(table)
		walk := func(o WalkOptions) map[visited]int {
			return walkWith(t, table, o, func(*Visit) error { return nil })
		}
		one := walk(WalkOptions{Sample: sample, Seed: 1, Threads: 1})
		drawn, distinct := make([]uint64, len(strata)), make([]uint64, len(strata))
		for v, n := range one {
			drawn[v.stratum] += uint64(n)
			distinct[v.stratum]++
			if got := marks(v.position); got != strata[v.stratum].Marked || v.times != 1 {
				t.Errorf("%s is of stratum %+v, %d times", table.Rules().Format(v.position), strata[v.stratum], v.times)
			}
		}
		for i, s := range strata {
			if drawn[i] != min(sample, s.States) || s.States <= sample && distinct[i] != s.States {
				t.Errorf("%d draws of stratum %+v were %d states", drawn[i], s, distinct[i])
			}
		}
		if seven := walk(WalkOptions{Sample: sample, Seed: 1, Threads: 7}); !equalCounts(one, seven) {
			t.Error("seven threads draw otherwise than one")
		}
		if sample > sampleTask {
			continue // the smaller samples show the rest
		}
		if other := walkAll(t, table, WalkOptions{Sample: sample, Seed: 2}); equalCounts(one, other) {
			t.Error("another seed draws the same states")
		}
	}
}

func equalCounts(a, b map[visited]int) bool {
	for v, n := range a {
		if b[v] != n {
			return false
		}
	}
	return len(a) == len(b)
}

func marks(p game.Position) int { return bits.OnesCount64(p.X | p.O) }

// TestWalkSampleIsUniform checks that the draws from a stratum, which are seeded, are about
// uniform.
func TestWalkSampleIsUniform(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector; TestWalkSample has the same threads")
	}
	table := open(t, "notakto", 3, true)
	strata := Strata(table)
	const sample, rounds = 40, 300
	want, left := make([]float64, len(strata)), make([]uint64, len(strata))
	for i, s := range strata {
		if s.States > sample {
			want[i], left[i] = rounds*sample/float64(s.States), s.States
		}
	}
	often := map[visited]int{}
	for seed := range uint64(rounds) {
		for v, n := range walkAll(t, table, WalkOptions{Sample: sample, Seed: seed}) {
			often[v] += n
		}
	}
	for v, n := range often {
		if expected := want[v.stratum]; expected > 0 {
			left[v.stratum]--
			if off := math.Abs(float64(n) - expected); off > 5*math.Sqrt(expected) {
				t.Fatalf("%s came up %d times, not about %.0f", table.Rules().Format(v.position), n, expected)
			}
		}
	}
	if slices.Max(want) == 0 || slices.Max(left) > 0 {
		t.Errorf("%v states of the strata did not come up", left)
	}
}

func TestNthMask(t *testing.T) {
	for n := range 9 {
		var number [10]uint64
		for mask := range uint64(1) << uint(n) {
			set := bits.OnesCount64(mask)
			if got := nthMask(n, set, number[set]); got != mask {
				t.Fatalf("mask %d of %d of %d bits is %b, not %b", number[set], set, n, got, mask)
			}
			number[set]++
		}
		for set := range n + 2 {
			if got := rank.Choose(n, set); got != number[set] {
				t.Errorf("%d masks of %d of %d bits, not %d", got, set, n, number[set])
			}
		}
	}
}

// TestWalkFails checks that a walk ends with an error of the table or of the work, and leaves
// no goroutine behind.
func TestWalkFails(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	table := open(t, "quixo", 3, true)
	all := func(visits iter.Seq[*Visit]) error {
		for range visits {
		}
		return nil
	}
	wrong := altered(t, open(t, "quixo", 3, true), 4, func(p *tablebase.Planes, _ *tablebase.Counts) { p.Steps[0][1] ^= 1 })
	if err := Walk(context.Background(), wrong, WalkOptions{}, all); !errors.Is(err, tablebase.ErrDamaged) {
		t.Errorf("a wrong table: %v", err)
	}
	enough := errors.New("enough")
	for _, sample := range []uint64{0, 10_000} {
		err := Walk(context.Background(), table, WalkOptions{Sample: sample}, func(visits iter.Seq[*Visit]) error {
			for range visits {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) {
			t.Errorf("sample %d, work that fails: %v", sample, err)
		}
		ctx, cancel := context.WithCancelCause(context.Background())
		var last, total uint64
		o := WalkOptions{Sample: sample, Progress: func(e tablebase.Event) {
			done, all := e.Done, e.Total
			if done <= last {
				t.Errorf("%d are done after %d", done, last)
			}
			last, total = done, all
			cancel(enough)
		}}
		if err := Walk(ctx, table, o, all); !errors.Is(err, enough) || last >= total {
			t.Errorf("sample %d, stopped after %d of %d: %v", sample, last, total, err)
		}
	}
}

// TestDerivePassesErrorsOn checks that deriving ends with the error of a lookup after a move.
func TestDerivePassesErrorsOn(t *testing.T) {
	table := open(t, "quixo", 3, true)
	p, unreadable := table.Start(), errors.New("unreadable")
	where := []game.Position{p}
	for _, m := range table.Rules().Moves(nil, p) {
		where = append(where, table.Rules().Play(p, m))
	}
	for _, failing := range where {
		value := func(q game.Position) (probe.Value, error) {
			if q == failing {
				return probe.Value{}, unreadable
			}
			return table.Value(q)
		}
		if _, _, err := newDeriver(table, value).derive(p); failing != p && err != unreadable {
			t.Errorf("derived where the value of %s cannot be read: %v", table.Rules().Format(failing), err)
		}
	}
}
