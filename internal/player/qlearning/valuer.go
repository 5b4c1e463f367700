package qlearning

import (
	"math/rand/v2"

	"backsolve/game"
	"backsolve/internal/search"
)

// valuer finds the values of moves: the value of a move is the sum of the
// features of the state after it, as the player who has made it sees them, each
// times its weight. It is not safe for concurrent use.
//
// Products are rounded before they are added, here and where weights are learned,
// so that a seed gives the same weights on every processor.
type valuer struct {
	core     search.Rules[search.Masks]
	marks    int
	features features
	weights  []float64
	noise    float64
	rand     *rand.Rand
	seen     []float64 // the features of the state that was valued last
	actions  *actions  // nil where the state after a move is valued
	moves    []game.Move
}

func newValuer(rules game.Grid, o Options, r *rand.Rand) *valuer {
	core, f := search.New(rules), newFeatures(rules.Size())
	count, a := f.number(), (*actions)(nil)
	if o.Actions {
		a, f = newActions(core, search.MasksOf(rules.Start())), f.scaled()
		count *= a.number()
	}
	return &valuer{
		core:     core,
		marks:    rules.Marks(),
		features: f,
		weights:  make([]float64, count),
		actions:  a,
		noise:    o.Noise,
		rand:     r,
		seen:     make([]float64, f.number()),
	}
}

func (v *valuer) value(after search.Masks) float64 {
	v.seeAfter(after)
	return v.dot(v.weights)
}

// seeAfter puts the features of a state into seen, as the player who has made it sees them.
func (v *valuer) seeAfter(after search.Masks) {
	own, other := after.Waiting, after.Mover
	if v.marks == 1 {
		own, other = other, own
	}
	v.features.write(own, other, v.seen)
}

// dot returns the sum of what was seen, each times its weight.
func (v *valuer) dot(weights []float64) (sum float64) {
	for i, w := range weights {
		sum += float64(w * v.seen[i])
	}
	return sum
}

// draw moves that sum towards a target, at a rate.
func (v *valuer) draw(weights []float64, alpha, target float64) {
	step := alpha * (target - v.dot(weights))
	for i, f := range v.seen {
		weights[i] += float64(step * f)
	}
}

// best adds a little chance to each value. The state must not be over.
func (v *valuer) best(s search.Masks) (best game.Move, greatest float64) {
	v.moves = v.core.Moves(v.moves[:0], s)
	if v.actions != nil {
		v.loadFeatures(s)
	}
	for i, m := range v.moves {
		value := float64(v.noise * v.rand.Float64())
		if v.actions != nil {
			value += v.valueOf(v.actions.find(s, m))
		} else {
			value += v.value(v.core.Play(s, m))
		}
		if i == 0 || value > greatest {
			best, greatest = m, value
		}
	}
	return best, greatest
}
