package grade

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/player/zero"
	"backsolve/research/internal/onnx"
	"backsolve/research/nn"
)

// onnxAgent plays the legal action to which the network of an ONNX file gives the most, of equal
// ones the least.
type onnxAgent struct {
	*observer
	path  string
	model *onnx.Model
	view  zero.View // nil for a network that sees observations
}

// valuedONNX is one that gives a value too.
type valuedONNX struct{ *onnxAgent }

// canonicalONNX is one that lab export has written: its metadata has zero.Made, and it sees the
// canonical images of positions.
type canonicalONNX struct{ valuedONNX }

// NewONNX returns an agent that plays by the network of an ONNX file. Its first output has a
// number for each action, such as a probability or its logarithm; the second, if there is one,
// the value for the player to move.
func NewONNX(rules game.Rules, path string) (player.Agent, error) {
	model, err := onnx.Open(path)
	if err != nil {
		return nil, err
	}
	a := &onnxAgent{observer: newObserver(rules), path: path, model: model}
	if err := a.try(); err != nil {
		a.Close()
		return nil, fmt.Errorf("%s does not play %v: %w", path, rules.Info(), err)
	}
	switch {
	case !model.HasValue():
		return a, nil
	case a.view == nil:
		return valuedONNX{a}, nil
	}
	return canonicalONNX{valuedONNX{a}}, nil
}

// try reads the metadata, and asks the network at the start.
func (a *onnxAgent) try() error {
	text, err := a.model.Metadata(nn.MadeKey)
	if err != nil {
		return err
	}
	if text != "" {
		var made zero.Made
		if err := json.Unmarshal([]byte(text), &made); err != nil {
			return err
		}
		if made.Game != a.info.Name || made.Size != a.info.Size {
			return fmt.Errorf("it is of %s of size %d", made.Game, made.Size)
		}
		if a.view, err = zero.NewView(a.rules, made.Encoding); err != nil {
			return err
		}
	}
	_, _, err = a.choose(a.rules.Start())
	return err
}

// choose returns the agent's move in an open position, and the value that the network gives it.
func (a *onnxAgent) choose(s game.State) (move game.Move, value float32, err error) {
	input, legal, actions := a.see(s)
	shape, policySize := a.shape, len(a.actions)
	if policySize == 0 {
		policySize = player.MostMoves
	}
	if a.view != nil {
		state, moveOf, err := zero.See(a.view, s)
		if err != nil {
			return move, 0, err
		}
		input, legal, actions = make([]float32, a.view.Inputs()), nil, nil
		a.view.Encode(input, state)
		shape, policySize = []int{len(input)}, a.view.Actions()
		for _, action := range a.view.Legal(nil, state) {
			legal, actions = append(legal, moveOf(int(action))), append(actions, int(action))
		}
	}
	out, err := a.model.Run(input, shape...)
	if err != nil {
		return move, 0, err
	}
	if len(out[0]) != policySize {
		return move, 0, fmt.Errorf("its policy has %d numbers, and there are %d actions", len(out[0]), policySize)
	}
	if len(out) == 2 {
		if len(out[1]) != 1 {
			return move, 0, fmt.Errorf("its value has %d numbers; give one", len(out[1]))
		}
		value = out[1][0]
	}
	best := -1
	for i, action := range actions {
		if action < policySize && (best < 0 || out[0][action] > out[0][actions[best]] || out[0][action] == out[0][actions[best]] && action < actions[best]) {
			best = i
		}
	}
	if best < 0 {
		return move, 0, player.ErrOver
	}
	return legal[best], value, nil
}

// Name is onnx:FILE.
func (a *onnxAgent) Name() string { return "onnx:" + a.path }

// Begin returns a player. There is no chance, so the seed is not used.
func (a *onnxAgent) Begin(uint64) (player.Player, error) { return onnxPlayer{a}, nil }

// Close frees the network.
func (a *onnxAgent) Close() error {
	a.model.Close()
	return nil
}

// Estimate implements Estimator. A network that has answered at the start is expected to answer
// everywhere; where it does not, there is no move.
func (a valuedONNX) Estimate(s game.State) (value float32, best game.Move) {
	best, value, _ = a.choose(s)
	return value, best
}

// Canonical implements Symmetric.
func (a canonicalONNX) Canonical(s game.State) zero.State {
	state, _ := a.view.Of(s)
	return state
}

type onnxPlayer struct{ of *onnxAgent }

func (p onnxPlayer) Move(_ context.Context, s game.State) (game.Move, error) {
	m, _, err := p.of.choose(s)
	return m, err
}

func (onnxPlayer) Close() error { return nil }

// observer sees positions as the environments of the Python package do: planes of cells, with
// the marks of the player to move first, and numbered actions. docs/howto/python.md describes
// both; Games in python/backsolve/games.py is the other implementation.
type observer struct {
	rules   game.Rules
	info    game.Info
	actions []game.Move
	shape   []int // planes, rows, columns
	cells   []int // where they stand in the text of a position
}

func newObserver(rules game.Rules) *observer {
	o := &observer{rules: rules, info: rules.Info(), actions: player.Actions(rules)}
	start := rules.Format(rules.Start())
	board, _, _ := strings.Cut(start, " ")
	rows := strings.Split(board, "/")
	for i, letter := range board {
		if letter != '/' && letter != '+' {
			o.cells = append(o.cells, i)
		}
	}
	switch o.info.Board {
	case game.OnGrid:
		o.shape = []int{o.info.Marks, len(rows), len(rows[0])}
	case game.OfNine:
		o.shape = []int{3, 9, 9}
	case game.OfHeaps:
		o.shape = []int{1, 1, len(rows)}
	case game.OnRow, game.OfBoards:
		o.shape = []int{1, 1, len(o.cells)}
	default:
		o.shape = []int{1, 1, max(64, 2*len(start))}
	}
	return o
}

// see returns the observation of an open position, and its legal moves with their actions.
func (o *observer) see(s game.State) (input []float32, legal []game.Move, actions []int) {
	legal = o.rules.Moves(nil, s)
	for i, m := range legal {
		if o.actions != nil {
			i, _ = player.ActionOf(o.actions, m)
		}
		actions = append(actions, i)
	}
	text := o.rules.AppendFormat(nil, s)
	input = make([]float32, o.shape[0]*o.shape[1]*o.shape[2])
	switch o.info.Board {
	case game.OfHeaps:
		board, _, _ := bytes.Cut(text, []byte(" "))
		for i, heap := range strings.Split(string(board), "/") {
			counters, _ := strconv.Atoi(heap)
			input[i] = float32(counters)
		}
	case game.OnGrid, game.OfNine, game.OnRow, game.OfBoards:
		marks := []byte("XO")[:min(o.shape[0], 2)]
		if len(marks) == 2 && o.rules.Turn(s) != game.X {
			slices.Reverse(marks)
		}
		for plane, mark := range marks {
			for i, at := range o.cells {
				if text[at] == mark {
					input[plane*len(o.cells)+i] = 1
				}
			}
		}
		if o.info.Board == game.OfNine {
			for _, action := range actions {
				input[2*len(o.cells)+action] = 1
			}
		}
	default:
		for i := range min(len(text), len(input)) {
			input[i] = float32(text[i])
		}
	}
	return input, legal, actions
}
