package selfplay

import (
	"math/rand/v2"

	"backsolve/game"
	"backsolve/player/zero"
	"backsolve/research/nn"
)

// Sample is a state with what is to be learned of it.
type Sample struct {
	State zero.State
	nn.Target
}

// episode is a game in play. It goes on as far as the evaluations reach that are known.
type episode struct {
	view  zero.View
	start zero.State // where it begins, or random moves are made from
	games *Games     // as they are played
	rand  *rand.Rand
	// evaluators are those of the player who begins and of the other.
	evaluators [2]*zero.Evaluator
	// learns says that samples are kept, and that there is noise.
	learns bool
	// believed is the share of what the search has found in the values of the samples.
	believed float32

	tree        *zero.Tree
	simulations int
	state       zero.State
	ply         int // made from the beginning on
	random      bool
	searched    int // simulations of this move, −1 before the root is evaluated
	waiting     bool
	leaf        zero.State
	visits      []zero.Visit
	actions     []int16

	// Before a ply, who moves at the plies of a parity is a stranger, who moves at random.
	strange, until int

	samples []Sample
	ends    []ending // of the samples
	over    bool
	// outcome is that for who began.
	outcome game.Outcome
}

// ending says how the end of the game enters the value of a sample.
type ending struct {
	ply int
	// known: not at all, as the value is proved, or strangers move afterwards.
	known bool
}

// begin puts the game where it begins.
func (e *episode) begin() {
	e.state = e.start
	switch {
	case !e.learns:
	case e.rand.Float64() < e.games.RandomStarts:
		e.state, e.random = e.randomState(), true
	case e.games.Strangers > 0 && e.rand.Float64() < e.games.Strangers:
		e.random, e.strange, e.until = true, e.rand.IntN(2), e.rand.IntN(e.view.Actions())
	}
	e.think()
}

// randomState returns a state that is not over, after random moves. Where the game is
// over too early, another number of moves is drawn.
func (e *episode) randomState() zero.State {
	for {
		s := e.start
		for left := e.rand.IntN(e.view.Actions()); ; left-- {
			if _, over := e.view.Terminal(s); over {
				break
			}
			if left == 0 {
				return s
			}
			s = e.randomMove(s)
		}
	}
}

// randomMove returns the state after a random move, which does not lose at once where
// another can be made.
func (e *episode) randomMove(s zero.State) zero.State {
	e.actions = e.view.Legal(e.actions[:0], s)
	var safe []zero.State
	for _, a := range e.actions {
		after := e.view.Play(s, int(a))
		if outcome, over := e.view.Terminal(after); !over || outcome != game.Win {
			safe = append(safe, after)
		}
	}
	if len(safe) == 0 {
		return e.view.Play(s, int(e.actions[e.rand.IntN(len(e.actions))]))
	}
	return safe[e.rand.IntN(len(safe))]
}

// evaluator is that of the player to move.
func (e *episode) evaluator() *zero.Evaluator { return e.evaluators[e.ply%2] }

// think begins the search for a move, or ends the game where there is none to search for.
// Strangers' moves are made before.
func (e *episode) think() {
	if _, over := e.view.Terminal(e.state); !over && e.ply < e.until && e.ply%2 == e.strange {
		e.state = e.randomMove(e.state)
		e.ply++
	}
	e.tree.Reset(e.state)
	e.searched = -1
	if value, decided := e.tree.Decided(); decided && e.tree.Over() {
		e.end(value)
	}
}

// run goes on until the game is over or waits for the evaluation of the leaf.
func (e *episode) run() {
	for !e.over {
		if e.waiting {
			v, known := e.evaluator().Lookup(e.leaf)
			if !known {
				return
			}
			e.waiting = false
			e.tree.Expand(v)
			e.count()
			continue
		}
		if _, decided := e.tree.Decided(); decided || e.searched == e.simulations {
			e.move()
			continue
		}
		var evaluate bool
		if e.leaf, evaluate = e.tree.Select(); evaluate {
			e.waiting = true
		} else {
			e.count()
		}
	}
}

// count counts a simulation, or the root's evaluation before the first one.
func (e *episode) count() {
	if e.searched++; e.searched == 0 && e.learns && e.games.Noise > 0 {
		e.tree.AddNoise(e.rand, e.games.Alpha, e.games.Noise)
	}
}

// move makes a move after a search.
func (e *episode) move() {
	e.visits = e.tree.Visits(e.visits[:0])
	if e.learns {
		e.keep()
	}
	action := e.tree.Best()
	if e.ply < e.games.Exploring {
		action = e.tree.Draw(e.rand)
	}
	e.state = e.view.Play(e.state, action)
	e.ply++
	e.think()
}

// keep keeps what the search has found as a sample; the value of one that is not proved
// is, until the game's end, the mean of the visits.
func (e *episode) keep() {
	s := Sample{State: e.state}
	for _, v := range e.visits {
		s.Actions = append(s.Actions, int16(v.Action))
		s.Policy = append(s.Policy, v.Share)
	}
	value, proved := e.tree.Decided()
	if s.Value = value; !proved {
		s.Value = e.tree.Mean()
	}
	e.samples, e.ends = append(e.samples, s), append(e.ends, ending{e.ply, proved || e.ply < e.until})
}

// end ends the game with a value for the player to move. The samples of which no more is known
// get what that is to who was to move, and what the search had found, by the shares of both.
func (e *episode) end(value float32) {
	e.over = true
	for i := range e.samples {
		if at := e.ends[i]; !at.known {
			z := value
			if (e.ply-at.ply)%2 == 1 {
				z = -value
			}
			searched := &e.samples[i].Value
			*searched = z + float32(e.believed*(*searched-z))
		}
	}
	e.outcome = game.Draw
	if value != 0 {
		e.outcome = game.Lose
		if (value > 0) == (e.ply%2 == 0) {
			e.outcome = game.Win
		}
	}
}
