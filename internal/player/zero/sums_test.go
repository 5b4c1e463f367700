package zero

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/internal/player"
)

// The views of games that are sums are over where the game is, and their actions lead to
// the states that the game's moves lead to: all of these, each by a legal move.
func TestViewsOfSums(t *testing.T) {
	if testing.Short() {
		t.Skip("one thread, and long under the race detector")
	}
	for _, c := range []struct {
		name string
		n    int
		e    Encoding
	}{
		{"nim", 1, Encoding{}},
		{"nim", 4, Encoding{Heaps: Unary, Parity: true}},
		{"nim", 4, Encoding{Canonical: HeapOrder}},
		{"nim-misere", 4, Encoding{Canonical: HeapOrder, Heaps: Unary}},
		{"nim", 8, Encoding{Canonical: HeapOrder, Parity: true}},
		{"nim", 20, Encoding{}},
		{"nim", 20, Encoding{Canonical: HeapOrder, Heaps: UnaryLast}},
		{"dawson", 1, Encoding{}},
		{"dawson", 9, Encoding{Parity: true}},
		{"dawson", 9, Encoding{Canonical: RowOrder}},
		{"dawson-normal", 12, Encoding{Canonical: RowOrder, Parity: true}},
		{"dawson", 26, Encoding{Canonical: RowOrder}},
	} {
		rules := newRules(t, c.name, c.n)
		v := newView(t, rules, c.e)
		if start, _ := v.Of(rules.Start()); start != v.Start() {
			t.Errorf("%v begins with %v, want %v", rules.Info(), v.Start(), start)
		}
		inputs := make([]float32, v.Inputs())
		for _, p := range some(rules, 7, 2000) {
			s, move := v.Of(p)
			outcome, over := v.Terminal(s)
			if o, is := rules.Terminal(p); o != outcome || is != over {
				t.Fatalf("%s: %v %t", rules.Format(p), outcome, over)
			}
			legal := rules.Moves(nil, p)
			want, got := map[State]bool{}, map[State]bool{}
			for _, m := range legal {
				after, _ := v.Of(rules.Play(p, m))
				want[after] = true
			}
			actions := v.Legal(nil, s)
			for _, a := range actions {
				m := move(int(a))
				if int(a) >= v.Actions() || !slices.Contains(legal, m) {
					t.Fatalf("%s: action %d is %v, which is no move", rules.Format(p), a, m)
				}
				if after, _ := v.Of(rules.Play(p, m)); after != v.Play(s, int(a)) {
					t.Fatalf("%s: %s leads to %v, want %v", rules.Format(p), rules.FormatMove(m), v.Play(s, int(a)), after)
				}
				got[v.Play(s, int(a))] = true
			}
			if !maps.Equal(got, want) || !slices.IsSorted(actions) {
				t.Fatalf("%s: actions %v lead to %v, want %v", rules.Format(p), actions, got, want)
			}
			v.Encode(inputs, s)
		}
	}
}

// Sums of the same parts in another order are one state, and no others are: of four heaps there
// are C(13, 4)/5.
func TestOrderOfSums(t *testing.T) {
	rules := newRules(t, "nim", 4)
	v := newView(t, rules, Encoding{Canonical: HeapOrder})
	states := map[State]bool{}
	for _, p := range some(rules, 1, 1<<20) {
		s, _ := v.Of(p)
		states[s] = true
	}
	if len(states) != 143 {
		t.Errorf("%d states of Nim, want 143", len(states))
	}
	chess := newRules(t, "dawson", 9)
	known, ok := game.ExactOf(chess)
	if !ok {
		t.Fatal("Dawson's chess has no keys")
	}
	v = newView(t, chess, Encoding{Canonical: RowOrder})
	byKey, byState := map[uint64]State{}, map[State]uint64{}
	for _, p := range some(chess, 1, 1<<20) {
		s, _ := v.Of(p)
		key := known.Key(p)
		if other, met := byKey[key]; met && other != s {
			t.Fatalf("%s: %v, but a position of the same key has %v", chess.Format(p), s, other)
		}
		if other, met := byState[s]; met && other != key {
			t.Fatalf("%s: other rows have its state %v", chess.Format(p), s)
		}
		byKey[key], byState[s] = s, key
	}
}

