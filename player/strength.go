package player

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"

	"backsolve/probe"
)

// Policy says which of the best moves one who knows all values plays.
type Policy string

// The policies.
const (
	// Optimal plays any move that keeps the outcome, each with the same
	// probability; with an opening table one that stays farthest from its end.
	Optimal Policy = "optimal"
	// Shortest plays a move that wins soonest or loses latest, each of them with
	// the same probability; of a draw, any move that keeps it.
	Shortest Policy = "shortest"
)

// Strength says how one who knows all values plays.
type Strength struct {
	Policy Policy
	// Blunder is the probability, from 0 to 1, that a move is any legal one
	// instead, each with the same probability.
	Blunder float64
}

// String returns the name of an agent of that strength: optimal,
// shortest:blunder=0.05.
func (s Strength) String() string {
	if s.Blunder == 0 {
		return string(s.Policy)
	}
	return string(s.Policy) + ":blunder=" + strconv.FormatFloat(s.Blunder, 'g', -1, 64)
}

// ErrNoSteps is the cause where Shortest is asked of a table that has no steps.
var ErrNoSteps = errors.New("the table has no steps, without which no win is known to be shorter than another")

// Check refuses what is no strength, and Shortest where no steps are known.
func (s Strength) Check(hasSteps bool) error {
	switch {
	case s.Policy != Optimal && s.Policy != Shortest:
		return fmt.Errorf("%q is not a policy; write %s or %s", string(s.Policy), Optimal, Shortest)
	case !(s.Blunder >= 0 && s.Blunder <= 1):
		return fmt.Errorf("%v is not a probability; blunder is from 0 to 1", s.Blunder)
	case s.Policy == Shortest && !hasSteps:
		return ErrNoSteps
	}
	return nil
}

// Choose returns the number of the move to play of n ≥ 1 moves whose values are
// ordered from the best to the worst, as probe.Table.Rank gives them. Of equally good
// moves it takes one of the least class (see probe.Rated).
func (s Strength) Choose(r *rand.Rand, n int, move func(i int) (v probe.Value, class int)) int {
	// Drawn in any case, so that the moves of a game depend on the seed alike
	// with any probability.
	if r.Float64() < s.Blunder {
		return r.IntN(n)
	}
	best, least := move(0)
	good, nearest := 0, 0
	for ; good < n; good++ {
		v, class := move(good)
		if v.Outcome != best.Outcome || s.Policy == Shortest && v != best { // all draws are equal
			break
		}
		switch {
		case class < least:
			least, nearest = class, 1
		case class == least:
			nearest++
		}
	}
	left := r.IntN(nearest)
	for i := 0; ; i++ {
		if _, class := move(i); class > least {
			continue
		}
		if left == 0 {
			return i
		}
		left--
	}
}

// NewRand returns the generator of all chance that comes from a seed.
func NewRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }
