package probe

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"backsolve/game"
)

// maxMemo is the number of values that a memo solver keeps, some 40 MB.
const maxMemo = 1 << 20

// memoSolver solves the states of a board with steps, by depth-first search with a memo
// that is kept between questions. K tells states apart.
type memoSolver[K comparable] struct {
	ctx   context.Context // ends a search
	rules game.Rules
	key   func(game.State) K
	limit int // of the memo

	lock  sync.Mutex
	memo  map[K]memoValue
	moves []game.Move // a stack: of all states being solved
}

func newMemoSolver[K comparable](ctx context.Context, rules game.Rules, key func(game.State) K, limit int) *memoSolver[K] {
	return &memoSolver[K]{ctx: ctx, rules: rules, key: key, limit: limit, memo: map[K]memoValue{}}
}

// SearchAll rates a state that is not over by searching all states that can follow, unless there are
// more than most of them or one recurs. Otherwise, or if ctx ends, ok is false.
func SearchAll(ctx context.Context, rules game.Rules, s game.State, steps bool, most int) (r Rating, ok bool) {
	m := newMemoSolver(ctx, rules, func(s game.State) game.State { return s }, most)
	value := func(s game.State) Value {
		v, err := m.solve(s)
		if ok = err == nil; ok && !steps {
			return Value{v.value().Outcome, -1}
		}
		return v.value()
	}
	if r.Value = value(s); ok {
		for _, move := range rules.Moves(nil, s) {
			r.Moves = append(r.Moves, Rated{Move: move, Value: value(rules.Play(s, move)).Before()})
		}
	}
	return r, ok
}

// memoValue is a Value in the memo: steps·4 + outcome.
type memoValue uint16

const inProgress memoValue = 3

func (v memoValue) value() Value {
	if outcome := game.Outcome(v & 3); outcome != game.Draw {
		return Value{outcome, int(v >> 2)}
	}
	return Value{game.Draw, -1}
}

var (
	errManyStates = errors.New("too many states follow to be solved one at a time")
	errRepeat     = errors.New("a position repeats in a game without repetition: this is a bug; please report it")
)

// value fails with errManyStates if more states than the limit follow, whatever was asked before.
func (m *memoSolver[K]) value(s game.State) (Value, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	v, err := m.solve(s)
	if errors.Is(err, errManyStates) { // the memo may have been full before
		m.forget()
		v, err = m.solve(s)
	}
	if err != nil {
		m.forget()
		return Value{}, fmt.Errorf("%s: %w", m.rules.Format(s), err)
	}
	return v.value(), nil
}

func (m *memoSolver[K]) forget() {
	clear(m.memo)
	m.moves = m.moves[:0]
}

func (m *memoSolver[K]) solve(s game.State) (memoValue, error) {
	key := m.key(s)
	switch v, ok := m.memo[key]; {
	case v == inProgress:
		return 0, errRepeat
	case ok:
		return v, nil
	case len(m.memo) == m.limit:
		return 0, errManyStates
	case len(m.memo)%1024 == 0 && m.ctx.Err() != nil:
		return 0, context.Cause(m.ctx)
	}
	m.memo[key] = inProgress
	var best Value
	if outcome, over := m.rules.Terminal(s); over {
		best = Value{Outcome: outcome}
	} else {
		first := len(m.moves)
		m.moves = m.rules.Moves(m.moves, s)
		for i := first; i < len(m.moves); i++ {
			child, err := m.solve(m.rules.Play(s, m.moves[i]))
			if err != nil {
				return 0, err
			}
			if v := child.value().Before(); i == first || v.Compare(best) < 0 {
				best = v
			}
		}
		m.moves = m.moves[:first]
	}
	v := memoValue(max(best.Steps, 0)<<2) | memoValue(best.Outcome)
	m.memo[key] = v
	return v, nil
}
