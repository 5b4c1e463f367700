package qlearning

import (
	"backsolve/game"
	"backsolve/internal/search"
)

// actions implements the method of Chan's "The notion of depth in games": each action has its own weights
// for the features of the state in which it is taken. An action is a move together with
// whether the tile that it takes is the mover's. A game is learned from backwards, after its end.
type actions struct{ index map[game.Move]int }

// newActions collects all moves of a board, all of which are legal in the first position.
func newActions(core search.Rules[search.Masks], start search.Masks) *actions {
	a := &actions{index: map[game.Move]int{}}
	for _, m := range core.Moves(nil, start) {
		a.index[m] = len(a.index)
	}
	return a
}

func (a *actions) number() int { return 2 * len(a.index) }

func (a *actions) find(s search.Masks, m game.Move) int {
	return 2*a.index[m] + int(s.Mover>>m.From&1)
}

// scaled divides by the number of features, as Chan's program does, not by its root.
func (f features) scaled() features {
	areas := make([]area, len(f.areas))
	for i, a := range f.areas {
		areas[i] = area{a.cells, a.each * f.constant}
	}
	return features{areas, f.constant * f.constant}
}

// loadFeatures fills seen with the features of a state from its mover's point of view.
func (v *valuer) loadFeatures(s search.Masks) { v.features.write(s.Mover, s.Waiting, v.seen) }

func (v *valuer) row(action int) []float64 { return v.weights[action*len(v.seen):][:len(v.seen)] }

// valueOf returns the value of an action in the state loaded last.
func (v *valuer) valueOf(action int) float64 { return v.dot(v.row(action)) }

type taken struct {
	state  search.Masks
	action int
}

// playBackwards learns from a game, the last move first. Games that do not end teach nothing.
func (l *learner) playBackwards(alpha float64) {
	s := l.start()
	var line []taken
	for range longestGame {
		m := l.choose(s)
		line = append(line, taken{s, l.actions.find(s, m)})
		s = l.core.Play(s, m)
		if outcome, over := l.core.Terminal(s); over {
			l.learnLine(line, alpha, -float64(search.Sign(outcome)))
			return
		}
	}
}

// learnLine learns from a line to the end of a game. At first future is the result for the player who moved last.
func (l *learner) learnLine(line []taken, alpha, future float64) {
	for i := len(line) - 1; i >= 0; i-- {
		l.loadFeatures(line[i].state)
		l.draw(l.row(line[i].action), alpha, float64(l.options.Gamma*future))
		// As in Chan's paper, the maximum is over all actions, even illegal ones.
		future = l.valueOf(0)
		for a := range l.actions.number() {
			future = max(future, l.valueOf(a))
		}
		future = -future
	}
}
