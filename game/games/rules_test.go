package games

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"backsolve/bitboard"
	"backsolve/game"
)

// variants are some boards that are not n×n or not played by the usual rules.
var variants = []string{
	"notakto:1x4", "notakto:4x5", "notakto:8x7,normal", "notakto:1x26", "notakto:2x18", "notakto:3x3,normal", "notakto:4x4,no-diagonals", "notakto:5x5,torus,normal",
	"quixo:2x5", "quixo:5x4,three,both-win", "quixo:5x5,both-draw", "quixo:5x5,four", "quixo:6x8,both-win", "quixo:12x2,both-draw",
	"tictactoe:3x4", "tictactoe:8x6,five", "tictactoe:2x12,eleven", "tictactoe:3x3,misere", "tictactoe:5x4,three,misere",
}

// everyRules runs a test on each n×n board of each game and on the variants.
func everyRules(t *testing.T, test func(t *testing.T, r game.Rules)) {
	each := func(r game.Rules) {
		t.Run(r.Info().Name+"-"+r.Info().Variant, func(t *testing.T) { test(t, r) })
	}
	for _, g := range All() {
		for _, n := range g.Sizes() {
			each(g.New(n))
		}
	}
	for _, word := range variants {
		name, size, _, err := Named(word)
		if err != nil {
			t.Fatal(err)
		}
		g, _ := Lookup(name)
		each(g.New(size))
	}
}

// everyBoard runs a test on each board that is a grid.
func everyBoard(t *testing.T, test func(t *testing.T, r game.Grid)) {
	everyRules(t, func(t *testing.T, r game.Rules) {
		if g, ok := game.GridOf(r); ok {
			test(t, g)
		}
	})
}

// drawPosition draws any state: each cell is empty or has one of the marks. Sparse boards are
// frequent, as nearly all full ones are over.
func drawPosition(t *rapid.T, r game.Grid) game.Position {
	all := bitboard.All(r.Size())
	a, b := rapid.Uint64().Draw(t, "a")&all, rapid.Uint64().Draw(t, "b")&all
	sparse := ^uint64(0)
	if rapid.Bool().Draw(t, "sparse") {
		sparse = rapid.Uint64().Draw(t, "mask")
	}
	p := game.Position{X: a & sparse}
	if r.Marks() == 2 {
		p.O = b & sparse &^ a
		p.Mark = rapid.SampledFrom([]game.Side{game.X, game.O}).Draw(t, "to move")
	}
	return p
}

func TestIdentity(t *testing.T) {
	for _, g := range All() {
		for _, n := range g.Sizes() {
			if i := g.New(n).Info(); i.Name != g.Name || i.Size != n || i.Title != g.Title || i.Summary != g.Summary || i.Variant == "" || i.MoveForm == "" {
				t.Errorf("the rules of %s of size %d call themselves %+v", g.Name, n, i)
			}
		}
		if g.Title == "" || g.Summary == "" {
			t.Errorf("%s has no title or no summary", g.Name)
		}
		for tag, title := range g.Titles {
			if title == "" || title == g.Title {
				t.Errorf("%s is called %q in %s, which need not be said", g.Name, title, tag)
			}
		}
	}
}

func TestExampleAndStart(t *testing.T) {
	everyRules(t, func(t *testing.T, r game.Rules) {
		for _, text := range []string{r.Example(), r.Format(r.Start())} {
			p, err := r.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Format(p); got != text {
				t.Errorf("%q is printed as %q", text, got)
			}
			if _, over := r.Terminal(p); over {
				t.Errorf("%q is over", text)
			}
		}
		if r.Turn(r.Start()) != game.X {
			t.Errorf("at the start it is the turn of %v", r.Turn(r.Start()))
		}
	})
}

func TestTextOfPositions(t *testing.T) {
	everyBoard(t, func(t *testing.T, r game.Grid) {
		rapid.Check(t, func(t *rapid.T) {
			p := drawPosition(t, r)
			text := r.Format(p)
			if appended := r.AppendFormat([]byte("p="), p); string(appended) != "p="+text {
				t.Fatalf("%s is appended as %s", text, appended)
			}
			if got, err := r.Parse(" \t" + text + "\r\n"); err != nil || got != p {
				t.Errorf("%q is read as %v, %v; it was %v", text, got, err, p)
			}
		})
	})
}

