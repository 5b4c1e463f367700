package zero

import (
	"math/rand/v2"
	"slices"
	"testing"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/game/notakto"
)

// safeGame returns the positions of a game in which both play at random but complete no
// line while they need not.
func safeGame(rules game.Rules, r *rand.Rand) []game.State {
	positions := []game.State{rules.Start()}
	for {
		s := positions[len(positions)-1]
		moves := rules.Moves(nil, s)
		if len(moves) == 0 {
			return positions
		}
		r.Shuffle(len(moves), func(i, j int) { moves[i], moves[j] = moves[j], moves[i] })
		next := rules.Play(s, moves[0])
		for _, m := range moves {
			if after := rules.Play(s, m); !isOver(rules, after) {
				next = after
				break
			}
		}
		positions = append(positions, next)
	}
}

func isOver(rules game.Rules, s game.State) bool {
	_, over := rules.Terminal(s)
	return over
}

// The view of a wide board agrees with the rules in all positions of whole games; their
// images have one state.
func TestViewOfWideBoards(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 9))
	for _, n := range []int{9, 12, 13} {
		rules := newRules(t, "notakto", n)
		wide := notakto.NewWide(n)
		for _, e := range []Encoding{{Parity: true}, {Canonical: SquareGroup}} {
			v := newView(t, rules, e)
			if start, _ := v.Of(rules.Start()); start != v.Start() {
				t.Errorf("%v begins with %v", rules.Info(), start)
			}
			for i, s := range safeGame(rules, r) {
				if i%5 == 0 || isOver(rules, s) {
					checkState(t, rules, v, s)
				}
				if e.Canonical == NoGroup || e.Canonical == "" || i%10 != 0 {
					continue
				}
				state, _ := v.Of(s)
				for _, g := range bitboard.SquareGroup(n) {
					image := wide.Start()
					for cell := range n * n {
						if s.(notakto.Wide).Marked(cell) {
							image = image.Mark(int(g[cell]))
						}
					}
					if other, _ := v.Of(image); other != state {
						t.Fatalf("%s: an image has the state %v, not %v", rules.Format(s), other, state)
					}
				}
			}
		}
	}
}

// On boards that fit both views, the wide one has the states, moves, inputs and ends of the
// other.
func TestWideViewIsTheOther(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 10))
	for _, n := range []int{2, 5, 8} {
		for _, e := range []Encoding{{Parity: true}, {Canonical: SquareGroup}} {
			rules, wideRules := newRules(t, "notakto", n), game.Opaque[notakto.Wide](notakto.NewWide(n))
			v := newView(t, rules, e)
			wide, err := newWide(wideRules, e)
			if err != nil {
				t.Fatal(err)
			}
			if v.Inputs() != wide.Inputs() || v.Actions() != wide.Actions() {
				t.Fatalf("%d inputs and %d actions, want %d and %d", wide.Inputs(), wide.Actions(), v.Inputs(), v.Actions())
			}
			got, want := make([]float32, v.Inputs()), make([]float32, v.Inputs())
			for range 20 {
				for _, s := range safeGame(rules, r) {
					same, err := wideRules.Parse(rules.Format(s))
					if err != nil {
						t.Fatal(err)
					}
					one, move := v.Of(s)
					other, wideMove := wide.Of(same)
					actions := v.Legal(nil, one)
					if one != other || !slices.Equal(wide.Legal(nil, other), actions) {
						t.Fatalf("%s: %v, want %v", rules.Format(s), other, one)
					}
					v.Encode(want, one)
					wide.Encode(got, other)
					outcome, over := wide.Terminal(other)
					if o, is := v.Terminal(one); !slices.Equal(got, want) || o != outcome || is != over {
						t.Fatalf("%s: %v %t, inputs %v, want %v", rules.Format(s), outcome, over, got, want)
					}
					for _, a := range actions {
						if v.Play(one, int(a)) != wide.Play(other, int(a)) || rules.FormatMove(move(int(a))) != wideRules.FormatMove(wideMove(int(a))) {
							t.Fatalf("%s: action %d is another move", rules.Format(s), a)
						}
					}
				}
			}
		}
	}
}

// A network of a wide board plays by its file, and moves that lose at once are seen without
// the least image of what they lead to.
func TestAgentOfWideBoard(t *testing.T) {
	rules := newRules(t, "notakto", 12)
	w := newWeights(t, "notakto", 12, Encoding{Canonical: SquareGroup, Parity: true})
	w.Search.KeyStates = true
	_, w = readBack(t, w)
	a := newAgent(t, w, 10)
	r := rand.New(rand.NewPCG(16, 11))
	positions := safeGame(rules, r)
	for i, s := range positions[:len(positions)-1] {
		if left := len(positions) - 2 - i; i%20 != 0 && left > 4 {
			continue
		}
		m := moveOf(t, a, s)
		legal := rules.Moves(nil, s)
		safe := slices.ContainsFunc(legal, func(m game.Move) bool { return !isOver(rules, rules.Play(s, m)) })
		if !slices.Contains(legal, m) || safe && isOver(rules, rules.Play(s, m)) {
			t.Errorf("%s: it plays %s", rules.Format(s), rules.FormatMove(m))
		}
	}
}

// What is held out of boards that need two words is what always was; the third word
// counts, too.
func TestHeldOutOfWideBoards(t *testing.T) {
	differ := 0
	for i := range uint64(1000) {
		if HeldOut(0.5, 1, State{i, 1}) != HeldOut(0.5, 1, State{i, 1, 1}) {
			differ++
		}
	}
	if differ < 400 || differ > 600 {
		t.Errorf("the last word changes %d of 1000", differ)
	}
}
