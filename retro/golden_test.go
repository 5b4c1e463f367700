package retro

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"testing"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/partition"
	"backsolve/tablebase"
	"backsolve/tablebase/reader"
)

// solved is a solved board.
type solved struct {
	t     *testing.T
	rules game.Grid
	space *partition.Space
	table *reader.Table
}

func solveBoard(t *testing.T, name string, n int, steps bool) *solved {
	rules, space := newSpace(t, name, n)
	path, _ := solve(t, space, Options{Steps: steps})
	return &solved{t, rules, space, openTable(t, path)}
}

// value returns the value of a position, with 0 steps for a draw.
func (s *solved) value(p game.Position) knownValue {
	at := s.space.Locate(p)
	block, found, err := s.table.Find(at.Class, at.Mask)
	if err != nil || !found {
		s.t.Fatalf("%s: block found %v, %v", s.rules.Format(p), found, err)
	}
	e, err := s.table.Lookup(at.Class, block, uint64(at.Index))
	if err != nil {
		s.t.Fatal(err)
	}
	return knownValue{Outcome: e.Outcome, Steps: max(e.Steps, 0)}
}

// sums adds up the stored counts: in total, by steps, and by the marks of the player to move and
// the opponent.
func (s *solved) sums() (all tablebase.OutcomeCounts, wins, losses map[int]int64, marks map[[2]int]tablebase.OutcomeCounts) {
	wins, losses, marks = map[int]int64{}, map[int]int64{}, map[[2]int]tablebase.OutcomeCounts{}
	for _, c := range s.table.Classes() {
		for steps, n := range c.Counts.BySteps {
			wins[steps] += int64(n.Wins)
			losses[steps] += int64(n.Losses)
		}
		for weight, n := range c.Counts.ByWeight {
			all = plus(all, n)
			mover, other := s.space.Stones(c.Class, weight)
			marks[[2]int{mover, other}] = plus(marks[[2]int{mover, other}], n)
		}
	}
	maps.DeleteFunc(wins, func(_ int, n int64) bool { return n == 0 })
	maps.DeleteFunc(losses, func(_ int, n int64) bool { return n == 0 })
	return all, wins, losses, marks
}

func plus(a, b tablebase.OutcomeCounts) tablebase.OutcomeCounts {
	return tablebase.OutcomeCounts{
		Wins: a.Wins + b.Wins, Losses: a.Losses + b.Losses, Draws: a.Draws + b.Draws,
		TerminalWins: a.TerminalWins + b.TerminalWins, TerminalLosses: a.TerminalLosses + b.TerminalLosses,
	}
}

func TestGoldenQuixo(t *testing.T) {
	for _, known := range knownQuixos() {
		t.Run(string(rune('0'+known.N)), func(t *testing.T) {
			if testing.Short() && known.N == 4 {
				t.Skip("takes minutes under the race detector")
			}
			s := solveBoard(t, "quixo", known.N, true)
			all, wins, losses, marks := s.sums()
			if all.Wins != uint64(known.Win) || all.Losses != uint64(known.Lose) || all.Draws != uint64(known.Draw) {
				t.Errorf("counts %+v, known %d wins, %d losses, %d draws", all, known.Win, known.Lose, known.Draw)
			}
			if !maps.Equal(wins, known.WinBySteps) || !maps.Equal(losses, known.LoseBySteps) {
				t.Errorf("wins by steps %v, losses %v; known %v and %v", wins, losses, known.WinBySteps, known.LoseBySteps)
			}
			if got := s.value(s.rules.Start()); got != known.Empty {
				t.Errorf("the empty board is %v, known as %v", got, known.Empty)
			}
			for _, c := range knownCounts(known.N) {
				got := marks[[2]int{c.Mover, c.Other}]
				if got.Wins != uint64(c.Win) || got.Losses != uint64(c.Lose) || got.Draws != uint64(c.Draw) {
					t.Errorf("%d and %d marks: %+v, known %+v", c.Mover, c.Other, got, c)
				}
			}
			for _, state := range knownStates(known.N) {
				if got := s.value(state.Position); got != state.Value {
					t.Fatalf("%s is %v, known as %v", s.rules.Format(state.Position), got, state.Value)
				}
			}
			if got := s.sha256(); got != known.SHA256 {
				t.Errorf("SHA-256 over all states is %s, known as %s", got, known.SHA256)
			}
		})
	}
}

