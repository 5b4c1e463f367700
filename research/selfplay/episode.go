package selfplay

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"backsolve/game"
	"backsolve/internal/matrix"
	"backsolve/internal/player/zero"
	"backsolve/internal/search"
	"backsolve/research/nn"
)

// Sample is a state with its training target.
type Sample struct {
	State zero.State
	nn.Target
}

func (s Sample) image(v zero.Symmetric, element int) Sample {
	state, action := v.Image(s.State, element)
	s.State, s.Actions = state, slices.Clone(s.Actions)
	for i, a := range s.Actions {
		s.Actions[i] = action(a)
	}
	return s
}

// episode is a game of self-play. It runs until it needs an evaluation that is not cached.
type episode struct {
	view        zero.View
	start       zero.State // of the game, or of its random moves
	games       *Games
	rand        *rand.Rand
	evaluators  [2]*zero.Evaluator // of the first and of the second player
	learns      bool               // keeps samples, and has noise at the root
	searchShare float32            // of the search's value in the values of the samples

	tree        *zero.Tree
	keeps       bool    // the tree between moves
	discount    float64 // of values a ply earlier, 0 for none
	simulations int
	state       zero.State
	ply         int // counted from the first move
	random      bool
	searched    int // simulations of this move, −1 before the root is evaluated
	waiting     bool
	leaf        zero.State
	visits      []zero.Visit
	actions     []int16

	// In an opening of openingEnd plies the player of the plies of openingParity moves at random.
	openingParity, openingEnd int

	samples []Sample
	ends    []ending // of the samples
	over    bool
	outcome game.Outcome // for the first player
}

// ending says how the end of the game enters the value of a sample: not at all if final,
// because the value is proved or an off-policy opening follows.
type ending struct {
	ply   int
	final bool
}

func (e *episode) begin() {
	e.state = e.start
	switch {
	case !e.learns:
	case e.rand.Float64() < e.games.RandomStarts:
		e.state, e.random = e.randomState(), true
	case e.games.OffPolicy > 0 && e.rand.Float64() < e.games.OffPolicy:
		e.random, e.openingParity, e.openingEnd = true, e.rand.IntN(2), e.rand.IntN(e.view.Actions())
	}
	e.think()
}

// randomState returns an open state after a random number of random moves.
func (e *episode) randomState() zero.State {
	if v, ok := e.view.(anyBoard); ok && e.rand.Float64() < e.games.RandomBoards {
		return v.Random(e.rand)
	}
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

// randomMove returns the state after a random move that does not lose at once, if there is one.
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

func (e *episode) evaluator() *zero.Evaluator { return e.evaluators[e.ply%2] }

// think makes the random move of an off-policy opening, and begins the next search or ends the game.
func (e *episode) think() {
	if _, over := e.view.Terminal(e.state); !over && e.ply < e.openingEnd && e.ply%2 == e.openingParity {
		e.state = e.randomMove(e.state)
		e.ply++
	}
	e.searched = -1
	if !e.keeps || !e.tree.Advance(e.state) {
		e.tree.Reset(e.state)
	} else if e.tree.Open() {
		e.count()
	}
	switch value, decided := e.tree.Decided(); {
	case decided && e.tree.Over():
		e.end(value)
	case e.games.Limit > 0 && e.ply >= e.games.Limit:
		e.end(0)
	}
}

// run plays until the game is over or waits for the evaluation of a leaf.
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

// count counts a simulation; the first call stands for the evaluation of the root.
func (e *episode) count() {
	if e.searched++; (e.searched == 0 || e.games.Renewed) && e.learns && e.games.Noise > 0 {
		e.tree.AddNoise(e.games.Noise, distuv.Gamma{Alpha: e.games.Alpha, Beta: 1, Src: e.rand}.Rand)
	}
}

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

// keep records the search as a sample, with the proved value or for now the mean of the visits.
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
	e.samples, e.ends = append(e.samples, s), append(e.ends, ending{e.ply, proved || e.ply < e.openingEnd})
}

// end ends the game with its value for the player to move. Samples that are not final get a
// weighted mean of that value, as seen by their player to move, and the search's.
func (e *episode) end(value float32) {
	e.over = true
	for i := range e.samples {
		if at := e.ends[i]; !at.final {
			z := value
			if (e.ply-at.ply)%2 == 1 {
				z = -value
			}
			if e.discount > 0 {
				z *= float32(math.Pow(e.discount, float64(e.ply-at.ply)))
			}
			searched := &e.samples[i].Value
			*searched = z + float32(e.searchShare*(*searched-z))
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

// lockstep plays games side by side, with a batch of evaluations whenever all need one. A game depends
// only on its own random numbers. The error is the cause of ctx.
func lockstep(ctx context.Context, episodes []*episode, threads int) error {
	matrix.Share(len(episodes), threads, func(first, end int) {
		for _, e := range episodes[first:end] {
			e.begin()
		}
	})
	var wanted []zero.State
	for active := slices.Clone(episodes); len(active) > 0; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		matrix.Share(len(active), threads, func(first, end int) {
			for _, e := range active[first:end] {
				e.run()
			}
		})
		active = slices.DeleteFunc(active, func(e *episode) bool { return e.over })
		for left := active; len(left) > 0; { // a batch for one network
			asked := left[0].evaluator()
			var others []*episode
			wanted = wanted[:0]
			for _, e := range left {
				if e.evaluator() == asked {
					wanted = append(wanted, e.leaf)
				} else {
					others = append(others, e)
				}
			}
			asked.Evaluate(wanted)
			left = others
		}
	}
	return nil
}

// The streams of random numbers of an iteration.
const (
	ofInit = iota
	ofGames
	ofTraining
	ofAcceptance
)

// chance returns a generator of random numbers for one use in a stream of an iteration.
func chance(seed uint64, iteration, stream, number int) *rand.Rand {
	return rand.New(rand.NewPCG(search.Mix(search.Mix(seed)+uint64(iteration)), search.Mix(search.Mix(uint64(stream))+uint64(number))))
}
