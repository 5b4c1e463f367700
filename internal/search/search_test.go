package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/game/games"
)

func newRules(t testing.TB, name string, n int) game.Grid {
	t.Helper()
	rules, err := games.NewGrid(name, n)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// everyBoard runs a test on each board that is a grid.
func everyBoard(t *testing.T, test func(t *testing.T, rules game.Grid)) {
	for _, g := range games.All() {
		for _, n := range g.Sizes() {
			if rules, ok := game.GridOf(g.New(n)); ok {
				t.Run(fmt.Sprintf("%s-%dx%d", g.Name, n, n), func(t *testing.T) { test(t, rules) })
			}
		}
	}
}

// everyCore runs a test on each board with its own core.
func everyCore(t *testing.T, test func(t *testing.T, rules game.Grid)) {
	everyBoard(t, func(t *testing.T, rules game.Grid) {
		if cores[rules.Name()] != nil {
			test(t, rules)
		}
	})
}

// compare compares the fast rules with the plain ones in one state.
func compare(t interface {
	Helper()
	Fatalf(string, ...any)
}, fast, plain Rules[Masks], s Masks) {
	t.Helper()
	outcome, over := fast.Terminal(s)
	if o, v := plain.Terminal(s); o != outcome || v != over {
		t.Fatalf("%v: fast %v %t, plain %v %t", s, outcome, over, o, v)
	}
	moves := fast.Moves(nil, s)
	if want := plain.Moves(nil, s); !slices.Equal(moves, want) {
		t.Fatalf("%v: fast moves %v, plain ones %v", s, moves, want)
	}
	for _, m := range moves {
		if got, want := fast.Play(s, m), plain.Play(s, m); got != want {
			t.Fatalf("%v: %v leads to %v, in plain rules to %v", s, m, got, want)
		}
	}
}

// TestEveryState goes through all states of the small boards.
func TestEveryState(t *testing.T) {
	for _, board := range []struct {
		name string
		n    int
	}{{"quixo", 2}, {"quixo", 3}, {"notakto", 1}, {"notakto", 2}, {"notakto", 3}, {"notakto", 4}} {
		rules := newRules(t, board.name, board.n)
		fast, plain := New(rules), Plain(rules)
		all := bitboard.All(board.n)
		for mover := uint64(0); mover <= all; mover++ {
			free := all &^ mover
			if rules.Marks() == 1 {
				free = 0
			}
			for waiting := free; ; waiting = (waiting - 1) & free {
				compare(t, fast, plain, Masks{mover, waiting})
				if waiting == 0 {
					break
				}
			}
		}
	}
}

// drawState draws any state; crowded and sparse ones are frequent.
func drawState(t *rapid.T, rules game.Grid) Masks {
	all := bitboard.All(rules.Size())
	s := Masks{Mover: rapid.Uint64().Draw(t, "mover") & all}
	if rapid.Bool().Draw(t, "sparse") {
		s.Mover &= rapid.Uint64().Draw(t, "mask")
	}
	if rules.Marks() == 2 {
		s.Waiting = rapid.Uint64().Draw(t, "waiting") & all &^ s.Mover
	}
	return s
}

func TestAnyState(t *testing.T) {
	everyBoard(t, func(t *testing.T, rules game.Grid) {
		fast, plain := New(rules), Plain(rules)
		rapid.Check(t, func(t *rapid.T) { compare(t, fast, plain, drawState(t, rules)) })
	})
}

// TestLines completes each line of each board, alone and but for one cell.
func TestLines(t *testing.T) {
	for n := 2; n <= bitboard.MaxSize; n++ {
		l := newLines(n)
		for _, line := range bitboard.Lines(n) {
			if l.complete(line) == 0 {
				t.Errorf("%d×%d: line %#x is not seen", n, n, line)
			}
			for rest := line; rest != 0; rest &= rest - 1 {
				cell := rest & -rest
				others := bitboard.All(n) &^ cell
				want := slices.ContainsFunc(bitboard.Lines(n), func(l uint64) bool { return l&others == l })
				if got := l.complete(others) != 0; got != want {
					t.Errorf("%d×%d: all cells but %#x: %t", n, n, cell, got)
				}
				if l.complete(line&^cell) != 0 {
					t.Errorf("%d×%d: line %#x without %#x is seen", n, n, line, cell)
				}
			}
		}
	}
}

// Two boards in one word have the lines of each.
func TestLinesOfTwoBoards(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 5))
	for n := 2; n <= 5; n++ {
		one := newLines(n)
		two := one.packed()
		for range 1000 {
			low, high := (r.Uint64()|r.Uint64())&bitboard.All(n), (r.Uint64()|r.Uint64())&bitboard.All(n)
			if got, want := two.complete(low|high<<32), one.complete(low)|one.complete(high)<<32; got != want {
				t.Fatalf("%d×%d: lines of %b and %b begin at %b, want %b", n, n, low, high, got, want)
			}
		}
	}
}

func TestNoAllocation(t *testing.T) {
	everyCore(t, func(t *testing.T, rules game.Grid) {
		fast, rand := New(rules), NewRand(1)
		start := MasksOf(rules.Start())
		buf := make([]game.Move, 0, 128)
		allocs := testing.AllocsPerRun(20, func() {
			fast.Playout(start, &rand)
			for _, m := range fast.Moves(buf, start) {
				fast.Terminal(fast.Play(start, m))
			}
		})
		if allocs != 0 {
			t.Errorf("%v allocations", allocs)
		}
	})
}

// otherGame is a game that has no fast rules.
type otherGame struct{ game.Grid }

func (otherGame) Name() string { return "other" }

func TestOtherGame(t *testing.T) {
	rules := otherGame{newRules(t, "quixo", 3)}
	if _, ok := New(rules).(plain); !ok {
		t.Errorf("the rules of a game without fast ones are %T", New(rules))
	}
}