// sha256 returns the sum over all states that knownQuixo describes. It looks up one of those with
// the symmetric boards of X, whose values are equal.
func (s *solved) sha256() string {
	boards := 1 << (s.rules.Size() * s.rules.Size())
	ternary := make([]int, boards) // the numbers that the bits of a board are the digits of, in base 3
	for bit, power := 1, 1; bit < boards; bit, power = 2*bit, 3*power {
		for rest := range bit {
			ternary[bit+rest] = power + ternary[rest]
		}
	}
	symmetries := partition.NewSymmetries(bitboard.SquareGroup(s.rules.Size()))
	code := make([]byte, game.StateCount(s.rules.Info()).Int64())
	for x := range uint64(boards) {
		if least, _ := symmetries.Canonical(x); least != x {
			continue
		}
		others := uint64(boards-1) &^ x
		for o := others; ; o = (o - 1) & others {
			var c byte
			switch v := s.value(game.Position{X: x, O: o}); v.Outcome {
			case game.Draw:
				c = 255
			case game.Win:
				c = byte(2*v.Steps + 1)
			default:
				c = byte(2 * v.Steps)
			}
			for g := range symmetries.Len() {
				code[ternary[symmetries.Image(g, x)]+2*ternary[symmetries.Image(g, o)]] = c
			}
			if o == 0 {
				break
			}
		}
	}
	sum := sha256.Sum256(code)
	return hex.EncodeToString(sum[:])
}

func TestGoldenNotakto(t *testing.T) {
	for _, known := range knownNotaktos() {
		t.Run(string(rune('0'+known.N)), func(t *testing.T) {
			s := solveBoard(t, "notakto", known.N, true)
			all, wins, losses, marks := s.sums()
			if all.TerminalWins != uint64(known.Terminal) || all.Wins-all.TerminalWins != uint64(known.Win) ||
				all.Losses != uint64(known.Lose) || all.Draws != 0 || all.TerminalLosses != 0 {
				t.Errorf("counts %+v, known %d terminal, %d wins, %d losses", all, known.Terminal, known.Win, known.Lose)
			}
			if wins[0] != known.Terminal {
				t.Errorf("%d states are won in 0 steps, known %d terminal ones", wins[0], known.Terminal)
			}
			delete(wins, 0)
			if !maps.Equal(wins, known.WinBySteps) || !maps.Equal(losses, known.LoseBySteps) {
				t.Errorf("wins by steps %v, losses %v; known %v and %v", wins, losses, known.WinBySteps, known.LoseBySteps)
			}
			for n := range known.N*known.N + 1 {
				got := marks[[2]int{n, 0}]
				if got.Wins-got.TerminalWins != uint64(known.WinByMarks[n]) || got.Losses != uint64(known.LoseByMarks[n]) ||
					got.TerminalWins != uint64(known.TerminalByMarks[n]) {
					t.Errorf("%d marks: %+v, known %d wins, %d losses, %d terminal", n, got,
						known.WinByMarks[n], known.LoseByMarks[n], known.TerminalByMarks[n])
				}
			}
			if got := s.value(s.rules.Start()); got != known.Empty {
				t.Errorf("the empty board is %v, known as %v", got, known.Empty)
			}
			for cell, want := range known.FirstMoves {
				got := s.value(game.Position{X: 1 << uint(cell)})
				got = knownValue{Outcome: got.Outcome.Flip(), Steps: got.Steps + 1}
				if got != want {
					t.Errorf("first move on cell %d: %v, known as %v", cell, got, want)
				}
			}
		})
	}
}

// Notakto 6×6 is won by the first player, as Chen et al. (2020) published. The totals are those of
// a prototype that shares no code with the engine. The engine found that every first move wins;
// all states of the table were verified by the rules.
func TestGoldenNotakto6(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes under the race detector")
	}
	s := solveBoard(t, "notakto", 6, false)
	all, _, _, _ := s.sums()
	if all.Wins != 51_787_755_003 || all.Losses != 16_931_721_733 || all.Draws != 0 {
		t.Errorf("counts %+v, known 51787755003 wins, 16931721733 losses", all)
	}
	if got := s.value(s.rules.Start()).Outcome; got != game.Win {
		t.Errorf("the empty board is a %v, known as a win", got)
	}
	var winning uint64
	for cell := range uint(36) {
		if s.value(game.Position{X: 1 << cell}).Outcome == game.Lose {
			winning |= 1 << cell
		}
	}
	if winning != 1<<36-1 {
		t.Errorf("the winning first moves are %09x, known as all 36", winning)
	}
}
