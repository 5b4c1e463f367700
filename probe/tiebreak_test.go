package probe_test

import (
	"math/rand/v2"
	"testing"

	"backsolve/game"
	"backsolve/probe"
)

// rated returns what a table says of the moves of a position.
func rated(t *testing.T, table *probe.Table, p game.Position) (probe.Value, []probe.Rated) {
	t.Helper()
	v, moves, err := table.Rate(nil, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v, moves
}

// Without steps a move that ends the game comes first among those that win, then those
// that mark a cell; with steps, and in games that cannot go in circles, all are alike.
func TestClassOfProgress(t *testing.T) {
	table := open(t, "quixo", 3, false)
	rules := table.Rules()
	told := map[int]bool{}
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
			told[m.TieBreak] = true
		}
	}
	if len(told) < 5 {
		t.Errorf("the classes are %v", told)
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

// Who plays any of the winning moves of the least class comes to the end against one
// who loses as late as can be, though the table has no steps.
func TestProgressEndsWins(t *testing.T) {
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
			if ply > 100 { // any winning move takes two hundred and more
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
