package search

import (
	"slices"
	"testing"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/game/gametest"
)

// TestOpaqueIsPlain compares opaque rules of a grid with the plain ones in all
// positions of small boards.
func TestOpaqueIsPlain(t *testing.T) {
	for _, board := range []struct {
		name string
		n    int
	}{{"quixo", 2}, {"notakto", 1}, {"notakto", 2}, {"notakto", 3}} {
		rules := newRules(t, board.name, board.n)
		core, plain := Opaque(game.Opaque[game.Position](rules)), Plain(rules)
		for _, s := range reached(core, game.State(rules.Start())) {
			masks := plain.Of(s)
			if core.Of(s) != s {
				t.Fatalf("%v is another state than itself", s)
			}
			outcome, over := core.Terminal(s)
			if o, v := plain.Terminal(masks); o != outcome || v != over {
				t.Fatalf("%v: opaque %v %t, plain %v %t", s, outcome, over, o, v)
			}
			moves := core.Moves(nil, s)
			if want := plain.Moves(nil, masks); !slices.Equal(moves, want) {
				t.Fatalf("%v: opaque moves %v, plain ones %v", s, moves, want)
			}
			for _, m := range moves {
				if got, want := plain.Of(core.Play(s, m)), plain.Play(masks, m); got != want {
					t.Fatalf("%v: %v leads to %v, in plain rules to %v", s, m, got, want)
				}
			}
		}
	}
}

// reached returns all states that play can reach from one.
func reached[S comparable](core Rules[S], from S) []S {
	states, seen := []S{from}, map[S]bool{from: true}
	for i := 0; i < len(states); i++ {
		for _, m := range core.Moves(nil, states[i]) {
			if s := core.Play(states[i], m); !seen[s] {
				seen[s] = true
				states = append(states, s)
			}
		}
	}
	return states
}

// TestHash spreads the states of games over the places of a table: two of them meet
// about as often as if the places were drawn.
func TestHash(t *testing.T) {
	quixo, notakto := newRules(t, "quixo", 3), newRules(t, "notakto", 4)
	strip := gametest.NewStrip(9)
	wide, err := games.New("notakto", 12)
	if err != nil {
		t.Fatal(err)
	}
	checkHash(t, New(quixo), reached(New(quixo), Masks{}))
	checkHash(t, New(notakto), reached(New(notakto), Masks{}))
	checkHash(t, Opaque(game.Opaque[game.Position](quixo)), reached(Opaque(game.Opaque[game.Position](quixo)), game.State(quixo.Start())))
	checkHash(t, Opaque(strip), reached(Opaque(strip), strip.Start()))
	checkHash(t, Opaque(wide), twoMarks(wide))
}

// twoMarks returns the positions after a first move and after two.
func twoMarks(rules game.Rules) (states []game.State) {
	for i, a := range rules.Moves(nil, rules.Start()) {
		s := rules.Play(rules.Start(), a)
		states = append(states, s)
		for _, b := range rules.Moves(nil, s)[i:] {
			states = append(states, rules.Play(s, b))
		}
	}
	return states
}

// checkHash counts the states that find their place, of four for each state, taken.
func checkHash[S comparable](t *testing.T, core Rules[S], states []S) {
	t.Helper()
	bits := 2
	for 1<<bits < 4*len(states) {
		bits++
	}
	taken := map[uint64]bool{}
	met := 0
	for _, s := range states {
		place := core.Hash(s) >> (64 - bits)
		if taken[place] {
			met++
		}
		taken[place] = true
	}
	// Of drawn places one in eight at most is taken when it is drawn.
	if len(states) < 500 || met > len(states)/7 {
		t.Errorf("%T: of %d states %d find their place taken", core, len(states), met)
	}
}
