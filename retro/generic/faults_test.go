package generic

import (
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/tablebase"
	"backsolve/tablebase/sparse"
)

var errDice = errors.New("the dice are lost")

// faulty are rules that misbehave after a number of positions.
type faulty struct {
	*graph
	left *atomic.Int64
	do   func() error
}

func (f faulty) NewExpander() custom.Expander { return f }

func (f faulty) Expand(dst []custom.Child, of custom.Child) ([]custom.Child, game.Outcome, bool, error) {
	if f.left.Add(-1) == -1 {
		if err := f.do(); err != nil {
			return dst, 0, false, err
		}
	}
	return f.graph.Expand(dst, of)
}

// Whichever position the rules fail at, and whichever file cannot be made, a solve says so, and another one
// goes on from there.
func TestEachStepFails(t *testing.T) {
	small(t)
	g := newGraph(rand.New(rand.NewPCG(5, 1)), 4, 150)
	want := slowly(g)
	count := faulty{graph: g, left: new(atomic.Int64)}
	count.left.Store(1 << 40)
	if _, err := newCheckpoint(count); err != nil {
		t.Fatal(err)
	}
	first := int(1<<40 - count.left.Load()) // the rules must be the same for the work to be
	for _, o := range []Options{{Threads: 1}, {Threads: 2, Memory: int64(10 * len(want))}} {
		for k := first; ; k += 1 + (k-first)/2 {
			dir := filepath.Join(t.TempDir(), "work")
			// Folders that are not empty stand where files are to be made.
			obstruct := func() error {
				for n := range 30 {
					for _, suffix := range []string{"keys", "values"} {
						if err := os.MkdirAll(filepath.Join(dir, nameOf(n, suffix), "x"), 0o755); err != nil && !errors.Is(err, syscall.ENOTDIR) {
							return err
						}
					}
				}
				return nil
			}
			if k%2 == 0 {
				obstruct = func() error { return errDice }
			}
			rules := faulty{g, new(atomic.Int64), obstruct}
			rules.left.Store(int64(k))
			s, err := Solve(t.Context(), dir, rules, o)
			if rules.left.Load() >= 0 {
				if err != nil {
					t.Errorf("after %d positions nothing fails: %v", k, err)
				} else if err := s.Remove(); err != nil {
					t.Error(err)
				}
				break
			}
			if err == nil {
				if k%2 == 0 || s.States() != len(want) {
					t.Errorf("position %d fails, and the game is solved", k)
				}
				s.Close()
			} else if k%2 == 0 && (!errors.Is(err, errDice) || !errors.Is(err, ErrRules)) || k%2 == 1 && !strings.Contains(err.Error(), filepath.Join(dir, "000")) {
				t.Errorf("position %d fails: %v", k, err)
			}
			for n := range 30 {
				for _, suffix := range []string{"keys", "values"} {
					os.Remove(filepath.Join(dir, nameOf(n, suffix), "x"))
				}
			}
			s, err = Solve(t.Context(), dir, g, o)
			if err != nil {
				t.Fatalf("after position %d has failed: %v", k, err)
			}
			got := map[custom.Child]sparse.Value{}
			for tier := range g.Tiers() {
				for key, value := range s.Tier(tier) {
					got[custom.Child{Key: key, Tier: tier}] = value
				}
			}
			if !maps.Equal(got, want) {
				t.Errorf("after position %d has failed: other values", k)
			}
			if err := s.Remove(); err != nil {
				t.Error(err)
			}
		}
	}
}

// liar are rules that lead somewhere else once values are looked for.
type liar struct {
	*graph
	solving *atomic.Bool
	to      uint64
}

func (l liar) NewExpander() custom.Expander { return l }

func (l liar) Expand(dst []custom.Child, of custom.Child) ([]custom.Child, game.Outcome, bool, error) {
	found, outcome, over, err := l.graph.Expand(dst, of)
	if l.solving.Load() && len(found) > 0 {
		found = append(dst, custom.Child{Key: l.to, Tier: 1})
	}
	return found, outcome, over, err
}

// A move to where none led when positions were found is an error of the rules, wherever that is.
func TestOtherMoves(t *testing.T) {
	over := func(key uint64) custom.Child { return custom.Child{Key: key, Tier: 1} }
	g := &graph{tiers: 2, loops: []bool{false, true}, start: custom.Child{Key: 10}, nodes: map[custom.Child]node{
		{Key: 10}: {children: []custom.Child{over(20), over(22)}}, over(20): {over: true, outcome: game.Lose}, over(22): {over: true, outcome: game.Win},
	}}
	for _, to := range []uint64{0, 19, 21, 23, 1 << 63, 20} {
		l := liar{g, new(atomic.Bool), to}
		_, err := Solve(t.Context(), filepath.Join(t.TempDir(), "work"), l, Options{Threads: 1, Progress: func(p tablebase.Event) {
			if p.Stage == tablebase.Solving {
				l.solving.Store(true)
			}
		}})
		if known := to == 20; (err == nil) != known || !known && (!errors.Is(err, ErrRules) || !strings.Contains(err.Error(), "did not when positions were found")) {
			t.Errorf("a move leads to %d: %v", to, err)
		}
	}
}
