package bridge

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"backsolve"
	"backsolve/game"
	"backsolve/game/examples"
	"backsolve/game/games"
)

// boards are words of one or two boards of each game that there is.
func boards(t *testing.T) (words []string) {
	t.Helper()
	if err := examples.Add(); err != nil {
		t.Fatal(err)
	}
	for _, g := range games.All() {
		sizes := g.Sizes()
		for _, n := range slices.Compact([]int{sizes[min(1, len(sizes)-1)], sizes[len(sizes)/2]}) {
			words = append(words, fmt.Sprintf("%s:%v", g.Name, game.Size(n)))
		}
	}
	return append(words, "quixo:3x4", "notakto:3+4+4", "tictactoe:4", "othello:8")
}

// newGames begins games and checks that they close.
func newGames(t *testing.T, word string, count uint64) *Games {
	t.Helper()
	g, err := NewGames(word, count)
	if err != nil {
		t.Fatal(word, err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

func statesOf(g *Games) (all []game.State) {
	for _, one := range g.games {
		all = append(all, one.state)
	}
	return all
}

// moveOf returns the legal move of an action.
func moveOf(g *Games, i int, action int32) (m game.Move, legal bool) {
	at := slices.Index(g.games[i].actions, action)
	if at < 0 {
		return m, false
	}
	return g.games[i].legal[at], true
}

// view is what Observe writes.
type view struct {
	texts        Fields
	legal, turns []byte
	results      []int8
}

// played plays random games of a board and calls check after each step.
func played(t *testing.T, g *Games, seed uint64, check func(v *view)) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	n := g.Count()
	v := &view{Fields{make([]byte, n*1024), 1024}, make([]byte, n*g.ActionCount()), make([]byte, n), make([]int8, n)}
	for range 150 {
		if err := g.Observe(v.texts, v.legal, v.turns, v.results); err != nil {
			t.Fatal(err)
		}
		check(v)
		actions := slices.Repeat([]int32{Leave}, n)
		for i := range actions {
			if legal := g.games[i].actions; len(legal) > 0 {
				actions[i] = legal[r.IntN(len(legal))]
			}
		}
		if err := g.Step(actions); err != nil {
			t.Fatal(err)
		}
	}
}

// TestGamesFollowTheRules plays random games of every game: each legal move has one action, and a
// game is over exactly where no action is legal.
func TestGamesFollowTheRules(t *testing.T) {
	for _, word := range boards(t) {
		t.Run(word, func(t *testing.T) {
			g, over := newGames(t, word, 4), 0
			played(t, g, 6, func(v *view) {
				for i, s := range statesOf(g) {
					text, moves := g.Rules.Format(s), g.Rules.Moves(nil, s)
					legal := v.legal[i*g.ActionCount() : (i+1)*g.ActionCount()]
					if bytes.Count(legal, []byte{1}) != len(moves) || v.texts.get(i) != text {
						t.Fatalf("%s has %d moves; %s, and these actions: %v", text, len(moves), v.texts.get(i), legal)
					}
					outcome, isOver := g.Rules.Terminal(s)
					if isOver != (len(moves) == 0) || isOver != (v.results[i] != Leave) || isOver && v.results[i] != int8(outcome) {
						t.Fatalf("%s: over is %v, %v, result %d", text, isOver, outcome, v.results[i])
					}
					if game.Side(v.turns[i]) != g.Rules.Turn(s) {
						t.Fatalf("%s: %d is to move", text, v.turns[i])
					}
					if isOver {
						over++
					}
				}
			})
			if over == 0 {
				t.Error("no game has ended")
			}
		})
	}
}

// TestGamesTexts reads the texts of positions again, and moves by their texts.
func TestGamesTexts(t *testing.T) {
	for _, word := range []string{"quixo:3", "nim:4", "uttt:9", "connect4-4x4:1", "notakto:3+3", "dawson:7", "othello:4"} {
		g, again := newGames(t, word, 3), newGames(t, word, 3)
		moves := Fields{make([]byte, g.ActionCount()*64), 64}
		played(t, g, 7, func(v *view) {
			if err := again.Set(v.texts); err != nil || !slices.Equal(statesOf(again), statesOf(g)) {
				t.Fatalf("%s: %q is read as %v, %v", word, v.texts.Bytes, statesOf(again), err)
			}
			if err := g.Moves(1, moves); err != nil {
				t.Fatal(err)
			}
			for a := range int32(g.ActionCount()) {
				text, legal := moves.get(int(a)), v.legal[g.ActionCount()+int(a)] == 1
				m, ok := moveOf(g, 1, a)
				if legal != (text != "") || legal != ok {
					t.Fatalf("%s: action %d is called %q", word, a, text)
				}
				if named, err := g.Rules.ParseMove(g.games[1].state, text); legal && (err != nil || named != m) {
					t.Fatalf("%s: action %d is %v, and %q is %v, %v", word, a, m, text, named, err)
				}
			}
		})
	}
}

// TestGamesRefuse checks that what is wrong changes nothing.
func TestGamesRefuse(t *testing.T) {
	g := newGames(t, "quixo:3", 2)
	before := statesOf(g)
	for _, actions := range [][]int32{{0, 1000}, {0, -2}, {0, 1 << 30}, {-1 << 31, 0}, {0, int32(g.ActionCount())}} {
		if err := g.Step(actions); StatusOf(err) != Input || !slices.Equal(statesOf(g), before) {
			t.Errorf("%v: %v, %v", actions, statesOf(g), err)
		}
	}
	if err := g.Set(Fields{[]byte("XXX/OOO/... xo?X/.../... x"), 13}); StatusOf(err) != Input || !strings.Contains(err.Error(), "position 1") {
		t.Errorf("%v", err)
	}
	if err := g.Set(Fields{[]byte("XXX/OOO/... x" + strings.Repeat("\x00", 13)), 13}); err != nil || g.games[1].state != before[1] || len(g.games[0].legal) != 0 {
		t.Errorf("%v, %v", statesOf(g), err)
	}
	if err := g.Step([]int32{0, Leave}); StatusOf(err) != Input {
		t.Errorf("a move after the end: %v", err)
	}
	narrow := Fields{make([]byte, 10), 5}
	if err := g.Observe(narrow, make([]byte, 2*g.ActionCount()), make([]byte, 2), make([]int8, 2)); StatusOf(err) != Input {
		t.Errorf("narrow fields: %v", err)
	}
	for _, number := range []uint64{2, 1 << 63} {
		if err := g.Moves(number, Fields{make([]byte, 100*g.ActionCount()), 100}); StatusOf(err) != Input {
			t.Errorf("game %d: %v", number, err)
		}
	}
	values := make([]Value, 2)
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), "none")} {
		if err := g.Rate(dir, values, nil); StatusOf(err) != NoTable {
			t.Errorf("no table: %v", err)
		}
	}
	for _, word := range []string{"", "quixo", "quixo:1", "chess:8", "quixo:4:4", "notakto:3+", strings.Repeat("q", 5000)} {
		if _, err := NewGames(word, 1); StatusOf(err) != Input {
			t.Errorf("%.20q: %v", word, err)
		}
	}
	for _, count := range []uint64{0, MaxGames + 1, 1 << 63} {
		if _, err := NewGames("quixo:3", count); StatusOf(err) != Input {
			t.Errorf("%d games: %v", count, err)
		}
	}
	nim := newGames(t, "nim:3", 1)
	if err := nim.Set(Fields{[]byte("15/2/3"), 6}); StatusOf(err) != Input || !strings.Contains(err.Error(), "a move that no action stands for") {
		t.Errorf("more counters than at the start: %v", err)
	}
	if err := nim.Rate("", values[:1], make([]Value, nim.ActionCount())); err != nil || nim.Rules.Format(nim.games[0].state) != "1/3/5" {
		t.Errorf("after it: %v, %v", statesOf(nim), err)
	}
	if err := nim.Draw(1); StatusOf(err) != Input {
		t.Errorf("a drawn position of Nim: %v", err)
	}
}

