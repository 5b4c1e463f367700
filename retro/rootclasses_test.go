package retro

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"backsolve/game"
	"backsolve/partition"
)

// Root classes agree with the oracle, whatever the last class is.
func TestRootClassesAgreeWithOracle(t *testing.T) {
	for _, b := range []struct {
		game string
		n    int
	}{{"notakto", 3}, {"notakto", 4}, {"quixo", 2}, {"quixo", 3}, {"tictactoe", 3}} {
		for _, steps := range []bool{false, true} {
			rules, space := newSpace(t, b.game, b.n)
			want := solveOracle(t, rules)
			byClass := map[int][]game.Position{}
			for i := range want.Len() {
				p := want.State(i)
				class := space.Locate(p).Class
				byClass[class] = append(byClass[class], p)
			}
			for class := range space.MaskBits + 1 {
				t.Run(fmt.Sprintf("%s-%d/steps=%v/class=%d", b.game, b.n, steps, class), func(t *testing.T) {
					last, err := SolveRootClasses(context.Background(), space, class, Options{Steps: steps, Threads: 3})
					if err != nil {
						t.Fatal(err)
					}
					defer last.Close()
					compared := 0
					for _, p := range slices.Concat(byClass[class], byClass[class+1]) {
						outcome, plies := want.Value(p)
						if !steps || outcome == game.Draw {
							plies = -1
						}
						if o, s := last.Lookup(p); o != outcome || s != plies {
							t.Fatalf("%s: %v in %d, the oracle says %v in %d", rules.Format(p), o, s, outcome, plies)
						}
						compared++
					}
					if compared == 0 || last.Memory() == 0 {
						t.Errorf("%d states compared, %d bytes", compared, last.Memory())
					}
				})
			}
		}
	}
}

// SolveRootClasses keeps its memory limit, ends with its context, and refuses spaces that contradict
// their facts.
func TestRootClassesRefuse(t *testing.T) {
	_, space := newSpace(t, "notakto", 4)
	var memory *MemoryError
	if _, err := SolveRootClasses(context.Background(), space, 0, Options{Memory: 1 << 20}); !errors.As(err, &memory) {
		t.Errorf("with too little memory: %v", err)
	}
	cause := errors.New("no more")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	for _, steps := range []bool{false, true} {
		if _, err := SolveRootClasses(ctx, space, 0, Options{Steps: steps}); err != cause {
			t.Errorf("cancelled: %v", err)
		}
	}
	stuck := space
	stuck.Graph = withoutTerminals{space.Graph}
	for _, steps := range []bool{false, true} {
		if _, err := SolveRootClasses(context.Background(), stuck, 0, Options{Steps: steps}); err == nil {
			t.Errorf("with steps %t: a space in which nothing is terminal is solved", steps)
		}
	}
}

// withoutTerminals is a graph without terminal states.
type withoutTerminals struct{ partition.Graph }

func (withoutTerminals) Terminals(uint64, *partition.Terminals) {}
