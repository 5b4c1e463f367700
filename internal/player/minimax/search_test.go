package minimax

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/probe/probetest"
	"backsolve/internal/search"
	"backsolve/retro/oracle"
)

func TestOptions(t *testing.T) {
	rules := probetest.Rules(t, "quixo", 3)
	for want, o := range map[string]Options{
		"minimax:depth=6":           {Depth: 6},
		"minimax:time=50ms":         {Time: 50 * time.Millisecond},
		"minimax:depth=6,time=1.5s": {Depth: 6, Time: 1500 * time.Millisecond},
	} {
		a := makeAgent(t, rules, o)
		if a.Name() != want {
			t.Errorf("%+v is named %s, not %s", o, a.Name(), want)
		}
	}
}

// sample calls test with positions that are not over: all of them in a long run,
// else a number of them.
func sample(solution *oracle.Solution, rules game.Grid, number int, test func(p game.Position)) {
	r := search.NewRand(1)
	every := os.Getenv("BACKSOLVE_LONG") != ""
	for i := range solution.Len() {
		if !every && r.Below(solution.Len()) >= number {
			continue
		}
		if p := solution.State(i); !over(rules, p) {
			test(p)
		}
	}
}

var solvable = []struct {
	name string
	n    int
}{{"quixo", 2}, {"quixo", 3}, {"notakto", 3}, {"notakto", 4}}

// TestAgreesWithOracle searches as deep as the steps of a state: only then is
// the outcome certain, with those steps, and the move keeps both.
func TestAgreesWithOracle(t *testing.T) {
	for _, board := range solvable {
		t.Run(fmt.Sprintf("%s-%d", board.name, board.n), func(t *testing.T) {
			rules := probetest.Rules(t, board.name, board.n)
			solution := oracle.Solve(rules)
			sample(solution, rules, 300, func(p game.Position) {
				outcome, steps := solution.Value(p)
				depth := steps
				if outcome == game.Draw {
					depth = 9
				}
				s := begun(t, rules, Options{Depth: depth}, 1)
				if steps > 1 {
					if _, worth := deepen(t, s, search.MasksOf(p), steps-1); worth > surelyWon || worth < surelyLost {
						t.Fatalf("%s: %v in %d, but within %d plies it is worth %d", rules.Format(p), outcome, steps, steps-1, worth)
					}
				}
				m, worth := deepen(t, s, search.MasksOf(p), depth)
				checkWorth(t, rules, p, outcome, steps, worth)
				after, left := solution.Value(rules.Play(p, m))
				if outcome != game.Draw && (after.Flip() != outcome || left != steps-1) {
					t.Fatalf("%s: %v in %d, but after %s it is %v in %d", rules.Format(p), outcome, steps, rules.FormatMove(m), after, left)
				}
			})
		})
	}
}

// checkWorth compares the result of a search to at least the steps of a position with its value.
func checkWorth(t *testing.T, rules game.Grid, p game.Position, outcome game.Outcome, steps, worth int) {
	t.Helper()
	ok := worth < surelyWon && worth > surelyLost
	switch outcome {
	case game.Win:
		ok = worth == win-steps
	case game.Lose:
		ok = worth == steps-win
	}
	if !ok {
		t.Fatalf("%s: %v in %d, but it is worth %d", rules.Format(p), outcome, steps, worth)
	}
}

// TestTableStaysRight searches many states with one table: entries of deeper searches must not
// change how soon the game ends.
func TestTableStaysRight(t *testing.T) {
	for _, board := range solvable {
		t.Run(fmt.Sprintf("%s-%d", board.name, board.n), func(t *testing.T) {
			rules := probetest.Rules(t, board.name, board.n)
			solution := oracle.Solve(rules)
			s := begun(t, rules, Options{Depth: 1}, 1)
			depths := search.NewRand(2)
			sample(solution, rules, 1000, func(p game.Position) {
				outcome, steps := solution.Value(p)
				depth := max(steps, 1) + depths.Below(3)
				_, worth := deepen(t, s, search.MasksOf(p), depth)
				checkWorth(t, rules, p, outcome, steps, worth)
			})
		})
	}
}

// plainWorth returns a state's worth to a depth, by full search.
func plainWorth[S comparable](core search.Rules[S], evaluate func(S) int, s S, depth, ply int) int {
	outcome, over := core.Terminal(s)
	switch {
	case over:
		return search.Sign(outcome) * (win - ply)
	case depth == 0:
		return evaluate(s)
	}
	worth := -win
	for _, m := range core.Moves(nil, s) {
		worth = max(worth, -plainWorth(core, evaluate, core.Play(s, m), depth-1, ply+1))
	}
	return worth
}

// TestTwin compares the worth, and the move's, with a search that leaves nothing out. In Quixo a
// state may occur at several depths, and the table then has a better worth than the depth allows;
// at two plies that cannot happen.
func TestTwin(t *testing.T) {
	for _, board := range []struct {
		name     string
		n, depth int
	}{{"quixo", 2, 2}, {"quixo", 3, 2}, {"quixo", 4, 2}, {"notakto", 3, 5}, {"notakto", 4, 4}, {"notakto", 5, 3}} {
		t.Run(fmt.Sprintf("%s-%d", board.name, board.n), func(t *testing.T) {
			rules := probetest.Rules(t, board.name, board.n)
			fast := search.New(rules)
			rapid.Check(t, func(t *rapid.T) {
				checkTwin(t, fast, drawState(t, rules), rapid.IntRange(1, board.depth).Draw(t, "depth"))
			})
		})
	}
}