// TestGamesRate compares rated actions with the answers of a table, and of Nim with the nimbers.
func TestGamesRate(t *testing.T) {
	dir := t.TempDir()
	table, err := backsolve.Solve(t.Context(), dir, "quixo 3", backsolve.Options{Steps: true})
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	g := newGames(t, "quixo:3", 50)
	if err := g.Draw(1); err != nil {
		t.Fatal(err)
	}
	values, actions := make([]Value, 50), make([]Value, 50*g.ActionCount())
	if err := g.Rate(dir, values, actions); err != nil {
		t.Fatal(err)
	}
	for i, s := range statesOf(g) {
		answer, err := table.Ask(g.Rules.Format(s))
		if err != nil || values[i] != (Value{int32(answer.Outcome), int32(answer.Steps)}) {
			t.Fatalf("%s: %v, %v", g.Rules.Format(s), values[i], err)
		}
		known := 0
		for a, v := range actions[i*g.ActionCount() : (i+1)*g.ActionCount()] {
			m, legal := moveOf(g, i, int32(a))
			if !legal {
				if v != (Value{Leave, Leave}) {
					t.Fatalf("action %d of %s is %v", a, answer.Position, v)
				}
				continue
			}
			known++
			at := slices.IndexFunc(answer.Moves, func(r backsolve.Move) bool { return r.Move == g.Rules.FormatMove(m) })
			if at < 0 || (Value{int32(answer.Moves[at].Outcome), int32(answer.Moves[at].Steps)}) != v {
				t.Fatalf("%s of %s is %v", g.Rules.FormatMove(m), answer.Position, v)
			}
		}
		if known != len(answer.Moves) {
			t.Fatalf("%d moves of %s are known", known, answer.Position)
		}
	}
	nim := newGames(t, "nim:3", 1)
	if err := nim.Rate(os.DevNull, values[:1], nil); err != nil || values[0].Outcome != 1 {
		t.Errorf("1/3/5 is %v, %v", values[0], err)
	}
}
