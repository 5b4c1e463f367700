package grade

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/player/zero"
)

// Shares counts states by the agent's moves.
type Shares struct {
	States    int
	Different int // to the agent
	// In Keep states the move keeps the value; in Strict ones it also wins soonest or loses
	// latest, if steps are known.
	Keep, Strict int
	// In Policy states the network's own move keeps the value; Signed are won or lost, and in
	// Sign of these its value has the right sign. All are 0 without an Estimator.
	Policy, Sign, Signed int

	// kept and strict count the moves that keep the value, by the state's number of moves.
	kept, strict map[int]int
}

// Random returns the exact shares of states in which a random mover keeps the value, and the
// steps too.
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

// Expertise counts all states and the won ones, also by progress.
type Expertise struct {
	All, Won     *Shares
	NotLost      *Shares // the won and drawn states: in lost ones no move errs
	AllBy, WonBy map[int]*Shares
	// HeldOut and HeldOutWon count those held out of training, nil if none were.
	HeldOut, HeldOutWon *Shares
	HasSteps, Estimate  bool
	Whole               bool // all reachable states
}

// seen is the result of a state.
type seen struct {
	progress     int
	won, lost    bool
	heldOut      bool
	moves        int
	kept, strict int // moves that keep the value
	keep, right  bool
	policy, sign bool
	signed       bool
}

// Expert asks the agent in random open states or, if states is 0, in all reachable ones. Off
// grids and from most positions it draws from the reachable states, with Late from random
// games. progress, unless it is nil, is called from the caller's goroutine.
func (a *Subject) Expert(ctx context.Context, states int, progress func(done, total int)) (*Expertise, error) {
	positions, err := a.positions(ctx, states)
	if err != nil {
		return nil, err
	}
	x := &Expertise{All: newShares(), Won: newShares(), NotLost: newShares(), AllBy: map[int]*Shares{}, WonBy: map[int]*Shares{}, HasSteps: a.Answers.HasSteps(), Whole: states == 0}
	_, x.Estimate = a.Agent.(Estimator)
	if h, ok := a.Agent.(Holder); ok && h.HoldsOut() {
		x.HeldOut, x.HeldOutWon = newShares(), newShares()
	}
	positions, times := a.alike(positions)
	const chunk = 1 << 10
	for from := 0; from < len(positions); from += chunk {
		batch := positions[from:min(from+chunk, len(positions))]
		all := make([]seen, len(batch))
		err := a.each(ctx, len(batch), func(i int) (err error) {
			all[i], err = a.look(ctx, batch[i])
			return err
		})
		if err != nil {
			return nil, err
		}
		for i := range all {
			x.add(&all[i], times[from+i])
		}
		if progress != nil {
			progress(from+len(batch), len(positions))
		}
	}
	return x, nil
}

func newShares() *Shares { return &Shares{kept: map[int]int{}, strict: map[int]int{}} }

// look asks the agent in a position.
func (a *Subject) look(ctx context.Context, s game.State) (is seen, err error) {
	value, rated, err := a.Answers.Rate(a.Rules, s, nil)
	if err != nil {
		return is, err
	}
	_, at, err := a.ask(ctx, s, rated)
	if err != nil {
		return is, err
	}
	is.progress, is.won, is.lost, is.moves = a.progress(s), value.Outcome == game.Win, value.Outcome == game.Lose, len(rated)
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
		is.policy = keepsValue(value.Outcome, rated, m)
		is.signed = value.Outcome != game.Draw
		is.sign = is.signed && (guess > 0) == (value.Outcome == game.Win)
	}
	return is, nil
}

// alike returns one of all positions that a Symmetric agent plays alike, and their numbers.
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

func (x *Expertise) add(s *seen, times int) {
	x.All.add(s, times)
	by(x.AllBy, s.progress).add(s, times)
	if x.HeldOut != nil && s.heldOut {
		x.HeldOut.add(s, times)
	}
	if !s.lost {
		x.NotLost.add(s, times)
	}
	if !s.won {
		return
	}
	x.Won.add(s, times)
	by(x.WonBy, s.progress).add(s, times)
	if x.HeldOut != nil && s.heldOut {
		x.HeldOutWon.add(s, times)
	}
}

func by(m map[int]*Shares, progress int) *Shares {
	if m[progress] == nil {
		m[progress] = newShares()
	}
	return m[progress]
}

func (to *Shares) add(s *seen, times int) {
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

// positions returns the states in which the agent is asked.
func (a *Subject) positions(ctx context.Context, states int) (all []game.State, err error) {
	r := player.NewRand(a.Seed)
	if states > 0 && a.Late > 0 {
		return lateStates(ctx, a.Rules, a.Start(), a.Late, states, r)
	}
	draw := drawer(a.Rules, a.From)
	if states == 0 || draw == nil {
		if a.open == nil {
			if a.open, err = reachable(ctx, a.Rules, a.Start()); err != nil {
				return nil, err
			}
		}
		if states == 0 {
			return a.open, nil
		}
		draw = func(r *rand.Rand) game.State { return a.open[r.IntN(len(a.open))] }
	}
	for range states {
		all = append(all, draw(r))
	}
	return all, nil
}