func TestEncodeSums(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int
		text string
		e    Encoding
		want []float32
	}{
		{"nim", 2, "1/2", Encoding{}, []float32{1, 0, 0, 0, 0, 1, 0, 0}},
		{"nim", 3, "1/0/2 o", Encoding{Canonical: HeapOrder, Parity: true}, []float32{0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0}},
		{"nim", 3, "0/3/2", Encoding{Heaps: Unary}, []float32{0, -1, 1, 1, 1, -1, 1, 1, 0, 0, 0}},
		{"nim", 3, "0/3/2", Encoding{Heaps: Unary, Canonical: HeapOrder, Parity: true}, []float32{0, -1, 1, 1, 0, -1, 1, 1, 1, 0, 0, 1, 0}},
		{"nim", 3, "0/3/2", Encoding{Heaps: UnaryLast}, []float32{0, -1, 1, 1, 1, -1, 0, 0, 0, 1, 1}},
		{"nim", 3, "2/0/1", Encoding{Heaps: UnaryLast, Most: "2/1/1"}, []float32{1, 1, -1, 0, -1, 1}},
		{"nim", 9, "0/1/0/0/0/0/0/0/17", Encoding{}, slices.Concat(make([]float32, 6), []float32{1}, make([]float32, 41), []float32{1, 0, 0, 0, 1, 0})},
		{"dawson", 6, ".-X-..", Encoding{Parity: true}, []float32{1, 0, 0, 0, 1, 1, 1, 0}},
		{"dawson", 6, ".-X-..", Encoding{Canonical: RowOrder}, []float32{1, 1, 0, 1, 0, 0}},
	} {
		rules := newRules(t, c.name, c.n)
		v := newView(t, rules, c.e)
		p, err := rules.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		s, _ := v.Of(p)
		got := slices.Repeat([]float32{9}, v.Inputs())
		if v.Encode(got, s); !slices.Equal(got, c.want) {
			t.Errorf("%s %s: %v, want %v", c.name, c.text, got, c.want)
		}
	}
	// As published, 5 heaps have 29 inputs and 25 actions.
	if v := newView(t, newRules(t, "nim", 5), Encoding{Heaps: Unary}); v.Inputs() != 29 || v.Actions() != 25 {
		t.Errorf("%d inputs, %d actions", v.Inputs(), v.Actions())
	}
}

// An agent of Nim plays where the start leads to, and says of other heaps that it cannot.
func TestAgentOfNim(t *testing.T) {
	rules := newRules(t, "nim", 3)
	for _, order := range []Group{NoGroup, HeapOrder} {
		w := newWeights(t, "nim", 3, Encoding{Canonical: order})
		w.Search = Search{Constant: 1, Proved: true}
		a := newAgent(t, w, 20000)
		for text, sees := range map[string]bool{"1/2/5": true, "3/3/1": order == HeapOrder, "0/0/6": false, "5/1/1": order == HeapOrder} {
			p, err := rules.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			begun, err := a.Begin(1)
			if err != nil {
				t.Fatal(err)
			}
			m, err := player.Move(context.Background(), begun, p)
			if !sees {
				if err == nil || !strings.Contains(err.Error(), "play does not lead there") {
					t.Errorf("%s in %s: %v, %v", order, text, m, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			// The tree is proved within these simulations: what is left has no nimber.
			known, _ := game.ExactOf(rules)
			if known.Nimber(p) != 0 && known.Nimber(rules.Play(p, m)) != 0 {
				t.Errorf("%s in %s: %s", order, text, rules.FormatMove(m))
			}
		}
	}
}

// About the share of states is held out, of each seed others, of no share none.
func TestHeldOut(t *testing.T) {
	const states = 20000
	both, one := 0, 0
	for i := range uint64(states) {
		s := State{i, i % 3}
		if HeldOut(0, 1, s) || !HeldOut(1, 1, s) {
			t.Fatal("a share of 0 or 1 is not that")
		}
		if HeldOut(0.2, 1, s) {
			one++
			if HeldOut(0.2, 2, s) {
				both++
			}
			if !HeldOut(0.3, 1, s) {
				t.Fatal("a larger share lacks what a smaller one has")
			}
		}
	}
	if one < states*19/100 || one > states*21/100 || both < states*3/100 || both > states*5/100 {
		t.Errorf("%d are held out of %d, %d by both seeds", one, states, both)
	}
}