// checkTwin searches a state, and looks at everything.
func checkTwin[S comparable](t *rapid.T, core search.Rules[S], root S, depth int) {
	s := newSearcher(newAgent(Options{Depth: depth}, core), player.NewRand(rapid.Uint64().Draw(t, "seed")))
	s.begin(context.Background(), &player.Search{})
	m, worth := s.deepen(root)
	if want := plainWorth(core, s.evaluate, root, depth, 0); worth != want {
		t.Fatalf("%v: worth %d, without leaving anything out %d", root, worth, want)
	}
	if got := -plainWorth(core, s.evaluate, core.Play(root, m), depth-1, 1); got != worth {
		t.Fatalf("%v: worth %d, but the move is worth %d", root, worth, got)
	}
}

// drawState draws a state that is not over.
func drawState(t *rapid.T, rules game.Grid) search.Masks {
	fast := search.New(rules)
	return rapid.Custom(func(t *rapid.T) search.Masks {
		marked := rapid.Uint64().Draw(t, "marked") & bitboard.All(rules.Size())
		if rules.Marks() == 1 {
			return search.Masks{Mover: marked}
		}
		mover := rapid.Uint64().Draw(t, "mover") & marked
		return search.Masks{Mover: mover, Waiting: marked &^ mover}
	}).Filter(func(s search.Masks) bool {
		_, over := fast.Terminal(s)
		return !over
	}).Draw(t, "state")
}

// TestSeed plays the same moves with the same seed, and different ones with different seeds.
func TestSeed(t *testing.T) {
	for _, name := range []string{"quixo", "notakto"} {
		rules := probetest.Rules(t, name, 4)
		a := makeAgent(t, rules, Options{Depth: 3})
		lines := map[string]bool{}
		for seed := range uint64(6) {
			first, again := playLine(t, rules, a, seed), playLine(t, rules, a, seed)
			if first != again {
				t.Errorf("%s: with seed %d once %s, once %s", name, seed, first, again)
			}
			lines[first] = true
		}
		if len(lines) < 2 {
			t.Errorf("%s: six seeds, one line", name)
		}
	}
}

// playLine plays an agent against itself and returns the moves.
func playLine(t *testing.T, rules game.Grid, a player.Agent, seed uint64) (line string) {
	s, err := a.Begin(seed)
	if err != nil {
		t.Fatal(err)
	}
	p := rules.Start()
	for range 30 {
		if over(rules, p) {
			break
		}
		m, err := player.Move(t.Context(), s, p)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rules.ParseMove(p, rules.FormatMove(m)); err != nil {
			t.Fatal(err)
		}
		p, line = rules.Play(p, m), line+rules.FormatMove(m)+" "
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	return line
}

func TestOver(t *testing.T) {
	rules := probetest.Rules(t, "notakto", 3)
	s := begun(t, rules, Options{Depth: 1}, 1)
	if _, err := player.Move(t.Context(), s, game.Position{X: 7}); !errors.Is(err, player.ErrOver) {
		t.Errorf("a move after the end gives %v", err)
	}
}

// TestNoTime searches one ply even without any time.
func TestNoTime(t *testing.T) {
	rules := probetest.Rules(t, "quixo", 4)
	p, err := rules.Parse("XXX./OO.O/..../X..O x") // only d2d4 and d3d4 win at once
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(20) {
		s := begun(t, rules, Options{Time: 1}, seed)
		m, err := player.Move(t.Context(), s, p)
		if err != nil {
			t.Fatal(err)
		}
		if outcome, over := rules.Terminal(rules.Play(p, m)); !over || outcome != game.Lose {
			t.Errorf("seed %d: %s does not win at once", seed, rules.FormatMove(m))
		}
	}
}

// TestTime ends if time is the only limit.
func TestTime(t *testing.T) {
	rules := probetest.Rules(t, "quixo", 5)
	s := begun(t, rules, Options{Time: 5 * time.Millisecond}, 1)
	m, err := player.Move(t.Context(), s, rules.Start())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rules.ParseMove(rules.Start(), rules.FormatMove(m)); err != nil {
		t.Error(err)
	}
}

// TestDrawEnds looks at a draw to the largest depth there is.
func TestDrawEnds(t *testing.T) {
	rules := probetest.Rules(t, "quixo", 2)
	solution := oracle.Solve(rules)
	for i := range solution.Len() {
		p := solution.State(i)
		if outcome, _ := solution.Value(p); outcome == game.Draw && !over(rules, p) {
			s := begun(t, rules, Options{Depth: MaxDepth}, 1)
			if _, worth := s.deepen(search.MasksOf(p)); worth > surelyWon || worth < surelyLost {
				t.Errorf("%s: a draw is worth %d", rules.Format(p), worth)
			}
		}
	}
}

// TestCancel ends a search that would not end.
func TestCancel(t *testing.T) {
	rules := probetest.Rules(t, "quixo", 5)
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	s := begun(t, rules, Options{Depth: MaxDepth}, 1)
	if _, err := player.Move(&late{ctx, 20, func() { cancel(cause) }}, s, rules.Start()); !errors.Is(err, cause) {
		t.Errorf("a search that was ended gives %v", err)
	}
	if s.states > 30*checkEvery {
		t.Errorf("the search went on to %d states", s.states)
	}
	if _, err := player.Move(ctx, s, rules.Start()); !errors.Is(err, cause) {
		t.Errorf("a search after the end gives %v", err)
	}
}

// late is a context that is cancelled once it has been asked some times.
type late struct {
	context.Context
	after  int
	cancel func()
}

func (l *late) Err() error {
	if l.after--; l.after == 0 {
		l.cancel()
	}
	return l.Context.Err()
}
