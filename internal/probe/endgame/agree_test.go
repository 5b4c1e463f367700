package endgame

import (
	"context"
	"math/bits"
	"math/rand/v2"
	"os"
	"testing"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/game/games"
	"backsolve/game/notakto"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
)

// limits are those of tests, too high to matter.
var limits = Limits{Timeout: 1 << 40, Threads: 1}

var tables probetest.Tables

func TestMain(m *testing.M) { tables.Main(m) }

// rules returns the rules of a board.
func rules(t testing.TB, name string, n int) game.Rules {
	t.Helper()
	r, err := games.New(name, n)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// endgameOf returns an endgame of Notakto.
func endgameOf(t testing.TB, r game.Rules, s game.State, steps bool) *notaktoEndgame {
	t.Helper()
	p, err := notaktoEndgame{rules: r, info: r.Info()}.endgame(s, steps)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*notaktoEndgame)
}

// ways solves an endgame of Notakto in every way that can.
func ways(t testing.TB, r game.Rules, s game.State, check func(way string, steps bool, v probe.Value, moves []probe.Rated)) {
	t.Helper()
	run := func(way string, steps bool, solve func(p *notaktoEndgame) (probe.Value, []probe.Rated, error)) {
		v, moves, err := solve(endgameOf(t, r, s, steps))
		if err != nil {
			t.Fatalf("%s: %s: %v", r.Format(s), way, err)
		}
		check(way, steps, v, moves)
	}
	byRetro := func(p *notaktoEndgame) (probe.Value, []probe.Rated, error) {
		return p.solve(context.Background(), limits)
	}
	run("retro", false, byRetro)
	run("retro with steps", true, byRetro)
	if p := endgameOf(t, r, s, false); len(p.left.Lines) > 0 && (len(p.left.Open) > 12 || len(p.left.Open) == 7) {
		run("streamed", false, func(p *notaktoEndgame) (probe.Value, []probe.Rated, error) {
			space, err := p.space()
			if err != nil {
				t.Fatal(err)
			}
			return p.stream(context.Background(), space, Limits{Threads: 2, Memory: 1 << 40, Scratch: scratch(t)})
		})
	}
	if p := endgameOf(t, r, s, false); len(p.left.Open) <= 22 {
		run("searched", false, func(p *notaktoEndgame) (probe.Value, []probe.Rated, error) { return searched(t, p) })
	}
}

// searched solves an endgame by depth-first search.
func searched(t testing.TB, e *notaktoEndgame) (probe.Value, []probe.Rated, error) {
	t.Helper()
	m := newMarkingSearch(1 << 20)
	v, moves := e.rated(func(c child) probe.Value {
		lines, free := e.left.Lines, len(e.left.Free)-c.free
		if c.open >= 0 {
			next := mark(lines, 1<<uint(c.open))
			lines, free = next.lines, free+next.free
		}
		lost, err := m.Lost(context.Background(), lines, free)
		if err != nil {
			t.Fatal(err)
		}
		if lost {
			return e.withSteps(game.Lose, 0)
		}
		return e.withSteps(game.Win, 0)
	})
	return v, moves, nil
}

// scratch returns a directory for work files, which must be empty at the end.
func scratch(t testing.TB) string {
	dir := t.TempDir()
	t.Cleanup(func() {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("work files are left: %v, %v", left, err)
		}
	})
	return dir
}

