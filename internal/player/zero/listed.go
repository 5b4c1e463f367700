package zero

import (
	"fmt"
	"sync"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/retro/generic"
)

// listed is the view of custom games. A state is a position's number and tier, an action the index of a move in its position's list.
type listed struct {
	dimensions
	rules     custom.Listed
	expanders sync.Pool // of *expander
}

// expander caches expansions: a search asks for a state several times, and so does the next search.
type expander struct {
	custom.Expander
	known map[State]expansion
	room  int // for more states after moves of these
}

// mostKept bounds the cache of an expander to about 3 MiB.
const mostKept = 1 << 17

// expansion has the states after each move, or the result of the game: a draw if the rules panic.
type expansion struct {
	after   []custom.Child
	outcome game.Outcome
	over    bool
}

func newListed(rules custom.Listed, e Encoding) (View, error) {
	if err := e.check(rules.Info(), false); err != nil {
		return nil, err
	}
	const games = 20
	if err := rules.Check(games, 1); err != nil {
		return nil, fmt.Errorf("the rules of %v break their contract: %w", rules.Info(), err)
	}
	n := rules.Numbers()
	v := &listed{rules: rules, dimensions: dimensions{rules.Inputs(), custom.MostMoves(n), stateOf(n.Start())}}
	v.expanders.New = func() any { return &expander{Expander: n.NewExpander()} }
	return v, nil
}

func stateOf(c custom.Child) State { return State{c.Key, uint64(c.Tier)} }

func (v *listed) expand(s State) expansion {
	e := v.expanders.Get().(*expander)
	defer v.expanders.Put(e)
	if x, ok := e.known[s]; ok {
		return x
	}
	after, outcome, over, err := e.Expand(nil, custom.Child{Key: s[0], Tier: int(s[1])})
	if e.room -= len(after) + 1; e.room < 0 {
		e.known, e.room = map[State]expansion{}, mostKept
	}
	x := expansion{after, outcome, over || err != nil}
	e.known[s] = x
	return x
}

// Of returns the state of a position. If several moves lead to one number, the first action is the first of
// them, and so on.
func (v *listed) Of(s game.State) (State, func(int) game.Move) {
	state := v.number(s)
	return state, func(action int) (found game.Move) {
		after := v.expand(state).after
		earlier := 0
		for _, c := range after[:action] {
			if c == after[action] {
				earlier++
			}
		}
		for _, m := range v.rules.Moves(nil, s) {
			if v.number(v.rules.Play(s, m)) == stateOf(after[action]) && earlier >= 0 {
				found = m
				earlier--
			}
		}
		return found
	}
}

func (v *listed) number(s game.State) State {
	tier, key := v.rules.Number(s)
	return State{key, uint64(tier)}
}

// sees reports whether every move of a position has an action.
func (v *listed) sees(s game.State) bool { return len(v.rules.Moves(nil, s)) <= v.actions }

// Cycles reports whether positions may recur.
func (v *listed) Cycles() bool { return generic.MayLoop(v.rules.Numbers()) }

func (v *listed) Terminal(s State) (game.Outcome, bool) {
	x := v.expand(s)
	return x.outcome, x.over
}

func (v *listed) Legal(buf []int16, s State) []int16 {
	for i := range min(len(v.expand(s).after), v.actions) {
		buf = append(buf, int16(i))
	}
	return buf
}

func (v *listed) Play(s State, action int) State {
	return stateOf(v.expand(s).after[action])
}

func (v *listed) Encode(dst []float32, s State) {
	v.rules.Encode(dst, custom.Child{Key: s[0], Tier: int(s[1])})
}
