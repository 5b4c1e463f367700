package zero

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"backsolve/bitboard"
	"backsolve/game"
)

// randomGame returns the positions of a game of random moves, to the end.
func randomGame(rules game.Rules, r *rand.Rand) []game.State {
	positions := []game.State{rules.Start()}
	for {
		s := positions[len(positions)-1]
		moves := rules.Moves(nil, s)
		if len(moves) == 0 {
			return positions
		}
		positions = append(positions, rules.Play(s, moves[r.IntN(len(moves))]))
	}
}

// The view agrees with the rules in all positions of whole games, in passes and at all
// kinds of ends.
func TestViewOfOthello(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 6))
	passes, ends := 0, map[game.Outcome]int{}
	for _, n := range []int{4, 6, 8} {
		rules := newRules(t, "othello", n)
		for _, group := range []Group{NoGroup, SquareGroup} {
			v := newView(t, rules, Encoding{Canonical: group})
			if v.Inputs() != 2*n*n || v.Actions() != n*n+1 {
				t.Fatalf("%d×%d: %d inputs, %d actions", n, n, v.Inputs(), v.Actions())
			}
			for range 60 {
				for _, p := range randomGame(rules, r) {
					checkState(t, rules, v, p)
					s, _ := v.Of(p)
					if legal := v.Legal(nil, s); slices.Contains(legal, int16(n*n)) {
						passes++
					} else if len(legal) == 0 {
						outcome, _ := v.Terminal(s)
						ends[outcome]++
					}
				}
			}
		}
	}
	if passes < 20 || len(ends) != 3 {
		t.Errorf("%d passes were seen, and these ends: %v", passes, ends)
	}
}

// All images of a position, and the one with exchanged colours, have one state, which no other
// position has; the actions are legal moves in each image, and lead to the same states.
func TestCanonicalOfOthello(t *testing.T) {
	if testing.Short() {
		t.Skip("one thread, and long under the race detector")
	}
	r := rand.New(rand.NewPCG(16, 7))
	for _, n := range []int{4, 6} {
		rules := newRules(t, "othello", n)
		v := newView(t, rules, Encoding{Canonical: SquareGroup})
		group := bitboard.SquareGroup(n)
		byLeast, byState := map[State]State{}, map[State]State{}
		for range 100 {
			for _, s := range randomGame(rules, r) {
				p := s.(game.Position)
				state, _ := v.Of(p)
				var images []State
				for _, g := range group {
					image := game.Position{X: g.Apply(p.X), O: g.Apply(p.O), Mark: p.Mark}
					images = append(images, State{image.Mover(), image.Waiting()})
					checkImage(t, rules, v, state, image)
					image.X, image.O, image.Mark = image.O, image.X, image.Mark.Other()
					checkImage(t, rules, v, state, image)
				}
				least := slices.MinFunc(images, func(a, b State) int { return slices.Compare(a[:], b[:]) })
				if other, met := byLeast[least]; met && other != state {
					t.Fatalf("%s: %v, but another image has %v", rules.Format(p), state, other)
				}
				if other, met := byState[state]; met && other != least {
					t.Fatalf("%s: another position has its state %v", rules.Format(p), state)
				}
				byLeast[least], byState[state] = state, least
			}
		}
		if len(byState) < 500 {
			t.Errorf("%d×%d: only %d states were seen", n, n, len(byState))
		}
	}
}

// checkImage wants an image of a position to have its state and the same moves.
func checkImage(t *testing.T, rules game.Rules, v View, want State, image game.Position) {
	t.Helper()
	state, move := v.Of(image)
	if state != want {
		t.Fatalf("%s has the state %v, its image %v", rules.Format(image), state, want)
	}
	legal := rules.Moves(nil, image)
	actions := v.Legal(nil, state)
	for _, a := range actions {
		m := move(int(a))
		if !slices.Contains(legal, m) {
			t.Fatalf("%s: action %d is %s, which is not legal", rules.Format(image), a, rules.FormatMove(m))
		}
		if after, _ := v.Of(rules.Play(image, m)); after != v.Play(state, int(a)) {
			t.Fatalf("%s: %s leads to %v, want %v", rules.Format(image), rules.FormatMove(m), after, v.Play(state, int(a)))
		}
	}
	if len(actions) != len(legal) {
		t.Fatalf("%s: %d actions for %d moves", rules.Format(image), len(actions), len(legal))
	}
}

// bestOf returns the outcome of a position, by looking at all that can follow.
func bestOf(rules game.Rules, s game.State) game.Outcome {
	if outcome, over := rules.Terminal(s); over {
		return outcome
	}
	best := game.Lose
	for _, m := range rules.Moves(nil, s) {
		switch bestOf(rules, rules.Play(s, m)).Flip() {
		case game.Win:
			return game.Win
		case game.Draw:
			best = game.Draw
		}
	}
	return best
}

// An agent of Othello plays whole games by legal moves, and passes if it must. Near the end its
// search proves values, and its moves keep them, whether or not moves that lose at once are left
// out.
func TestAgentOfOthello(t *testing.T) {
	const least = 11 // discs, from which on the search sees everything
	r := rand.New(rand.NewPCG(16, 8))
	rules := newRules(t, "othello", 4)
	seen := map[game.Outcome]int{}
	for _, key := range []bool{false, true} {
		w := newWeights(t, "othello", 4, Encoding{Canonical: SquareGroup})
		w.Search = Search{Constant: 1, Proved: true, KeyStates: key}
		alone, searching := newAgent(t, w, 0), newAgent(t, w, 20000)
		for range 40 {
			for _, s := range randomGame(rules, r) {
				if _, over := rules.Terminal(s); over {
					continue
				}
				if m := moveOf(t, alone, s); !slices.Contains(rules.Moves(nil, s), m) {
					t.Fatalf("%s: it plays %v", rules.Format(s), m)
				}
				p := s.(game.Position)
				if bits.OnesCount64(p.X|p.O) < least {
					continue
				}
				m, worth := moveOf(t, searching, s), bestOf(rules, s)
				if got := bestOf(rules, rules.Play(s, m)).Flip(); got != worth {
					t.Errorf("%s is a %v, and %s a %v", rules.Format(s), worth, rules.FormatMove(m), got)
				}
				seen[worth]++
			}
		}
	}
	if len(seen) != 3 {
		t.Errorf("these were seen: %v", seen)
	}
}