// agree compares the answer to a position with its table.
func agree(t testing.TB, table *probe.Table, r game.Rules, p game.Position) {
	t.Helper()
	want, moves, err := table.Rate(nil, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	byMove := map[game.Move]probe.Value{}
	for _, m := range moves {
		byMove[m.Move] = m.Value
	}
	ways(t, r, p, func(way string, steps bool, v probe.Value, moves []probe.Rated) {
		same := func(a, b probe.Value) bool { return a.Outcome == b.Outcome && (!steps || a.Steps == b.Steps) }
		if !same(v, want) {
			t.Fatalf("%s is %s as %v, but %v in the table", r.Format(p), way, v, want)
		}
		if len(moves) != len(byMove) {
			t.Fatalf("%s has %d moves when it is %s, but %d in the table", r.Format(p), len(moves), way, len(byMove))
		}
		for _, m := range moves {
			if !same(m.Value, byMove[m.Move]) {
				t.Fatalf("%s: the move %s is %s as %v, but %v in the table", r.Format(p), r.FormatMove(m.Move), way, m.Value, byMove[m.Move])
			}
		}
	})
}

// long says whether tests may take long.
var long = os.Getenv("BACKSOLVE_LONG") != ""

// TestNotakto4 compares positions that are not over with the table, all of them in a
// long run.
func TestNotakto4(t *testing.T) {
	table, r := tables.Open(t, "notakto", 4, true), rules(t, "notakto", 4)
	step := uint64(151)
	if long {
		step = 1
	}
	for x := uint64(0); x < 1<<16; x += step {
		if _, over := r.Terminal(game.Position{X: x}); !over {
			agree(t, table, r, game.Position{X: x})
		}
	}
}

// random returns a position that is not over, uniformly.
func random(r *rand.Rand, rules game.Rules) game.Position {
	for {
		p := game.Position{X: r.Uint64() & bitboard.All(rules.Info().Size)}
		if _, over := rules.Terminal(p); !over {
			return p
		}
	}
}

// TestRandomOfNotakto5 compares random positions with the table, 10,000 in a long run.
func TestRandomOfNotakto5(t *testing.T) {
	if testing.Short() {
		t.Skip("solving the table takes long under the race detector")
	}
	randomAgree(t, tables.Open(t, "notakto", 5, true), 20)
}

// TestRandomOfNotakto6 compares the ways to solve random positions with each other, and in a
// long run 10,000 positions with the table.
func TestRandomOfNotakto6(t *testing.T) {
	if long {
		randomAgree(t, tables.Open(t, "notakto", 6, true), 0)
	}
	board := rules(t, "notakto", 6)
	r := rand.New(rand.NewPCG(6, 1))
	number := 6
	if testing.Short() {
		number = 1
	}
	for range number {
		p := random(r, board)
		outcomes := map[string]game.Outcome{} // of each move, and of the position as that of none
		ways(t, board, p, func(way string, _ bool, root probe.Value, moves []probe.Rated) {
			same := func(move string, o game.Outcome) {
				if known, ok := outcomes[move]; ok && known != o {
					t.Fatalf("%s: move %q is %s as %v, otherwise as %v", board.Format(p), move, way, o, known)
				}
				outcomes[move] = o
			}
			same("", root.Outcome)
			for _, m := range moves {
				same(board.FormatMove(m.Move), m.Outcome)
			}
		})
	}
}

func randomAgree(t *testing.T, table *probe.Table, some int) {
	if long {
		some = 10_000
	}
	board := rules(t, "notakto", table.Info().Size)
	r := rand.New(rand.NewPCG(1, 1))
	for range some {
		agree(t, table, board, random(r, board))
	}
}

// TestPairing compares positions of 8×8 that the pairing decides, with at most 22
// open cells.
func TestPairing(t *testing.T) {
	board := rules(t, "notakto", 8)
	known, err := probe.NewBoard("notakto", 8, "")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(8, 1))
	number := 4
	if testing.Short() {
		number = 1 // each takes long under the race detector
	}
	for range number {
		s := paired(r, board)
		want, _, err := known.Strategy().Rate(board, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		ways(t, board, s, func(way string, _ bool, v probe.Value, _ []probe.Rated) {
			if v.Outcome != want.Outcome {
				t.Fatalf("%s is %s as %v, but %v by the pairing", board.Format(s), way, v, want)
			}
		})
	}
}

// paired returns a position of 8×8 that is not over, with 42 marks or more, at most one of them
// without a partner.
func paired(r *rand.Rand, rules game.Rules) game.State {
	for {
		var p game.Position
		for want := 42 + r.IntN(6); bits.OnesCount64(p.X) < want; {
			cell := r.IntN(64)
			p.X |= 1<<uint(cell) | 1<<uint(notakto.Pair(8, cell))
		}
		if r.IntN(2) == 0 {
			p.X &= p.X - 1
		}
		if _, over := rules.Terminal(p); !over {
			return p
		}
	}
}
