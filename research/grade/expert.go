package grade

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"backsolve/game"
	"backsolve/player"
	"backsolve/player/zero"
	"backsolve/probe"
)

// Shares counts states by what an agent did in them.
type Shares struct {
	// States is how many there are, and Different how many of them the agent tells apart.
	States, Different int
	// Keep is the number of those in which the move keeps the value, Strict in which it
	// also wins as soon or loses as late as can be; without steps both are the same.
	Keep, Strict int
	// Policy is in how many the move that the network alone would make keeps the value,
	// Sign in how many of those that are won or lost its value has the right sign of the
	// Signed ones there are; where the agent does not tell, all of them are 0.
	Policy, Sign, Signed int

	// kept and strict count, by the number of moves that a state has, the moves that keep
	// its value.
	kept, strict map[int]int
}

// Random is the share of states in which a random mover keeps the value, exactly, and
// strict the same with the steps.
func (s *Shares) Random() (keep, strict float64) {
	return s.mean(s.kept), s.mean(s.strict)
}

func (s *Shares) mean(good map[int]int) float64 {
	sum := 0.0
	for _, moves := range slices.Sorted(maps.Keys(good)) {
		sum += float64(good[moves]) / float64(moves)
	}
	return sum / float64(s.States)
}

// Expertise is how an agent did in all states, in those that are won for the player to
// move, in which alone much can be done wrong where there are no draws, and in both by
// how far the game is.
type Expertise struct {
	All, Won     *Shares
	AllBy, WonBy map[int]*Shares
	// HeldOut and HeldOutWon are those of them from which the agent has not learned, nil
	// where it has from all.
	HeldOut, HeldOutWon *Shares
	HasSteps, Estimate  bool
	// Whole says that all states were looked at that play can reach.
	Whole bool
}

// seen is what an agent did in a state.
type seen struct {
	progress     int
	won, heldOut bool
	moves        int
	kept, strict int // moves that keep the value
	keep, right  bool
	policy, sign bool
	signed       bool
}

// Expert asks the agent in so many states, each that is not over with the same
// probability, or in all that play can reach where none are given; of a board that is no
// grid, or from a position, only those count that play can reach. With Late they are positions
// of random games.
// progress may be nil; else it is called from the caller's goroutine.
func (a *Subject) Expert(ctx context.Context, states int, progress func(done, total int)) (*Expertise, error) {
	positions, err := a.positions(ctx, states)
	if err != nil {
		return nil, err
	}
	x := &Expertise{All: newShares(), Won: newShares(), AllBy: map[int]*Shares{}, WonBy: map[int]*Shares{}, HasSteps: a.Answers.HasSteps(), Whole: states == 0}
	_, x.Estimate = a.Agent.(Estimator)
	if h, ok := a.Agent.(Holder); ok && h.HoldsOut() {
		x.HeldOut, x.HeldOutWon = newShares(), newShares()
	}
	positions, times := a.alike(positions)
	const chunk = 1 << 10
	for from := 0; from < len(positions); from += chunk {
		part := positions[from:min(from+chunk, len(positions))]
		all := make([]seen, len(part))
		err := a.each(ctx, len(part), func(i int, rated []probe.Rated) ([]probe.Rated, error) {
			return a.look(ctx, part[i], &all[i], rated)
		})
		if err != nil {
			return nil, err
		}
		for i := range all {
			x.add(&all[i], times[from+i])
		}
		if progress != nil {
			progress(from+len(part), len(positions))
		}
	}
	return x, nil
}

func newShares() *Shares { return &Shares{kept: map[int]int{}, strict: map[int]int{}} }

// look asks the agent in a position.
func (a *Subject) look(ctx context.Context, s game.State, is *seen, buf []probe.Rated) ([]probe.Rated, error) {
	value, rated, err := a.Answers.Rate(a.Rules, s, buf)
	if err != nil {
		return buf, err
	}
	_, at, err := a.ask(ctx, s, rated)
	if err != nil {
		return rated, err
	}
	is.progress, is.won, is.moves = a.progress(s), value.Outcome == game.Win, len(rated)
	if h, ok := a.Agent.(Holder); ok {
		is.heldOut = h.HeldOut(s)
	}
	for _, r := range rated {
		if r.Outcome == value.Outcome {
			is.kept++
		}
		if r.Value == value {
			is.strict++
		}
	}
	is.keep, is.right = rated[at].Outcome == value.Outcome, rated[at].Value == value
	if e, ok := a.Agent.(Estimator); ok {
		guess, m := e.Estimate(s)
		if at := place(rated, m); at >= 0 {
			is.policy = rated[at].Outcome == value.Outcome
		}
		is.signed = value.Outcome != game.Draw
		is.sign = is.signed && (guess > 0) == (value.Outcome == game.Win)
	}
	return rated, nil
}

