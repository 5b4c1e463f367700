package oracle

import (
	"crypto/sha256"
	"encoding/hex"
	"math/bits"
	"os"
	"reflect"
	"testing"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/game/gametest/truth"
)

// solve solves a board. Those that take a minute are for the long tests.
func solve(t *testing.T, name string, n int, long bool) *Solution {
	t.Helper()
	if long && os.Getenv("BACKSOLVE_LONG") == "" {
		t.Skip("takes a minute; set BACKSOLVE_LONG=1 to run it")
	}
	return Solve(rulesOf(t, name, n))
}

func rulesOf(t *testing.T, name string, n int) game.Grid {
	t.Helper()
	rules, err := games.NewGrid(name, n)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(want, got) {
		t.Errorf("%s: got %+v\nwant %+v", what, got, want)
	}
}

func TestQuixo(t *testing.T) {
	for _, known := range truth.QuixoBoards() {
		t.Run(boardName(known.N), func(t *testing.T) {
			s := solve(t, "quixo", known.N, known.N == 4)
			got := truth.Quixo{
				N:           known.N,
				States:      int64(s.Len()),
				Empty:       s.value(game.Position{}),
				WinBySteps:  map[int]int64{},
				LoseBySteps: map[int]int64{},
			}
			code := make([]byte, s.Len())
			for i := range s.Len() {
				v := s.value(s.State(i))
				switch v.Outcome {
				case game.Win:
					got.Win++
					got.WinBySteps[v.Steps]++
					code[i] = byte(2*v.Steps + 1)
				case game.Lose:
					got.Lose++
					got.LoseBySteps[v.Steps]++
					code[i] = byte(2 * v.Steps)
				default:
					got.Draw++
					code[i] = 255
				}
			}
			sum := sha256.Sum256(code)
			got.SHA256 = hex.EncodeToString(sum[:])
			equal(t, "counts", got, known)
			testStates(t, s, truth.QuixoStates(known.N))
			testCounts(t, s, truth.QuixoCounts(known.N))
		})
	}
}

// value returns outcome and steps as one value.
func (s *Solution) value(p game.Position) truth.Value {
	outcome, steps := s.Value(p)
	return truth.Value{Outcome: outcome, Steps: steps}
}

func boardName(n int) string { return string('0'+rune(n)) + "x" + string('0'+rune(n)) }

// testStates compares states with known ones, for both players to move.
func testStates(t *testing.T, s *Solution, states []truth.State) {
	t.Helper()
	if len(states) == 0 {
		t.Fatal("no states are known")
	}
	for _, known := range states {
		p := known.Position
		swapped := game.Position{X: p.O, O: p.X, Mark: game.O}
		if got := s.value(p); got != known.Value {
			t.Fatalf("X %x O %x: solved as %v, known as %v", p.X, p.O, got, known.Value)
		}
		if got := s.value(swapped); got != known.Value {
			t.Fatalf("X %x O %x, O to move: solved as %v, known as %v", p.O, p.X, got, known.Value)
		}
	}
}

// testCounts compares the outcomes by marks.
func testCounts(t *testing.T, s *Solution, counts []truth.Count) {
	t.Helper()
	type marks struct{ mover, other int }
	got := map[marks]truth.Count{}
	for i := range s.Len() {
		p := s.State(i)
		m := marks{bits.OnesCount64(p.X), bits.OnesCount64(p.O)}
		c := got[m]
		c.Mover, c.Other = m.mover, m.other
		switch outcome, _ := s.Value(p); outcome {
		case game.Win:
			c.Win++
		case game.Lose:
			c.Lose++
		default:
			c.Draw++
		}
		got[m] = c
	}
	for _, known := range counts {
		equal(t, "counts by marks", got[marks{known.Mover, known.Other}], known)
	}
}

func TestNotakto(t *testing.T) {
	for _, known := range truth.NotaktoBoards() {
		t.Run(boardName(known.N), func(t *testing.T) {
			s := solve(t, "notakto", known.N, known.N == 5)
			rules := rulesOf(t, "notakto", known.N)
			cells := known.N * known.N
			got := truth.Notakto{
				N:               known.N,
				States:          int64(s.Len()),
				Empty:           s.value(game.Position{}),
				WinBySteps:      map[int]int64{},
				LoseBySteps:     map[int]int64{},
				WinByMarks:      make([]int64, cells+1),
				LoseByMarks:     make([]int64, cells+1),
				TerminalByMarks: make([]int64, cells+1),
			}
			for i := range s.Len() {
				p := s.State(i)
				v, marks := s.value(p), bits.OnesCount64(p.X)
				switch _, over := rules.Terminal(p); {
				case over:
					got.Terminal++
					got.TerminalByMarks[marks]++
				case v.Outcome == game.Win:
					got.Win++
					got.WinBySteps[v.Steps]++
					got.WinByMarks[marks]++
				case v.Outcome == game.Lose:
					got.Lose++
					got.LoseBySteps[v.Steps]++
					got.LoseByMarks[marks]++
				}
			}
			for cell := range cells {
				v := s.value(game.Position{X: 1 << cell})
				v = truth.Value{Outcome: v.Outcome.Flip(), Steps: v.Steps + 1}
				got.FirstMoves = append(got.FirstMoves, v)
				if v.Outcome == game.Win {
					got.WinningMoves = append(got.WinningMoves, truth.FirstMove{Cell: cell, Steps: v.Steps})
				}
			}
			if len(known.WinningMoves) == 0 {
				known.WinningMoves = nil
			}
			equal(t, "counts", got, known)
		})
	}
}

// TestNumbering numbers the states of all small boards.
func TestNumbering(t *testing.T) {
	for _, g := range games.All() {
		for n := g.MinSize; n <= 3; n++ {
			if _, isGrid := game.GridOf(g.New(n)); !isGrid {
				continue
			}
			s := Solve(rulesOf(t, g.Name, n))
			seen := map[game.Position]bool{}
			for i := range s.Len() {
				p := s.State(i)
				seen[p] = true
				if got := s.Number(p); got != i || p.X&p.O != 0 || p.Mark != game.X {
					t.Fatalf("%s %d: state %d is %v, whose number is %d", g.Name, n, i, p, got)
				}
			}
			if len(seen) != s.Len() {
				t.Errorf("%s %d: %d states, but %d numbers", g.Name, n, len(seen), s.Len())
			}
		}
	}
}

func TestTooLarge(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("6×6 was accepted")
		}
	}()
	Solve(rulesOf(t, "quixo", 6))
}

func BenchmarkSolve(b *testing.B) {
	for _, board := range []struct {
		name string
		n    int
	}{{"notakto", 4}, {"quixo", 3}} {
		b.Run(board.name, func(b *testing.B) {
			rules, err := games.NewGrid(board.name, board.n)
			if err != nil {
				b.Fatal(err)
			}
			states := 0
			for b.Loop() {
				states += Solve(rules).Len()
			}
			b.ReportMetric(float64(states)/b.Elapsed().Seconds(), "states/s")
		})
	}
}