// A random game alternates the players and ends. Texts of positions and moves parse back
// to the same values. States are comparable values that further moves do not change.
func TestRandomGames(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector")
	}
	defer flag.Set("rapid.checks", flag.Lookup("rapid.checks").Value.String())
	flag.Set("rapid.checks", "40") // games each
	everyRules(t, func(t *testing.T, r game.Rules) {
		rapid.Check(t, func(t *rapid.T) {
			s, turn := r.Start(), game.X
			for plies := 0; plies < 40; plies++ {
				if got := r.Turn(s); got != turn {
					t.Fatalf("%s: it is the turn of %v, want %v", r.Format(s), got, turn)
				}
				text := r.Format(s)
				if again, err := r.Parse(text); err != nil || again != s {
					t.Fatalf("%s is read as %v, %v", text, again, err)
				}
				if appended := r.AppendFormat([]byte("p="), s); string(appended) != "p="+text {
					t.Fatalf("%s is appended as %s", text, appended)
				}
				moves := r.Moves(nil, s)
				_, over := r.Terminal(s)
				if winner, won := game.Winner(r, s); won && (!over || winner != turn && winner != turn.Other()) {
					t.Fatalf("%s: won by %v, over: %t", text, winner, over)
				}
				if over != (len(moves) == 0) {
					t.Fatalf("%s: over is %t, but there are %d moves", text, over, len(moves))
				}
				if over {
					return
				}
				if !slices.IsSortedFunc(moves, func(a, b game.Move) int { return strings.Compare(r.FormatMove(a), r.FormatMove(b)) }) {
					t.Fatalf("%s: the moves are not ordered by their text", text)
				}
				m := rapid.SampledFrom(moves).Draw(t, "move")
				if again, err := r.ParseMove(s, r.FormatMove(m)); err != nil || again != m {
					t.Fatalf("%s: the move %s is read as %v, %v", text, r.FormatMove(m), again, err)
				}
				next := r.Play(s, m)
				if r.Format(s) != text || next == s {
					t.Fatalf("%s: %s changes the position itself, or nothing", text, r.FormatMove(m))
				}
				s, turn = next, turn.Other()
			}
		})
	})
}

// TestMoves checks what the rules say of Moves, Play, ParseMove and FormatMove.
func TestMoves(t *testing.T) {
	everyBoard(t, func(t *testing.T, r game.Grid) {
		every := everyMove(r.Size())
		rapid.Check(t, func(t *rapid.T) {
			p := drawPosition(t, r)
			moves := r.Moves(nil, p)
			if _, over := r.Terminal(p); over != (len(moves) == 0) {
				t.Fatalf("%s: over is %t, but there are %d moves", r.Format(p), over, len(moves))
			}
			text := func(a, b game.Move) int { return strings.Compare(r.FormatMove(a), r.FormatMove(b)) }
			if !slices.IsSortedFunc(moves, text) || len(slices.Compact(slices.Clone(moves))) != len(moves) {
				t.Fatalf("%s: the moves %v are not ordered by text, each once", r.Format(p), moves)
			}
			for _, m := range moves {
				next := r.Play(p, m)
				if got, err := r.Parse(r.Format(next)); err != nil || got != next {
					t.Fatalf("%s: %s leads to %v, which cannot be written", r.Format(p), r.FormatMove(m), next)
				}
				if r.Marks() == 2 && next.Mark != p.Mark.Other() {
					t.Fatalf("%s: %s leaves the same side to move", r.Format(p), r.FormatMove(m))
				}
			}
			texts := every
			if len(every) > 300 {
				texts = rapid.SliceOfN(rapid.SampledFrom(every), 50, 50).Draw(t, "texts")
				for _, m := range moves {
					texts = append(texts, r.FormatMove(m))
				}
			}
			for _, text := range texts {
				m, err := r.ParseMove(p, text)
				legal := slices.ContainsFunc(moves, func(m game.Move) bool { return r.FormatMove(m) == text })
				if legal && (err != nil || r.FormatMove(m) != text) {
					t.Fatalf("%s: the legal move %s is read as %v, %v", r.Format(p), text, m, err)
				}
				var syntax *game.SyntaxError
				var illegal *game.IllegalMoveError
				if !legal && !errors.As(err, &syntax) && !errors.As(err, &illegal) {
					t.Fatalf("%s: the illegal move %s gives %v", r.Format(p), text, err)
				}
			}
		})
	})
}