// alike returns one of the positions that are alike to the agent, where it is Symmetric,
// and how often each stands for one. The rules have the agent's symmetries, too.
func (a *Subject) alike(positions []game.State) (different []game.State, times []int) {
	agent, ok := a.Agent.(Symmetric)
	if !ok {
		return positions, slices.Repeat([]int{1}, len(positions))
	}
	at := map[zero.State]int{}
	for _, s := range positions {
		key := agent.Canonical(s)
		if _, met := at[key]; !met {
			at[key] = len(different)
			different, times = append(different, s), append(times, 0)
		}
		times[at[key]]++
	}
	return different, times
}

// add counts a state so many times.
func (x *Expertise) add(s *seen, times int) {
	heldOut := x.HeldOut != nil && s.heldOut
	x.count(x.All, s, times)
	x.count(by(x.AllBy, s.progress), s, times)
	if heldOut {
		x.count(x.HeldOut, s, times)
	}
	if !s.won {
		return
	}
	x.count(x.Won, s, times)
	x.count(by(x.WonBy, s.progress), s, times)
	if heldOut {
		x.count(x.HeldOutWon, s, times)
	}
}

func by(m map[int]*Shares, progress int) *Shares {
	if m[progress] == nil {
		m[progress] = newShares()
	}
	return m[progress]
}

func (x *Expertise) count(to *Shares, s *seen, times int) {
	one := func(is bool) int {
		if is {
			return times
		}
		return 0
	}
	to.States += times
	to.Different++
	to.Keep += one(s.keep)
	to.Strict += one(s.right)
	to.Policy += one(s.policy)
	to.Sign += one(s.sign)
	to.Signed += one(s.signed)
	to.kept[s.moves] += times * s.kept
	to.strict[s.moves] += times * s.strict
}

// MaxReached is the largest number of states that are looked for by play.
const MaxReached = 1 << 22

// positions returns the states in which the agent is asked.
func (a *Subject) positions(ctx context.Context, states int) ([]game.State, error) {
	if states > 0 && a.Late > 0 {
		return a.late(ctx, player.NewRand(a.Seed), states)
	}
	draw := a.drawn()
	if states == 0 || draw == nil {
		if err := a.reach(ctx); err != nil || states == 0 {
			return a.open, err
		}
		draw = func(r *rand.Rand) game.State { return a.open[r.IntN(len(a.open))] }
	}
	r := player.NewRand(a.Seed)
	all := make([]game.State, states)
	for i := range all {
		all[i] = draw(r)
	}
	return all, nil
}

// drawn returns what draws a state that is not over without knowing them all, nil where
// nothing can: on grids each of the game or, from a position of a game of one kind of marks,
// each that has its marks, which play can reach, as nothing that it comes through is over.
func (a *Subject) drawn() func(r *rand.Rand) game.State {
	grid, ok := game.GridOf(a.Rules)
	if !ok {
		return nil
	}
	if a.Start() == a.Rules.Start() {
		return func(r *rand.Rand) game.State { return probe.RandomOpenPosition(grid, r) }
	}
	from, ok := a.From.(game.Position)
	if !ok || grid.Marks() != 1 || grid.Info().MoveKind != game.Marks {
		return nil
	}
	return func(r *rand.Rand) game.State {
		for {
			p := probe.RandomPosition(grid, r)
			p.X |= from.X
			if _, over := grid.Terminal(p); !over {
				return p
			}
		}
	}
}

// reach finds the states that play can reach, once.
func (a *Subject) reach(ctx context.Context) (err error) {
	if a.open == nil {
		a.open, err = a.reached(ctx)
	}
	return err
}

// reached returns the states that are not over and that play can reach, those after fewer
// moves first.
func (a *Subject) reached(ctx context.Context) (open []game.State, err error) {
	found := map[game.State]bool{a.Start(): true}
	queue := []game.State{a.Start()}
	var moves []game.Move
	for i := 0; i < len(queue); i++ {
		if _, over := a.Rules.Terminal(queue[i]); over {
			continue
		}
		open = append(open, queue[i])
		moves = a.Rules.Moves(moves[:0], queue[i])
		for _, m := range moves {
			if next := a.Rules.Play(queue[i], m); !found[next] {
				found[next] = true
				queue = append(queue, next)
			}
		}
		if len(queue) > MaxReached {
			return nil, fmt.Errorf("play can reach more than %d states of %v; give a number of states to be drawn", MaxReached, a.Rules.Info())
		}
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return open, nil
}
