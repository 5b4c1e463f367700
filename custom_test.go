package backsolve_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"backsolve"
	"backsolve/game"
	"backsolve/game/examples/connect4"
	"backsolve/internal/probe"
)

// A file of rules is a board of the library.
func TestRules(t *testing.T) {
	dir, rules := t.TempDir(), "game/wasm/testdata/take21.wasm"
	if _, err := backsolve.Open(dir, rules); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before it is solved: %v", err)
	}
	table, err := backsolve.Solve(t.Context(), dir, rules, backsolve.Options{Steps: true})
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	found, err := backsolve.OpenFile(filepath.Join(dir, "take-21.tb"))
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	source, err := os.ReadFile(rules)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "other.wasm") // with a section that says nothing
	if err := os.WriteFile(other, append(source, 0, 2, 1, 'x'), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := backsolve.Open(dir, other); !errors.Is(err, backsolve.ErrBadTable) {
		t.Errorf("by other bytes: %v", err)
	}
	if _, err := backsolve.Solve(t.Context(), dir, other, backsolve.Options{Steps: true}); !errors.Is(err, backsolve.ErrBadTable) {
		t.Errorf("solved by other bytes: %v", err)
	}
	for _, table := range []*backsolve.Table{table, found} {
		if a, err := table.Ask("18"); err != nil || a.Value != (backsolve.Value{Outcome: backsolve.Win, Steps: 9}) || a.Moves[0].Move != "16" {
			t.Errorf("18 is answered by %+v, %v", a, err)
		}
	}
}

// A game of your own is solved, asked, verified and found again.
func TestGameTable(t *testing.T) {
	dir := t.TempDir()
	g, err := connect4.New(4, 4, true)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time it is there
		table, err := backsolve.SolveGame[connect4.State](t.Context(), dir, g, backsolve.Options{Steps: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(table.Verify(t.Context(), backsolve.Options{Steps: true}), table.Close()); err != nil {
			t.Fatal(err)
		}
	}
	table, err := backsolve.OpenGame[connect4.State](dir, g)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	s, err := g.Parse("..../..../.OO./.XXX")
	if err != nil {
		t.Fatal(err)
	}
	if v, err := table.Value(s); err != nil || v.Outcome == backsolve.Win {
		t.Errorf("the threat is %v, %v", v, err)
	}
	moves, err := table.Moves(s)
	if err != nil || len(moves) != 4 || moves[0].Name != "a1" || moves[0].Value.Outcome == backsolve.Lose {
		t.Errorf("the moves are %v, %v; a alone stops four in a row", moves, err)
	}
	for _, m := range moves[1:] {
		if m.Value != (backsolve.Value{Outcome: backsolve.Lose, Steps: 2}) {
			t.Errorf("%s is %v", m.Name, m.Value)
		}
	}
	answer, err := table.Ask("startpos")
	if err != nil || len(answer.Moves) != 4 || answer.Value != (backsolve.Value{Outcome: backsolve.Draw, Steps: -1}) {
		t.Errorf("the start is answered by %+v, %v", answer, err)
	}
	if _, err := table.Value(connect4.State{}); err != nil {
		t.Error(err)
	}
	never, err := g.Parse("..../..../XXXX/OOOO") // both have won
	if err == nil {
		_, err = table.Value(never)
	}
	if !errors.Is(err, backsolve.ErrUnreached) {
		t.Errorf("a position that play cannot reach: %v", err)
	}

	// A table under another game's name is refused.
	other, err := connect4.New(4, 5, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Link(backsolve.GamePath[connect4.State](dir, g), backsolve.GamePath[connect4.State](dir, other)); err != nil {
		t.Fatal(err)
	}
	if _, err := backsolve.OpenGame[connect4.State](dir, other); !errors.Is(err, probe.ErrOtherBoard) {
		t.Errorf("another game's table: %v", err)
	}
}

// ones is a game with one heap from which one or two counters are taken; whoever takes the last one wins.
type ones struct{}

func (ones) Name() string                        { return "ones" }
func (ones) Start() int                          { return 10 }
func (ones) Terminal(s int) (game.Outcome, bool) { return game.Lose, s == 0 }
func (ones) Moves(dst []int, s int) []int {
	for n := 1; n <= min(2, s); n++ {
		dst = append(dst, s-n)
	}
	return dst
}
func (ones) Key(s int) uint64                     { return uint64(s) }
func (ones) FromKey(key uint64) int               { return int(key) }
func (ones) Format(s int) string                  { return strings.Repeat("|", s) + "." }
func (ones) Parse(text string) (s int, err error) { return len(text) - 1, nil }

func ExampleSolveGame() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	table, err := backsolve.SolveGame[int](context.Background(), dir, ones{}, backsolve.Options{Steps: true})
	if err != nil {
		panic(err)
	}
	defer table.Close()
	value, err := table.Value(10)
	if err != nil {
		panic(err)
	}
	fmt.Println(value)
	// Output: win in 7
}

// BenchmarkGameValue is a warm probe of a table in memory, with the canonical key of the
// position: mirror images have one key.
func BenchmarkGameValue(b *testing.B) {
	g, err := connect4.New(4, 5, true)
	if err != nil {
		b.Fatal(err)
	}
	table, err := backsolve.SolveGame[connect4.State](b.Context(), b.TempDir(), g, backsolve.Options{Steps: true})
	if err != nil {
		b.Fatal(err)
	}
	defer table.Close()
	var positions []connect4.State
	r := rand.New(rand.NewPCG(1, 1))
	for range 1 << 16 {
		s := g.Start()
		for n := r.IntN(20); n > 0; n-- {
			if _, over := g.Terminal(s); over {
				break
			}
			after := g.Moves(nil, s)
			s = after[r.IntN(len(after))]
		}
		positions = append(positions, s)
	}
	for i := 0; b.Loop(); i++ {
		if _, err := table.Value(positions[i%len(positions)]); err != nil {
			b.Fatal(err)
		}
	}
}