// everyMove returns the names of all cells and of all pairs of cells.
func everyMove(size int) []string {
	var cells []string
	for c := range game.Size(size).Cells() {
		cells = append(cells, game.CellName(size, c))
	}
	every := slices.Clone(cells)
	for _, a := range cells {
		for _, b := range cells {
			every = append(every, a+b)
		}
	}
	return every
}

func TestMovesAppends(t *testing.T) {
	everyRules(t, func(t *testing.T, r game.Rules) {
		mine := game.Move{From: 77, To: 78}
		moves := r.Moves([]game.Move{mine}, r.Start())
		if len(moves) < 2 || moves[0] != mine || !slices.Equal(moves[1:], r.Moves(nil, r.Start())) {
			t.Errorf("%v is not what was there and the moves behind it", moves)
		}
	})
}

// TestColoursAreAlike swaps the players where there are two colours.
func TestColoursAreAlike(t *testing.T) {
	everyBoard(t, func(t *testing.T, r game.Grid) {
		if r.Marks() == 1 {
			t.Skip("one colour")
		}
		swap := func(p game.Position) game.Position {
			return game.Position{X: p.O, O: p.X, Mark: p.Mark.Other()}
		}
		rapid.Check(t, func(t *rapid.T) {
			p := drawPosition(t, r)
			a, overA := r.Terminal(p)
			b, overB := r.Terminal(swap(p))
			if a != b || overA != overB {
				t.Fatalf("%s: %v, the other colour %v", r.Format(p), a, b)
			}
			moves := r.Moves(nil, p)
			if !slices.Equal(moves, r.Moves(nil, swap(p))) {
				t.Fatalf("%s: the other colour has other moves", r.Format(p))
			}
			for _, m := range moves {
				if swap(r.Play(p, m)) != r.Play(swap(p), m) {
					t.Fatalf("%s: %s is another move for the other colour", r.Format(p), r.FormatMove(m))
				}
			}
		})
	})
}

func TestNoAllocation(t *testing.T) {
	everyBoard(t, func(t *testing.T, r game.Grid) {
		p, err := r.Parse(r.Example())
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]game.Move, 0, 256)
		allocs := testing.AllocsPerRun(100, func() {
			for _, m := range r.Moves(buf, p) {
				r.Terminal(r.Play(p, m))
			}
		})
		if allocs != 0 {
			t.Errorf("Moves, Play and Terminal allocate %v times", allocs)
		}
	})
}

// FuzzParse accepts a position that is printed as it was read, or an error that
// points into the text.
func FuzzParse(f *testing.F) {
	for i, g := range All() {
		for _, n := range g.Sizes() {
			example := g.New(n).Example()
			f.Add(i, n, example)
			f.Add(i, n, " "+strings.TrimSuffix(example, " x")+" o\n")
			f.Add(i, n, example[:len(example)/2])
			f.Add(i, n, example[:n-1]+"\xff€/"+example)
		}
	}
	f.Fuzz(func(t *testing.T, which, n int, text string) {
		if which < 0 || which >= len(All()) {
			return
		}
		r, err := New(All()[which].Name, n)
		if err != nil {
			return
		}
		p, err := r.Parse(text)
		if err != nil {
			checkSyntaxError(t, err, text)
			return
		}
		printed := r.Format(p)
		if again, err := r.Parse(printed); err != nil || again != p {
			t.Errorf("%q is printed as %q, which is read as %v, %v", text, printed, again, err)
		}
		// The side to move may be omitted from the output, but is always accepted.
		if read := strings.TrimSpace(text); !strings.HasPrefix(printed, strings.TrimSuffix(read, " x")) {
			t.Errorf("%q is printed as %q", text, printed)
		}
	})
}

func checkSyntaxError(t *testing.T, err error, text string) {
	t.Helper()
	var syntax *game.SyntaxError
	if !errors.As(err, &syntax) {
		t.Fatalf("%T is not a *SyntaxError: %v", err, err)
	}
	if syntax.Text != text || syntax.Reason == "" || syntax.Example == "" {
		t.Errorf("a part of %+v is missing", syntax)
	}
	if syntax.Column < 1 || syntax.Column > utf8.RuneCountInString(text)+1 {
		t.Errorf("column %d is not in %q", syntax.Column, text)
	}
	if len(err.Error()) > 600 {
		t.Errorf("the message has %d bytes", len(err.Error()))
	}
}

func FuzzParseMove(f *testing.F) {
	for i, g := range All() {
		for _, text := range []string{"a1", "c1a1", "", " b2 ", "a", "a1a1a1", "ä1", "\xff", " pass", "c5", "b16", "a01", "1b2", "2c3", "1b", "d3", "i9"} {
			f.Add(i, max(3, g.MinSize), text)
		}
	}
	f.Fuzz(func(t *testing.T, which, n int, text string) {
		if which < 0 || which >= len(All()) {
			return
		}
		r, err := New(All()[which].Name, n)
		if err != nil {
			return
		}
		example, err := r.Parse(r.Example())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []game.State{r.Start(), example} {
			checkMoveText(t, r, s, text)
		}
	})
}

// checkMoveText reads a text as a move of a position: either it is one of the rules' moves and is
// printed as it was read, or it is refused with a reason.
func checkMoveText(t *testing.T, r game.Rules, s game.State, text string) {
	t.Helper()
	m, err := r.ParseMove(s, text)
	var illegal *game.IllegalMoveError
	switch {
	case err == nil:
		if r.FormatMove(m) != strings.TrimSpace(text) || !slices.Contains(r.Moves(nil, s), m) {
			t.Errorf("%s: %q is printed as %q", r.Format(s), text, r.FormatMove(m))
		}
	case errors.As(err, &illegal):
		if illegal.Move != strings.TrimSpace(text) || illegal.Reason == "" {
			t.Errorf("%s: %q is refused as %+v", r.Format(s), text, illegal)
		}
	default:
		checkSyntaxError(t, err, text)
	}
}

// TestHostileLengths refuses a megabyte with a short message, and quickly: a
// slow way would show as minutes.
func TestHostileLengths(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector")
	}
	everyRules(t, func(t *testing.T, r game.Rules) {
		for _, part := range []string{"X", ".", "/", " ", "\x00", "\xff", "é", r.Example() + "\n", r.Example() + "/"} {
			text := strings.Repeat(part, 1<<16/len(part))
			_, err := r.Parse(text)
			checkSyntaxError(t, err, text)
			_, err = r.ParseMove(r.Start(), text)
			checkSyntaxError(t, err, text)
		}
	})
}

func BenchmarkRules(b *testing.B) {
	for _, board := range []struct {
		name string
		n    int
	}{{"notakto", 4}, {"notakto", 6}, {"quixo", 4}, {"quixo", 5}} {
		r, err := NewGrid(board.name, board.n)
		if err != nil {
			b.Fatal(err)
		}
		p, err := r.Parse(r.Example())
		if err != nil {
			b.Fatal(err)
		}
		moves := r.Moves(nil, p)
		name := fmt.Sprintf("%s-%dx%d", board.name, board.n, board.n)
		b.Run(name+"/Terminal", func(b *testing.B) {
			for b.Loop() {
				r.Terminal(p)
			}
		})
		b.Run(name+"/Moves", func(b *testing.B) {
			buf := slices.Clone(moves)
			for b.Loop() {
				buf = r.Moves(buf[:0], p)
			}
		})
		b.Run(name+"/Play", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				r.Play(p, moves[i%len(moves)])
			}
		})
	}
}
