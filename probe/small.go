package probe

import (
	"errors"
	"fmt"
	"sync"

	"backsolve/game"
)

// maxSmall is how many values are kept of a board that is solved one state at a time:
// as many as take some 40 MB.
const maxSmall = 1 << 20

// small solves a board one state at a time, with the steps to the end: each state by
// those that its moves lead to. What has been found is kept for the next question.
type small struct {
	rules game.Rules
	key   func(game.State) uint64
	limit int // of the values kept

	lock  sync.Mutex
	known map[uint64]smallValue
	moves []game.Move // of all states in work, one after the other
}

func newSmall(rules game.Rules, key func(game.State) uint64, limit int) *small {
	return &small{rules: rules, key: key, limit: limit, known: map[uint64]smallValue{}}
}

// smallValue is a Value as it is kept: steps·4 + outcome.
type smallValue uint16

// working is kept of a state as long as those after it are being solved.
const working smallValue = 3

func smallOf(v Value) smallValue { return smallValue(max(v.Steps, 0)<<2) | smallValue(v.Outcome) }

func (v smallValue) value() Value {
	if outcome := game.Outcome(v & 3); outcome != game.Draw {
		return Value{outcome, int(v >> 2)}
	}
	return Value{game.Draw, -1}
}

var (
	// errManyStates is why a state is not solved: those after it are more than the limit.
	errManyStates = errors.New("too many states follow to be solved one at a time")
	errRound      = errors.New("a position has come back in a game in which none can: this is a mistake in the program, please report it")
)

// value returns the value of a state. The error is errManyStates, whatever was asked
// before.
func (x *small) value(s game.State) (Value, error) {
	x.lock.Lock()
	defer x.lock.Unlock()
	v, err := x.solve(s)
	if errors.Is(err, errManyStates) { // perhaps because of what was found before
		x.forget()
		v, err = x.solve(s)
	}
	if err != nil {
		x.forget()
		return Value{}, fmt.Errorf("%s: %w", x.rules.Format(s), err)
	}
	return v.value(), nil
}

func (x *small) forget() {
	clear(x.known)
	x.moves = x.moves[:0]
}

// solve returns the value of a state and keeps it.
func (x *small) solve(s game.State) (smallValue, error) {
	key := x.key(s)
	switch v, ok := x.known[key]; {
	case v == working:
		return 0, errRound
	case ok:
		return v, nil
	case len(x.known) == x.limit:
		return 0, errManyStates
	}
	x.known[key] = working
	var best Value
	if outcome, over := x.rules.Terminal(s); over {
		best = Value{Outcome: outcome}
	} else {
		first := len(x.moves)
		x.moves = x.rules.Moves(x.moves, s)
		for i := first; i < len(x.moves); i++ {
			child, err := x.solve(x.rules.Play(s, x.moves[i]))
			if err != nil {
				return 0, err
			}
			if v := child.value().Before(); i == first || v.Compare(best) < 0 {
				best = v
			}
		}
		x.moves = x.moves[:first]
	}
	v := smallOf(best)
	x.known[key] = v
	return v, nil
}
