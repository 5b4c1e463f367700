package zero

import (
	"math/rand/v2"
	"slices"
	"testing"

	"backsolve/game/custom"
	"backsolve/game/examples"
)

// Networks see games defined by their positions as the rules do, by cells or by the bits of a number.
func TestViewsOfListedGames(t *testing.T) {
	r := rand.New(rand.NewPCG(38, 11))
	inputs := map[string]int{"connect4-4x4": 2*16 + 5 + 1, "hounds": 2*15 + 4 + 1, "morris-3": 2*16 + 6 + 1, "teeko-4": 2*16 + 4 + 1, "kayles-20": 64 + 1}
	for _, rules := range examples.All() {
		name := rules.Info().Name
		want, ok := inputs[name]
		if !ok {
			continue
		}
		v := newView(t, rules, Finest(rules.Info()))
		if v.Inputs() != want {
			t.Errorf("%s: %d inputs, %d actions", name, v.Inputs(), v.Actions())
		}
		for range 5 {
			for s, plies := rules.Start(), 0; plies < 40 && v.(*listed).sees(s); plies++ {
				checkState(t, rules, v, s)
				moves := rules.Moves(nil, s)
				if len(moves) == 0 {
					break
				}
				s = rules.Play(s, moves[r.IntN(len(moves))])
			}
		}
	}
}

// The mover's cells are the first plane, then come the other's, the tier and the side.
func TestEncodingOfListedGames(t *testing.T) {
	for _, rules := range examples.All() {
		if rules.Info().Name != "connect4-4x4" {
			continue
		}
		v := newView(t, rules, Encoding{})
		p, err := rules.Parse("..../..../..../XO.X")
		if err != nil {
			t.Fatal(err)
		}
		s, _ := v.Of(p)
		in := make([]float32, v.Inputs())
		v.Encode(in, s)
		want := make([]float32, len(in))
		back, err := rules.State(custom.Child{Key: s[0], Tier: int(s[1])}) // it or its image
		if err != nil {
			t.Fatal(err)
		}
		bottom := rules.Format(back)[15:]
		for i := range 4 {
			switch bottom[i] {
			case 'O':
				want[12+i] = 1
			case 'X':
				want[16+12+i] = 1
			}
		}
		want[32], want[33], want[37] = 1, 1, 1 // three discs, and O is to move
		if !slices.Equal(in, want) {
			t.Errorf("%v, not %v", in, want)
		}
	}
}
