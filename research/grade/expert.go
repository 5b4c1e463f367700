package grade

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/player/zero"
	"backsolve/internal/probe"
	"backsolve/internal/probe/survey"
	"backsolve/internal/search"
)

// Shares counts states by the agent's moves.
type Shares struct {
	States    int
	Different int // to the agent
	// Keep counts moves that keep the value, Strict those that also win soonest or lose latest, if known.
	Keep, Strict int
	// In Policy states the network's own move keeps the value; Signed are won or lost, and in
	// Sign of these its value has the right sign. All are 0 without a network.
	Policy, Sign, Signed int

	kept, strict map[int]int // moves that keep the value, by the state's number of moves
}

// Random returns the exact shares of states in which a random mover keeps the value, and the steps.
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
	All, Won            *Shares
	NotLost             *Shares // the won and drawn states: in lost ones no move errs
	AllBy, WonBy        map[int]*Shares
	HeldOut, HeldOutWon *Shares // states held out of training, nil if none were
	HasSteps, Estimate  bool
	Whole               bool // all reachable states
}

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
	x.Estimate = a.network() != nil
	if x.Estimate && a.network().HoldsOut() {
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

func (a *Subject) look(ctx context.Context, s game.State) (is seen, err error) {
	value, rated, err := a.Answers.Rate(a.Rules, s, nil)
	if err != nil {
		return is, err
	}
	_, at, err := a.ask(ctx, s, rated)
	if err != nil {
		return is, err
	}
	_, is.progress = a.Progress(s)
	is.won, is.lost, is.moves = value.Outcome == game.Win, value.Outcome == game.Lose, len(rated)
	for _, r := range rated {
		if r.Outcome == value.Outcome {
			is.kept++
		}
		if r.Value == value {
			is.strict++
		}
	}
	is.keep, is.right = rated[at].Outcome == value.Outcome, rated[at].Value == value
	if agent := a.network(); agent != nil {
		is.heldOut = agent.HeldOut(s)
		guess, m := agent.Estimate(s)
		is.policy = keepsValue(value.Outcome, rated, m)
		is.signed = value.Outcome != game.Draw
		is.sign = is.signed && (guess > 0) == (value.Outcome == game.Win)
	}
	return is, nil
}

// alike returns one of all positions that the agent plays alike, and their numbers.
func (a *Subject) alike(positions []game.State) (different []game.State, times []int) {
	agent := a.network()
	if agent == nil {
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
	count := func(all *Shares, by map[int]*Shares, heldOut *Shares) {
		if by[s.progress] == nil {
			by[s.progress] = newShares()
		}
		all.add(s, times)
		by[s.progress].add(s, times)
		if heldOut != nil && s.heldOut {
			heldOut.add(s, times)
		}
	}
	count(x.All, x.AllBy, x.HeldOut)
	if !s.lost {
		x.NotLost.add(s, times)
	}
	if s.won {
		count(x.Won, x.WonBy, x.HeldOutWon)
	}
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

func (a *Subject) positions(ctx context.Context, states int) (all []game.State, err error) {
	r := player.NewRand(a.Seed)
	if states > 0 && a.Late > 0 {
		return lateStates(ctx, a.Rules, a.Start(), a.Late, states, r)
	}
	if t, ok := a.Answers.(*probe.Sparse); ok && states > 0 && a.Start() == a.Rules.Start() {
		return survey.RandomOpen(ctx, t, states, r)
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

// MaxReached is the largest number of states to enumerate by play.
const MaxReached = 1 << 22

// drawer returns a function that draws open states without finding them all, nil if there is
// none: on grids it draws from all states of the game or, from a position of a game with one
// kind of marks, from those with its marks.
func drawer(rules game.Rules, from game.State) func(r *rand.Rand) game.State {
	grid, ok := game.GridOf(rules)
	if !ok {
		return nil
	}
	if from == nil || from == rules.Start() {
		return func(r *rand.Rand) game.State { return probe.RandomOpenPosition(grid, r) }
	}
	marks, ok := from.(game.Position)
	if !ok || grid.Marks() != 1 || grid.Info().MoveKind != game.Marks {
		return nil
	}
	return func(r *rand.Rand) game.State {
		for {
			p := probe.RandomPosition(grid, r)
			p.X |= marks.X
			if _, over := grid.Terminal(p); !over {
				return p
			}
		}
	}
}

// reachable returns the open states that play can reach, those after fewer moves first.
func reachable(ctx context.Context, rules game.Rules, start game.State) (open []game.State, err error) {
	found := map[game.State]bool{start: true}
	queue := []game.State{start}
	var moves []game.Move
	for i := 0; i < len(queue); i++ {
		if _, over := rules.Terminal(queue[i]); over {
			continue
		}
		open = append(open, queue[i])
		moves = rules.Moves(moves[:0], queue[i])
		for _, m := range moves {
			if next := rules.Play(queue[i], m); !found[next] {
				found[next] = true
				queue = append(queue, next)
			}
		}
		if len(queue) > MaxReached {
			return nil, fmt.Errorf("play can reach more than %d states of %v; give a number of states to be drawn", MaxReached, rules.Info())
		}
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return open, nil
}

// lateStates returns of random games the first position with few cells left, a number from 1 to late.
func lateStates(ctx context.Context, rules game.Rules, start game.State, late, states int, r *rand.Rand) (all []game.State, err error) {
	ending, ok := search.NewEnding(rules)
	if !ok {
		return nil, fmt.Errorf("the ends of games of %v are not solved by search; draw states of the whole game", rules.Info())
	}
	var moves []game.Move
	for len(all) < states {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		s, left := start, 1+r.IntN(late)
		for moves = rules.Moves(moves[:0], s); len(moves) > 0 && ending.Left(s) > left; moves = rules.Moves(moves[:0], s) {
			s = rules.Play(s, moves[r.IntN(len(moves))])
		}
		if len(moves) > 0 { // the game is not over before
			all = append(all, s)
		}
	}
	return all, nil
}

// Opinion is a network's evaluation of a position, with the exact one.
type Opinion struct {
	State game.State
	Worth game.Outcome // for the player to move
	Value float32      // the network's, from −1 to 1
	// Favourite is the first of the most probable moves. It is Right if it keeps the value.
	Favourite zero.Share
	Right     bool
	// Keeping are the searched moves that keep the value.
	Keeping []zero.Share

	rated []probe.Rated // all moves
}

// Kept returns the probability of the moves that keep the value.
func (o *Opinion) Kept() float64 { return sumOf(o.Keeping) }

func sumOf(moves []zero.Share) (sum float64) {
	for _, m := range moves {
		sum += float64(m.Fraction)
	}
	return sum
}

// Opinion asks the agent's network about an open position.
func (a *Subject) Opinion(s game.State) (*Opinion, error) {
	agent := a.network()
	if agent == nil {
		return nil, errors.New("only agents with a network show how they choose a move")
	}
	value, rated, err := a.Answers.Rate(a.Rules, s, nil)
	if err != nil {
		return nil, err
	}
	o := &Opinion{State: s, Worth: value.Outcome, rated: rated}
	var moves []zero.Share
	o.Value, moves = agent.Priors(s)
	for _, m := range moves {
		keeps := keepsValue(value.Outcome, rated, m.Move)
		if keeps {
			o.Keeping = append(o.Keeping, m)
		}
		if m.Fraction > o.Favourite.Fraction {
			o.Favourite, o.Right = m, keeps
		}
	}
	return o, nil
}

func keepsValue(worth game.Outcome, rated []probe.Rated, m game.Move) bool {
	at := place(rated, m)
	return at >= 0 && rated[at].Outcome == worth
}

// Misled returns up to number positions in which the network is most sure of a move that gives
// away the value, the most probable move first. It chooses from the states of Expert, one of
// those that the agent plays alike.
func (a *Subject) Misled(ctx context.Context, states, number int) ([]*Opinion, error) {
	positions, err := a.positions(ctx, states)
	if err != nil {
		return nil, err
	}
	positions, _ = a.alike(positions)
	all := make([]*Opinion, len(positions))
	err = a.each(ctx, len(positions), func(i int) error {
		o, err := a.Opinion(positions[i])
		if err == nil && !o.Right && o.Favourite.Fraction > 0 {
			all[i] = o
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(o *Opinion) bool { return o == nil })
	slices.SortStableFunc(all, func(a, b *Opinion) int { return cmp.Compare(b.Favourite.Fraction, a.Favourite.Fraction) })
	return all[:min(number, len(all))], nil
}

// Snapshot is a search after a number of simulations.
type Snapshot struct {
	Simulations int     `json:"simulations"`
	Kept        float64 `json:"keeping"` // the share of the moves that keep the value
	Proved      bool    `json:"proved"`  // the value was proved by then
}

// Follow searches the position of an opinion, with snapshots after ascending numbers of simulations.
func (a *Subject) Follow(ctx context.Context, o *Opinion, numbers []int) (all []Snapshot, err error) {
	found, err := a.network().Study(ctx, o.State, numbers)
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		kept := slices.DeleteFunc(f.Shares, func(m zero.Share) bool { return !keepsValue(o.Worth, o.rated, m.Move) })
		all = append(all, Snapshot{f.Simulations, sumOf(kept), f.Proved})
	}
	return all, nil
}
