package retro

import (
	"crypto/sha256"
	"encoding/hex"
	"math/bits"
	"os"
	"reflect"
	"testing"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/retro/oracle"
)

// askOracle solves a board by the oracle. Those that take a minute are for the long tests.
func askOracle(t *testing.T, name string, n int, long bool) (game.Grid, *oracle.Solution) {
	t.Helper()
	if long && os.Getenv("BACKSOLVE_LONG") == "" {
		t.Skip("takes a minute; set BACKSOLVE_LONG=1 to run it")
	}
	rules, err := games.NewGrid(name, n)
	if err != nil {
		t.Fatal(err)
	}
	return rules, oracle.Solve(rules)
}

func equalKnown(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(want, got) {
		t.Errorf("%s: got %+v\nwant %+v", what, got, want)
	}
}

func TestOracleQuixo(t *testing.T) {
	for _, known := range knownQuixos() {
		t.Run(boardName(known.N), func(t *testing.T) {
			_, s := askOracle(t, "quixo", known.N, known.N == 4)
			got := knownQuixo{
				N:           known.N,
				States:      int64(s.Len()),
				Empty:       oracleValue(s, game.Position{}),
				WinBySteps:  map[int]int64{},
				LoseBySteps: map[int]int64{},
			}
			code := make([]byte, s.Len())
			for i := range s.Len() {
				v := oracleValue(s, s.State(i))
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
			equalKnown(t, "counts", got, known)
			testStates(t, s, knownStates(known.N))
			testCounts(t, s, knownCounts(known.N))
		})
	}
}

// oracleValue returns outcome and steps as one value.
func oracleValue(s *oracle.Solution, p game.Position) knownValue {
	outcome, steps := s.Value(p)
	return knownValue{Outcome: outcome, Steps: steps}
}

func boardName(n int) string { return string('0'+rune(n)) + "x" + string('0'+rune(n)) }

// testStates compares states with known ones, for both players to move.
func testStates(t *testing.T, s *oracle.Solution, states []knownState) {
	t.Helper()
	if len(states) == 0 {
		t.Fatal("no states are known")
	}
	for _, known := range states {
		p := known.Position
		swapped := game.Position{X: p.O, O: p.X, Mark: game.O}
		if got := oracleValue(s, p); got != known.Value {
			t.Fatalf("X %x O %x: solved as %v, known as %v", p.X, p.O, got, known.Value)
		}
		if got := oracleValue(s, swapped); got != known.Value {
			t.Fatalf("X %x O %x, O to move: solved as %v, known as %v", p.O, p.X, got, known.Value)
		}
	}
}

// testCounts compares the outcomes by marks.
func testCounts(t *testing.T, s *oracle.Solution, counts []knownCount) {
	t.Helper()
	type marks struct{ mover, other int }
	got := map[marks]knownCount{}
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
		equalKnown(t, "counts by marks", got[marks{known.Mover, known.Other}], known)
	}
}

func TestOracleNotakto(t *testing.T) {
	for _, known := range knownNotaktos() {
		t.Run(boardName(known.N), func(t *testing.T) {
			rules, s := askOracle(t, "notakto", known.N, known.N == 5)
			cells := known.N * known.N
			got := knownNotakto{
				N:               known.N,
				States:          int64(s.Len()),
				Empty:           oracleValue(s, game.Position{}),
				WinBySteps:      map[int]int64{},
				LoseBySteps:     map[int]int64{},
				WinByMarks:      make([]int64, cells+1),
				LoseByMarks:     make([]int64, cells+1),
				TerminalByMarks: make([]int64, cells+1),
			}
			for i := range s.Len() {
				p := s.State(i)
				v, marks := oracleValue(s, p), bits.OnesCount64(p.X)
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
				v := oracleValue(s, game.Position{X: 1 << cell})
				v = knownValue{Outcome: v.Outcome.Flip(), Steps: v.Steps + 1}
				got.FirstMoves = append(got.FirstMoves, v)
				if v.Outcome == game.Win {
					got.WinningMoves = append(got.WinningMoves, knownMove{Cell: cell, Steps: v.Steps})
				}
			}
			if len(known.WinningMoves) == 0 {
				known.WinningMoves = nil
			}
			equalKnown(t, "counts", got, known)
		})
	}
}
