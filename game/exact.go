package game

// Exact is how all states of a game are known without a table, by theory or because there are
// few. Each part may be nil, but not both Outcome and Key. In such a game no position recurs.
type Exact[S comparable] struct {
	// Outcome says by a formula how a state ends under best play, for the player to
	// move.
	Outcome func(s S) Outcome
	// Nimber returns the Grundy value of a state, the size of the heap of Nim that the state
	// equals. Games have one if both players have the same moves and the last one wins.
	Nimber func(s S) int
	// Key returns what determines the value of a state and its steps to the end; there are so few
	// keys that all of them fit in memory.
	Key func(s S) uint64
}

// ExactRules are the rules of a game whose states are known without a table.
type ExactRules[S comparable] interface {
	RulesOf[S]
	Exact() Exact[S]
}

// ExactOf returns how the states of rules made by Opaque are known without a table, or false if
// they are not.
func ExactOf(r Rules) (Exact[State], bool) {
	if o, ok := r.(interface{ exact() (Exact[State], bool) }); ok {
		return o.exact()
	}
	return Exact[State]{}, false
}

func (o opaque[S]) exact() (Exact[State], bool) {
	r, ok := o.of.(ExactRules[S])
	if !ok {
		return Exact[State]{}, false
	}
	e := r.Exact()
	return Exact[State]{Outcome: ofState(e.Outcome), Nimber: ofState(e.Nimber), Key: ofState(e.Key)}, true
}

// ofState adapts a function of states to opaque states.
func ofState[S comparable, T any](f func(S) T) func(State) T {
	if f == nil {
		return nil
	}
	return func(s State) T { return f(s.(S)) }
}
