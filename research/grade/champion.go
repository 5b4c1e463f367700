package grade

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"backsolve/game"
	"backsolve/internal/player/zero"
	"backsolve/internal/search"
)

// Walk is the result of an agent's games from the start position against every opponent.
type Walk struct {
	Side     string `json:"side"`     // of the agent
	Worth    string `json:"worth"`    // of the start position, for the agent
	Champion bool   `json:"champion"` // no opponent gets more than the start position is worth
	// States counts the states in which the agent moves, each once, and symmetric images of a state as
	// one if the agent treats them alike. In Kept of them it still has the value of the start, and
	// in Wrong of these its move gives that away.
	States int `json:"states"`
	Kept   int `json:"kept"`
	Wrong  int `json:"wrong"`
	// Line is the shortest game in which the agent gets less, if there is one; with Cycles one
	// to a state to which an opponent can return forever, so that the agent does not win.
	Line   []string `json:"line"`
	Cycles bool     `json:"cycles,omitempty"`
	Played []Played `json:"-"` // in the states in which it was to move
}

// Played is a move that an agent makes in a state.
type Played struct {
	State game.State
	Move  game.Move
}

// MaxMet is the largest number of states of a walk.
const MaxMet = 1 << 24

// Champion plays one side against every opponent by trying all replies. The start position must
// not be lost for that side. progress, unless it is nil, is called from the caller's goroutine
// with the numbers of states done and met so far.
func (a *Subject) Champion(ctx context.Context, side game.Side, progress func(done, met int)) (*Walk, error) {
	return a.champion(ctx, side, 1<<10, progress)
}

func (a *Subject) champion(ctx context.Context, side game.Side, batch int, progress func(done, met int)) (*Walk, error) {
	start := a.Start()
	value, _, err := a.Answers.Rate(a.Rules, start, nil)
	if err != nil {
		return nil, err
	}
	w := &walker{Subject: a, side: side, worth: value.Outcome, met: map[any]int32{}}
	if a.Rules.Turn(start) != side {
		w.worth = value.Outcome.Flip()
	}
	if w.worth == game.Lose {
		return nil, fmt.Errorf("%s of %v is lost for %v under best play; a champion plays the other side", a.Rules.Format(start), a.Rules.Info(), side)
	}
	if err := w.walk(ctx, start, batch, progress); err != nil {
		return nil, err
	}
	if w.beaten < 0 {
		w.beaten = w.cycle()
		w.Cycles = w.beaten >= 0
	}
	w.Walk.Champion, w.Walk.Side, w.Walk.Worth = w.beaten < 0, side.String(), w.worth.String()
	w.trace()
	return &w.Walk, nil
}

// Sides returns those that a champion has to play: the winner's under best play, both in a draw.
func (a *Subject) Sides() ([]game.Side, error) {
	start := a.Start()
	value, _, err := a.Answers.Rate(a.Rules, start, nil)
	if err != nil {
		return nil, err
	}
	turn := a.Rules.Turn(start)
	sides := []game.Side{turn, turn.Other()}
	switch value.Outcome {
	case game.Win:
		sides = sides[:1]
	case game.Lose:
		sides = sides[1:]
	}
	return sides, nil
}

type walker struct {
	*Subject
	Walk
	side   game.Side
	worth  game.Outcome
	met    map[any]int32 // where in the queue, by key
	queue  []visit
	next   [][2]int32 // visits and their successors, where cycles matter
	beaten int        // the first visit in which the agent got less, −1 if none
	moves  []game.Move
}

type visit struct {
	state  game.State
	parent int
}

// key is the same for states that the agent plays alike, with the player to move.
func (w *walker) key(s game.State) any {
	if agent := w.network(); agent != nil {
		return struct {
			zero.State
			game.Side
		}{agent.Canonical(s), w.Rules.Turn(s)}
	}
	return s
}

func (w *walker) walk(ctx context.Context, start game.State, batch int, progress func(done, met int)) error {
	w.beaten = -1
	w.meet(start, -1)
	for done := 0; done < len(w.queue); {
		visits := w.queue[done:min(done+batch, len(w.queue))]
		replies, err := w.replies(ctx, visits)
		if err != nil {
			return err
		}
		for i, v := range visits {
			w.follow(done+i, v.state, replies[i])
		}
		if len(w.queue) > MaxMet {
			return fmt.Errorf("opponents lead to more than %d states; this board is too large for a walk", MaxMet)
		}
		if done += len(visits); progress != nil {
			progress(done, len(w.queue))
		}
	}
	return nil
}

