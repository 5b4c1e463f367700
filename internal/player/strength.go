package player

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"backsolve/game"
	"backsolve/internal/probe"
)

// Policy says which of the best moves to play when all values are known.
type Policy string

// The policies.
const (
	// Optimal plays any move that keeps the outcome; with an opening table, one far from the table's end.
	Optimal Policy = "optimal"
	// Shortest wins soonest or loses latest; in a drawn position it plays any move that keeps the draw.
	Shortest Policy = "shortest"
	// Trap plays one of the moves of Shortest (of Optimal if steps are not known) after which no
	// reply wins at once, if possible, and the largest share of the replies gives the outcome away.
	Trap Policy = "trap"
)

// Policies are all policies.
var Policies = []Policy{Optimal, Shortest, Trap}

// Strength says how to play when all values are known.
type Strength struct {
	Policy Policy
	// Blunder is the probability, from 0 to 1, of a random legal move instead.
	Blunder float64
}

// String returns the name of an agent of that strength: shortest:blunder=0.05.
func (s Strength) String() string {
	if s.Blunder == 0 {
		return string(s.Policy)
	}
	return string(s.Policy) + ":blunder=" + strconv.FormatFloat(s.Blunder, 'g', -1, 64)
}

// ErrNoSteps is the cause if Shortest is used with a table without steps.
var ErrNoSteps = errors.New("the table has no steps, without which no win is known to be shorter than another")

// Check returns an error for invalid fields, and for Shortest without known steps.
func (s Strength) Check(hasSteps bool) error {
	switch {
	case !slices.Contains(Policies, s.Policy):
		return fmt.Errorf("%q is not a policy; write %s, %s or %s", string(s.Policy), Optimal, Shortest, Trap)
	case !(s.Blunder >= 0 && s.Blunder <= 1):
		return fmt.Errorf("%v is not a probability; blunder is from 0 to 1", s.Blunder)
	case s.Policy == Shortest && !hasSteps:
		return ErrNoSteps
	}
	return nil
}

// Choose returns one of the moves of a state, rated by from; there must be one. Of equally
// good moves it takes one of the least TieBreak. Errors come from rating the positions after them.
func (s Strength) Choose(r *rand.Rand, rules game.Rules, from probe.Answerer, state game.State, moves []probe.Rated) (probe.Rated, error) {
	// Drawn in any case, so that a seed gives the same moves with any probability.
	if r.Float64() < s.Blunder {
		return moves[r.IntN(len(moves))], nil
	}
	var good []probe.Rated
	for _, m := range moves {
		if m.Outcome != moves[0].Outcome || s.Policy != Optimal && m.Value != moves[0].Value { // all draws are equal
			break
		}
		if len(good) > 0 && m.TieBreak < good[0].TieBreak {
			good = good[:0]
		}
		if len(good) == 0 || m.TieBreak == good[0].TieBreak {
			good = append(good, m)
		}
	}
	if s.Policy == Trap && good[0].Outcome != game.Win { // a lost opponent has nothing to give away
		var err error
		if good, err = mostErrors(rules, from, state, good); err != nil {
			return probe.Rated{}, err
		}
	}
	return good[r.IntN(len(good))], nil
}

// mostErrors keeps the moves after which the largest share of replies gives the outcome away, 0 if replies
// are unknown. Moves that allow an immediate win, which nobody misses, come last. It overwrites the slice.
func mostErrors(rules game.Rules, from probe.Answerer, state game.State, moves []probe.Rated) ([]probe.Rated, error) {
	best, most := moves[:0], -2.0
	var replies []probe.Rated
	for _, m := range moves {
		var v probe.Value
		var err error
		after := rules.Play(state, m.Move)
		v, replies, err = from.Rate(rules, after, replies[:0])
		if err != nil && !errors.Is(err, probe.ErrUnknown) {
			return nil, err
		}
		wrong, atOnce := 0, false
		for _, reply := range replies {
			if reply.Outcome != v.Outcome {
				wrong++
			}
			if reply.Outcome == game.Win && !atOnce {
				_, atOnce = rules.Terminal(rules.Play(after, reply.Move))
			}
		}
		share := float64(wrong) / float64(max(len(replies), 1))
		if atOnce {
			share--
		}
		if share > most {
			best, most = moves[:0], share
		}
		if share == most {
			best = append(best, m)
		}
	}
	return best, nil
}

// NewRand returns the random generator of a seed.
func NewRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }
