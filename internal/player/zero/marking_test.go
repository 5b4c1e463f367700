package zero

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/game/games"
)

func newRules(t testing.TB, name string, n int) game.Rules {
	t.Helper()
	rules, err := games.New(name, n)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func newView(t testing.TB, rules game.Rules, e Encoding) View {
	t.Helper()
	v, err := NewView(rules, e)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// some returns positions that play reaches, the start among them.
func some(rules game.Rules, each, most int) (positions []game.State) {
	seen := map[game.State]bool{}
	queue := []game.State{rules.Start()}
	for i := 0; i < len(queue) && len(queue) < most; i++ {
		for _, m := range rules.Moves(nil, queue[i]) {
			if next := rules.Play(queue[i], m); !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	for i := 0; i < len(queue); i += each {
		positions = append(positions, queue[i])
	}
	return positions
}

var encodings = []struct {
	name string
	n    int
	e    Encoding
}{
	{"notakto", 1, Encoding{}},
	{"notakto", 3, Encoding{Canonical: NoGroup, Parity: true}},
	{"notakto", 3, Encoding{Canonical: SquareGroup}},
	{"notakto", 4, Encoding{Canonical: LineGroup, Parity: true}},
	{"notakto", 6, Encoding{Canonical: LineGroup}},
	{"notakto", 8, Encoding{Canonical: SquareGroup}},
	{"tictactoe", 3, Encoding{Canonical: SquareGroup}},
	{"tictactoe", 4, Encoding{Canonical: LineGroup}},
	{"othello", 4, Encoding{Canonical: SquareGroup}},
	{"othello", 6, Encoding{}},
}

// A view is over where the game is, its actions are the game's moves, and each leads to
// the state of the position after the move.
func TestViewIsTheGame(t *testing.T) {
	if testing.Short() {
		t.Skip("one thread, and long under the race detector")
	}
	for _, c := range encodings {
		rules := newRules(t, c.name, c.n)
		v := newView(t, rules, c.e)
		if start, _ := v.Of(rules.Start()); start != v.Start() {
			t.Errorf("%v begins with %v, want %v", rules.Info(), v.Start(), start)
		}
		for _, p := range some(rules, 7, 8000) {
			checkState(t, rules, v, p)
		}
	}
}

// checkState compares the state of a position with the rules.
func checkState(t *testing.T, rules game.Rules, v View, p game.State) {
	t.Helper()
	s, move := v.Of(p)
	outcome, over := v.Terminal(s)
	if o, is := rules.Terminal(p); over && o != outcome || is != over {
		t.Fatalf("%s: %v %t", rules.Format(p), outcome, over)
	}
	var moves []game.Move
	actions := v.Legal(nil, s)
	for _, a := range actions {
		m := move(int(a))
		moves = append(moves, m)
		if after, _ := v.Of(rules.Play(p, m)); after != v.Play(s, int(a)) {
			t.Fatalf("%s: %s leads to %v, want %v", rules.Format(p), rules.FormatMove(m), v.Play(s, int(a)), after)
		}
	}
	legal := rules.Moves(nil, p)
	for _, moves := range [][]game.Move{legal, moves} {
		slices.SortFunc(moves, func(a, b game.Move) int { return cmp.Or(cmp.Compare(a.To, b.To), cmp.Compare(a.From, b.From)) })
	}
	if !slices.Equal(moves, legal) || !slices.IsSorted(actions) || len(actions) > 0 && int(slices.Max(actions)) >= v.Actions() {
		t.Fatalf("%s: moves %v, want %v", rules.Format(p), moves, legal)
	}
	v.Encode(make([]float32, v.Inputs()), s)
}

// Images of a position have one state, and other positions have others: as many as there are
// positions up to symmetry (Burnside's count).
func TestCanonical(t *testing.T) {
	for _, c := range []struct {
		group Group
		perms []bitboard.Perm
	}{{NoGroup, bitboard.SquareGroup(4)[:1]}, {SquareGroup, bitboard.SquareGroup(4)}, {LineGroup, bitboard.LineGroup(4)}} {
		v := newView(t, newRules(t, "notakto", 4), Encoding{Canonical: c.group})
		states, fixed := map[State]bool{}, 0
		for x := range uint64(1 << 16) {
			s, _ := v.Of(game.Position{X: x})
			states[s] = true
			for _, g := range c.perms {
				image := g.Apply(x)
				if image == x {
					fixed++
				}
				if x%97 == 0 {
					if other, _ := v.Of(game.Position{X: image}); other != s {
						t.Fatalf("%s: the image %#x of %#x is %v, not %v", c.group, image, x, other, s)
					}
				}
			}
		}
		if want := fixed / len(c.perms); len(states) != want {
			t.Errorf("%s: %d states, want %d", c.group, len(states), want)
		}
	}
}

func TestEncode(t *testing.T) {
	for _, c := range []struct {
		name, text string
		e          Encoding
		want       []float32
	}{
		{"notakto", "X../.X./...", Encoding{}, []float32{1, 0, 0, 0, 1, 0, 0, 0, 0}},
		// Six of the seven empty cells complete no line; c1 does.
		{"notakto", "X../.X./...", Encoding{Parity: true}, []float32{1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}},
		{"notakto", "X../.../...", Encoding{Parity: true}, []float32{1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0}},
		{"notakto", "XX./.../...", Encoding{Parity: true}, []float32{1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		{"notakto", "XX./..X/...", Encoding{Parity: true}, []float32{1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1}},
		{"tictactoe", "X.O/.../... x", Encoding{}, []float32{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}},
		{"tictactoe", "X.O/..X/... o", Encoding{}, []float32{0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0}},
		{"othello", "XO../..../..../...X x", Encoding{}, []float32{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		{"othello", "XO../..../..../...X o", Encoding{}, []float32{0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}},
	} {
		rules := newRules(t, c.name, strings.Index(c.text, "/"))
		v := newView(t, rules, c.e)
		p, err := rules.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		s, _ := v.Of(p)
		got := make([]float32, v.Inputs())
		for i := range got {
			got[i] = 9
		}
		if v.Encode(got, s); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.text, got, c.want)
		}
	}
}

func TestNoView(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int
		e    Encoding
		want string
	}{
		{"quixo", 4, Encoding{Canonical: LineGroup}, `"lines" are no symmetries that networks know of quixo 4×4; give none or square`},
		{"notakto", 16, Encoding{}, "networks see Notakto up to 13×13, which notakto 16×16 is not; choose another agent"},
		{"notakto", 12, Encoding{Canonical: LineGroup}, `"lines" are no symmetries that networks know of notakto 12×12; give none or square`},
		{"notakto", 3, Encoding{Heaps: Unary}, `"unary" is a way to show the heaps of Nim, and notakto 3×3 has none; leave it out`},
		{"notakto", 3, Encoding{Canonical: HeapOrder}, `"heaps" are no symmetries that networks know of notakto 3×3; give none or square or lines`},
		{"nim", 3, Encoding{Canonical: LineGroup}, `"lines" are no symmetries that networks know of nim 1-3-5; give none or heaps`},
		{"nim", 3, Encoding{Heaps: "roman"}, `"roman" is not a way to show heaps; give binary, unary or unary-last`},
		{"dawson", 9, Encoding{Canonical: HeapOrder}, `"heaps" are no symmetries that networks know of dawson 3×9; give none or rows`},
		{"tictactoe", 3, Encoding{Parity: true}, "the parities are inputs of Notakto, not of tictactoe; leave them out"},
		{"notakto", 3, Encoding{Canonical: "all"}, `"all" are no symmetries that networks know of notakto 3×3; give none or square or lines`},
		{"othello", 4, Encoding{Parity: true}, "the parities are inputs of Notakto, not of othello; leave them out"},
		{"othello", 6, Encoding{Canonical: LineGroup}, `"lines" are no symmetries that networks know of othello 6×6; give none or square`},
		{"othello", 6, Encoding{Canonical: RowOrder}, `"rows" are no symmetries that networks know of othello 6×6; give none or square`},
		{"othello", 6, Encoding{Heaps: Binary}, `"binary" is a way to show the heaps of Nim, and othello 6×6 has none; leave it out`},
	} {
		if _, err := NewView(newRules(t, c.name, c.n), c.e); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