// follow queues the successors of a state: after the agent's reply if it is to move, else all.
func (w *walker) follow(at int, s game.State, r reply) {
	if outcome, over := w.Rules.Terminal(s); over {
		if w.Rules.Turn(s) != w.side {
			outcome = outcome.Flip()
		}
		if w.beaten < 0 && search.Sign(outcome) < search.Sign(w.worth) {
			w.beaten = at
		}
		return
	}
	if w.Rules.Turn(s) != w.side {
		w.moves = w.Rules.Moves(w.moves[:0], s)
		for _, m := range w.moves {
			w.meet(w.Rules.Play(s, m), at)
		}
		return
	}
	w.States++
	w.Played = append(w.Played, Played{s, r.move})
	if r.kept {
		w.Kept++
	}
	if r.wrong {
		w.Wrong++
	}
	w.meet(w.Rules.Play(s, r.move), at)
}

func (w *walker) meet(s game.State, parent int) {
	k := w.key(s)
	at, met := w.met[k]
	if !met {
		at = int32(len(w.queue))
		w.met[k] = at
		w.queue = append(w.queue, visit{s, parent})
	}
	if parent >= 0 && w.worth == game.Win && w.Rules.Info().MoveKind == game.Pushes {
		w.next = append(w.next, [2]int32{int32(parent), at})
	}
}

// cycle returns the first visit on a cycle, −1 if there is none. It repeatedly removes visits without
// predecessors, and then visits without successors; what remains lies on or between cycles.
func (w *walker) cycle() int {
	left := make([]bool, len(w.queue))
	for i := range left {
		left[i] = true
	}
	for _, from := range []int{0, 1} { // visits without edges into their end 1 − from are removed
		edges := slices.Clone(w.next)
		slices.SortFunc(edges, func(a, b [2]int32) int { return cmp.Compare(a[from], b[from]) })
		degree, first := make([]int, len(w.queue)), make([]int, len(w.queue)+1)
		for _, e := range edges {
			first[e[from]+1]++
			if left[e[0]] && left[e[1]] {
				degree[e[1-from]]++
			}
		}
		var free []int32
		for i := range w.queue {
			first[i+1] += first[i]
			if left[i] && degree[i] == 0 {
				free = append(free, int32(i))
			}
		}
		for len(free) > 0 {
			v := free[len(free)-1]
			free, left[v] = free[:len(free)-1], false
			for _, e := range edges[first[v]:first[v+1]] {
				if to := e[1-from]; left[to] {
					if degree[to]--; degree[to] == 0 {
						free = append(free, to)
					}
				}
			}
		}
	}
	return slices.Index(left, true)
}

// reply is a move, whether the start's value was kept before it, and whether it gives that away.
type reply struct {
	move        game.Move
	kept, wrong bool
}

func (w *walker) replies(ctx context.Context, states []visit) ([]reply, error) {
	replies := make([]reply, len(states))
	err := w.each(ctx, len(states), func(i int) error {
		s := states[i].state
		if _, over := w.Rules.Terminal(s); over || w.Rules.Turn(s) != w.side {
			return nil
		}
		value, rated, err := w.Answers.Rate(w.Rules, s, nil)
		if err != nil {
			return err
		}
		m, at, err := w.ask(ctx, s, rated)
		if err != nil {
			return err
		}
		kept := search.Sign(value.Outcome) >= search.Sign(w.worth)
		replies[i] = reply{m, kept, kept && search.Sign(rated[at].Outcome) < search.Sign(w.worth)}
		return nil
	})
	return replies, err
}

// trace sets the line to the state in which the agent is beaten, if there is one.
func (w *walker) trace() {
	w.Line = []string{}
	for i := w.beaten; i > 0; i = w.queue[i].parent {
		s, next := w.queue[w.queue[i].parent].state, w.queue[i].state
		moves := w.Rules.Moves(nil, s)
		at := slices.IndexFunc(moves, func(m game.Move) bool { return w.Rules.Play(s, m) == next })
		w.Line = append(w.Line, game.MoveText(w.Rules, s, moves[at]))
	}
	slices.Reverse(w.Line)
}
