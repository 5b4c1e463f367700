package zero

import "backsolve/internal/player/zero/network"

// Evaluation is a state's value for the player to move, from −1 to 1, and the logits of all actions.
type Evaluation struct {
	Value  float32
	Logits []float32
}

// Evaluator asks a network for many states at once, and remembers; no state depends on the others. While nothing is
// evaluated, Lookup may be called by many goroutines at once.
type Evaluator struct {
	view    View
	network *network.Network
	pass    *network.Pass
	threads int

	known   map[State]int // where the evaluation begins in numbers
	numbers []float32
	most    int // states that are kept

	// Asked counts the states that were requested, Evaluated those that the network evaluated.
	Asked, Evaluated int64
}

// maxBatch is how many states are evaluated at once: more are not faster.
const maxBatch = 256

// NewEvaluator takes batches of states, remembers what fits into bytes, and runs the pass on threads.
func NewEvaluator(v View, n *network.Network, batch, bytes, threads int) *Evaluator {
	const entry = 64 // bytes of a map's entry, about
	batch = min(max(batch, 1), maxBatch)
	return &Evaluator{
		view: v, network: n, pass: n.NewPass(batch, false), threads: threads,
		known: map[State]int{}, most: max(bytes/(4*(n.Actions+1)+entry), batch),
	}
}

// Lookup returns what is remembered of a state, valid until the next Evaluate.
func (e *Evaluator) Lookup(s State) (Evaluation, bool) {
	at, ok := e.known[s]
	if !ok {
		return Evaluation{}, false
	}
	size := e.network.Actions + 1
	row := e.numbers[at : at+size : at+size]
	return Evaluation{Value: row[size-1], Logits: row[:size-1]}, true
}

// Evaluate makes the evaluations of states known; a state may come several times. If there is no
// more room, and only then, earlier evaluations are dropped.
func (e *Evaluator) Evaluate(states []State) {
	e.Asked += int64(len(states))
	if len(e.known)+len(states) > e.most {
		clear(e.known)
		e.numbers = e.numbers[:0]
	}
	var batch []State
	for i, s := range states {
		if _, ok := e.known[s]; !ok {
			e.known[s] = len(e.numbers)
			e.numbers = append(e.numbers, make([]float32, e.network.Actions+1)...)
			batch = append(batch, s)
		}
		if len(batch) == e.pass.Rows() || i == len(states)-1 && len(batch) > 0 {
			e.evaluateBatch(batch)
			batch = batch[:0]
		}
	}
}

func (e *Evaluator) evaluateBatch(batch []State) {
	e.Evaluated += int64(len(batch))
	for i, s := range batch {
		e.view.Encode(e.pass.Input.Row(i)[:e.network.Inputs], s)
	}
	e.network.Forward(e.pass, len(batch), e.threads)
	size := e.network.Actions + 1
	for i, s := range batch {
		row := e.numbers[e.known[s]:][:size]
		copy(row, e.pass.Output.Row(i)[:size])
		row[size-1] = network.Tanh(row[size-1])
	}
}

// One returns the evaluation of one state.
func (e *Evaluator) One(s State) Evaluation {
	v, ok := e.Lookup(s)
	if !ok {
		e.Evaluate([]State{s})
		v, _ = e.Lookup(s)
	}
	return v
}
