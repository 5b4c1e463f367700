package survey

import (
	"reflect"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
)

// plain mines a table by looking up positions one by one, each once.
type plain struct {
	t      *testing.T
	table  *probe.Table
	values map[game.Position]probe.Value
}

func (l plain) look(p game.Position) probe.Value {
	l.t.Helper()
	v, known := l.values[p]
	if !known {
		var err error
		if v, err = l.table.Value(p); err != nil {
			l.t.Fatal(err)
		}
		l.values[p] = v
	}
	return v
}

// moves returns the number of legal moves of a position and its moves that keep the outcome, by
// looking up one position after the other.
func (l plain) moves(p game.Position) (legal int, keep []game.Position) {
	outcome := l.look(p).Outcome
	for _, m := range l.table.Rules().Moves(nil, p) {
		legal++
		after := l.table.Rules().Play(p, m)
		if l.look(after).Outcome.Flip() == outcome {
			keep = append(keep, after)
		}
	}
	return legal, keep
}

// line returns the number of only moves in a row.
func (l plain) line(p game.Position, seen map[game.Position]bool) int {
	_, keep := l.moves(p)
	if seen[p] || len(keep) != 1 {
		return 0
	}
	seen[p] = true
	var reply *game.Position
	for _, m := range l.table.Rules().Moves(nil, keep[0]) { // in the order of their text
		after := l.table.Rules().Play(keep[0], m)
		if reply == nil || l.look(after).Before().Compare(l.look(*reply).Before()) < 0 {
			reply = &after
		}
	}
	if reply == nil {
		return 1
	}
	return 1 + l.line(*reply, seen)
}

// A sample of all states finds every puzzle, and for each depth the longest line that looking up
// positions one by one finds.
func TestMineAll(t *testing.T) {
	for _, b := range []struct {
		game  string
		size  int
		steps bool
	}{{"quixo", 3, true}, {"quixo", 3, false}, {"notakto", 3, true}, {"tictactoe", 3, true}} {
		if testing.Short() && b.game != "tictactoe" {
			continue // looking up takes long under the race detector
		}
		table := open(t, b.game, b.size, b.steps)
		found, err := Mine(t.Context(), table, WalkOptions{Sample: 1 << 20, Threads: 2}, 1)
		if err != nil {
			t.Fatal(err)
		}
		l := plain{t, table, map[game.Position]probe.Value{}}
		states, only, longest := uint64(0), uint64(0), map[kind]int{}
		all := uint64(1)<<(b.size*b.size) - 1
		for x := range all + 1 {
			for o := range all + 1 {
				if x&o != 0 || o != 0 && table.Rules().Marks() == 1 {
					continue
				}
				p := game.Position{X: x, O: o, Mark: game.X}
				states++
				v := l.look(p)
				legal, keep := l.moves(p)
				if len(keep) != 1 || legal < 2 || v.Outcome == game.Lose {
					continue
				}
				only++
				n := l.line(p, map[game.Position]bool{})
				depth := n
				if v.Steps >= 0 {
					depth = v.Steps
				}
				longest[kind{v.Outcome.String(), depth}] = max(n, longest[kind{v.Outcome.String(), depth}])
			}
		}
		got := map[kind]int{}
		for _, p := range found.Puzzles {
			got[kind{p.Outcome, p.depth()}] = p.OnlyMoves
			if len(p.Line) < p.OnlyMoves || p.LegalMoves < 2 {
				t.Errorf("%s: %+v", table.Board(), p)
			}
		}
		if found.States != states || found.Only != only || !reflect.DeepEqual(got, longest) {
			t.Errorf("%s: %d of %d states, %v, want %d of %d, %v", table.Board(), found.Only, found.States, got, only, states, longest)
		}
		if found.LongestLine.OnlyMoves == 0 || only < 20 {
			t.Errorf("%s: %d puzzles", table.Board(), only)
		}
	}
}

// A seed finds the same puzzles with any number of threads, at most one of symmetric positions, and
// another seed finds others.
func TestMineBySeed(t *testing.T) {
	table := open(t, "notakto", 4, true)
	mine := func(seed uint64, threads int) *Mined {
		found, err := Mine(t.Context(), table, WalkOptions{Sample: 300, Seed: seed, Threads: threads}, 5)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	one := mine(1, 1)
	if !reflect.DeepEqual(one, mine(1, 4)) {
		t.Error("threads change what is found")
	}
	if reflect.DeepEqual(one.Puzzles, mine(2, 1).Puzzles) {
		t.Error("the seed changes nothing")
	}
	seen := map[kind]int{}
	for _, p := range one.Puzzles {
		seen[kind{p.Outcome, p.depth()}]++
		for _, other := range one.Puzzles {
			if other.Position != p.Position && other.place == p.place {
				t.Errorf("%s and %s are symmetric", p.Position, other.Position)
			}
		}
	}
	for k, n := range seen {
		if n > 5 {
			t.Errorf("%d of %v", n, k)
		}
	}
}

// A draw in which each move is the only one forever has a line that ends where it repeats.
func TestMineRepetition(t *testing.T) {
	table := open(t, "quixo", 4, false)
	at := parse(t, table, "..../.OO./..OX/XOOX x")
	v, moves, err := table.Rate(nil, at, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, p := newMiner(table, 1), &Puzzle{}
	only, found := onlyMove(v, moves)
	if err := m.follow(p, at, only); err != nil || !found || p.OnlyMoves < 2 || p.OnlyMoves > 20 {
		t.Errorf("%d only moves, %v", p.OnlyMoves, err)
	}
}

// In a ring of five positions the line comes back to where it began after each has been a player's.
func TestMineRing(t *testing.T) {
	table := drawnRing(t, 5)
	start := table.Rules.Start()
	v, moves, err := table.Rate(nil, start, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, p := newMiner(table, 1), &Puzzle{}
	only, found := onlyMove(v, moves)
	if err := m.follow(p, start, only); err != nil || !found || p.OnlyMoves != 5 || len(p.Line) != 9 {
		t.Errorf("%d only moves in %v, %v", p.OnlyMoves, p.Line, err)
	}
}
