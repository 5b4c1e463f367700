package probe_test

import (
	"math/rand/v2"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
)

// rated returns the rated moves of a position.
func rated(t *testing.T, table *probe.Table, p game.Position) (probe.Value, []probe.Rated) {
	t.Helper()
	v, moves, err := table.Rate(nil, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v, moves
}

// TestTieBreak checks that without steps, winning moves that end the game come first, then
// those that mark a cell. With steps, and in games that cannot repeat, there are no tie breaks.
func TestTieBreak(t *testing.T) {
	table := open(t, "quixo", 3, false)
	rules := table.Rules()
	tieBreaks := map[int]bool{}
	for _, p := range randomPositions(table, 2000) {
		_, moves := rated(t, table, p)
		for _, m := range moves {
			after := rules.Play(p, m.Move)
			_, over := rules.Terminal(after)
			blank := 0
			for cell := range 9 {
				if (after.X|after.O)>>cell&1 == 0 {
					blank++
				}
			}
			want := 1 + blank
			if m.Outcome != game.Win || over {
				want = 0
			}
			if m.TieBreak != want {
				t.Fatalf("%s, %s: class %d, want %d", rules.Format(p), rules.FormatMove(m.Move), m.TieBreak, want)
			}
			tieBreaks[m.TieBreak] = true
		}
	}
	if len(tieBreaks) < 5 {
		t.Errorf("the tie breaks are %v", tieBreaks)
	}
	for _, other := range []*probe.Table{open(t, "quixo", 3, true), open(t, "tictactoe", 3, false), open(t, "notakto", 4, false)} {
		for _, p := range randomPositions(other, 200) {
			_, moves := rated(t, other, p)
			for _, m := range moves {
				if m.TieBreak != 0 {
					t.Fatalf("%s: class %d", other.Rules().Format(p), m.TieBreak)
				}
			}
		}
	}
}

// TestTieBreakEndsWins plays the winning moves of the least TieBreak, without steps, against an
// opponent who loses as late as possible. The game ends.
func TestTieBreakEndsWins(t *testing.T) {
	table, steps := open(t, "quixo", 4, false), open(t, "quixo", 4, true)
	rules, r := table.Rules(), rand.New(rand.NewPCG(4, 4))
	longest := 0
	for _, p := range randomPositions(table, 200) {
		if v, moves := rated(t, table, p); v.Outcome != game.Win || len(moves) == 0 {
			continue
		}
		for ply := 0; ; ply++ {
			if _, over := rules.Terminal(p); over {
				longest = max(longest, ply)
				break
			}
			if ply > 100 { // arbitrary winning moves take two hundred and more
				t.Fatalf("the win does not end; it is at %s", rules.Format(p))
			}
			if ply%2 == 1 {
				_, moves := rated(t, steps, p) // which lose, the latest first
				p = rules.Play(p, moves[0].Move)
				continue
			}
			_, moves := rated(t, table, p)
			var least []probe.Rated
			for _, m := range moves {
				switch {
				case m.Outcome != game.Win:
				case len(least) == 0 || m.TieBreak < least[0].TieBreak:
					least = []probe.Rated{m}
				case m.TieBreak == least[0].TieBreak:
					least = append(least, m)
				}
			}
			p = rules.Play(p, least[r.IntN(len(least))].Move)
		}
	}
	t.Logf("the longest game took %d plies", longest)
}
