package grade

import (
	"context"
	"errors"
	"fmt"

	"backsolve/game"
	"backsolve/player/zero"
	"backsolve/probe"
)

// Walk is what came of an agent's games from the start position against every opponent.
type Walk struct {
	// Side is that of the agent, Worth what the start position is worth to it.
	Side  game.Side
	Worth game.Outcome
	// Champion says that no opponent gets more than the start position is worth.
	Champion bool
	// States counts the states in which the agent was to move, each met once; Kept are
	// those of them in which it had not given away what it began with, and Wrong in how
	// many of these its move does. Where the agent is Symmetric, states that are images
	// of each other are one.
	States, Kept, Wrong int
	// Line is the shortest game in which the agent gets less, if there is one.
	Line []game.Move
}

// MaxMet is the largest number of states that a walk meets.
const MaxMet = 1 << 24

// Champion lets the agent play one side against every opponent: all its replies are tried.
// The start position must be worth a win or a draw to that side. progress may be nil; else it is
// called from the caller's goroutine with how many states have been looked at of those met so far.
func (a *Subject) Champion(ctx context.Context, side game.Side, progress func(done, met int)) (*Walk, error) {
	return a.champion(ctx, side, 1<<10, progress)
}

// champion is Champion with so many states looked at together.
func (a *Subject) champion(ctx context.Context, side game.Side, stretch int, progress func(done, met int)) (*Walk, error) {
	start := a.Start()
	value, _, err := a.Answers.Rate(a.Rules, start, nil)
	if err != nil {
		return nil, err
	}
	w := &walker{Subject: a, Walk: Walk{Side: side, Worth: value.Outcome}, met: map[any]bool{}}
	if a.Rules.Turn(start) != side {
		w.Worth = value.Outcome.Flip()
	}
	if w.Worth == game.Lose {
		return nil, fmt.Errorf("%s of %v is lost for %v under best play; a champion plays the other side", a.Rules.Format(start), a.Rules.Info(), side)
	}
	if err := w.walk(ctx, start, stretch, progress); err != nil {
		return nil, err
	}
	w.Walk.Champion = w.beaten < 0
	if w.beaten >= 0 {
		if err := w.trace(ctx, start); err != nil {
			return nil, err
		}
	}
	return &w.Walk, nil
}

// Sides returns the sides that a champion has to play from the start position: who wins under
// best play or, where nobody does, both.
func (a *Subject) Sides() ([]game.Side, error) {
	start := a.Start()
	value, _, err := a.Answers.Rate(a.Rules, start, nil)
	if err != nil {
		return nil, err
	}
	turn := a.Rules.Turn(start)
	switch value.Outcome {
	case game.Win:
		return []game.Side{turn}, nil
	case game.Lose:
		return []game.Side{turn.Other()}, nil
	}
	return []game.Side{turn, turn.Other()}, nil
}

// walker goes through the states by the number of moves that lead to them.
type walker struct {
	*Subject
	Walk
	met    map[any]bool // by their keys
	queue  []visit
	beaten int // the first in the queue in which the agent got less, −1 if none
	moves  []game.Move
}

// visit is a state with the one before it in the queue.
type visit struct {
	state  game.State
	parent int
}

// key returns what states share that are alike to the agent and in which the same player
// is to move, which in some games the agent does not see.
func (w *walker) key(s game.State) any {
	if agent, ok := w.Agent.(Symmetric); ok {
		return likeness{agent.Canonical(s), w.Rules.Turn(s)}
	}
	return s
}

type likeness struct {
	state zero.State
	turn  game.Side
}

// walk looks at the states of the queue in their order, at so many together.
func (w *walker) walk(ctx context.Context, start game.State, stretch int, progress func(done, met int)) error {
	w.beaten = -1
	w.meet(start, -1)
	for done := 0; done < len(w.queue); {
		part := w.queue[done:min(done+stretch, len(w.queue))]
		replies, err := w.replies(ctx, part)
		if err != nil {
			return err
		}
		for i, v := range part {
			w.follow(done+i, v.state, replies[i])
		}
		if len(w.queue) > MaxMet {
			return fmt.Errorf("opponents lead to more than %d states; this board is too large for a walk", MaxMet)
		}
		if done += len(part); progress != nil {
			progress(done, len(w.queue))
		}
	}
	return nil
}

// follow meets what comes of a state of the queue, in which the agent makes the reply if it
// is to move.
func (w *walker) follow(at int, s game.State, r reply) {
	if outcome, over := w.Rules.Terminal(s); over {
		if w.Rules.Turn(s) != w.Side {
			outcome = outcome.Flip()
		}
		if w.beaten < 0 && goodness(outcome) < goodness(w.Worth) {
			w.beaten = at
		}
		return
	}
	if w.Rules.Turn(s) != w.Side {
		w.moves = w.Rules.Moves(w.moves[:0], s)
		for _, m := range w.moves {
			w.meet(w.Rules.Play(s, m), at)
		}
		return
	}
	w.States++
	if r.kept {
		w.Kept++
	}
	if r.wrong {
		w.Wrong++
	}
	w.meet(w.Rules.Play(s, r.move), at)
}

// meet puts a state into the queue if it is new.
func (w *walker) meet(s game.State, parent int) {
	if k := w.key(s); !w.met[k] {
		w.met[k] = true
		w.queue = append(w.queue, visit{s, parent})
	}
}

// reply is the agent's move in a state, and whether it had kept what it began with and
// gives it away.
type reply struct {
	move        game.Move
	kept, wrong bool
}

// replies asks the agent in those states of some in which it is to move, on all threads.
func (w *walker) replies(ctx context.Context, states []visit) ([]reply, error) {
	replies := make([]reply, len(states))
	err := w.each(ctx, len(states), func(i int, rated []probe.Rated) ([]probe.Rated, error) {
		s := states[i].state
		if _, over := w.Rules.Terminal(s); over || w.Rules.Turn(s) != w.Side {
			return rated, nil
		}
		return w.reply(ctx, s, &replies[i], rated)
	})
	return replies, err
}

// reply asks the agent in a state.
func (w *walker) reply(ctx context.Context, s game.State, r *reply, buf []probe.Rated) ([]probe.Rated, error) {
	value, rated, err := w.Answers.Rate(w.Rules, s, buf)
	if err != nil {
		return buf, err
	}
	m, at, err := w.ask(ctx, s, rated)
	if err != nil {
		return rated, err
	}
	r.move = m
	r.kept = goodness(value.Outcome) >= goodness(w.Worth)
	r.wrong = r.kept && goodness(rated[at].Outcome) < goodness(w.Worth)
	return rated, nil
}

// errUnequal: an agent that says it is symmetric is not.
var errUnequal = errors.New("the agent does not play alike in positions that it calls the same")

// trace finds the line to the state in which the agent is beaten: states in the queue are
// as they were met, which may be images of those of one game.
func (w *walker) trace(ctx context.Context, start game.State) error {
	var way []any
	for i := w.beaten; w.queue[i].parent >= 0; i = w.queue[i].parent {
		way = append(way, w.key(w.queue[i].state))
	}
	s := start
	for i := len(way) - 1; i >= 0; i-- {
		m, err := w.toward(ctx, s, way[i])
		if err != nil {
			return err
		}
		w.Line = append(w.Line, m)
		s = w.Rules.Play(s, m)
	}
	return nil
}

// toward returns the move that leads from a position to one with a key: that of the agent
// where it is its turn.
func (w *walker) toward(ctx context.Context, s game.State, key any) (game.Move, error) {
	moves := w.Rules.Moves(nil, s)
	if w.Rules.Turn(s) == w.Side {
		_, rated, err := w.Answers.Rate(w.Rules, s, nil)
		if err != nil {
			return game.Move{}, err
		}
		m, _, err := w.ask(ctx, s, rated)
		if err != nil {
			return game.Move{}, err
		}
		moves = []game.Move{m}
	}
	for _, m := range moves {
		if w.key(w.Rules.Play(s, m)) == key {
			return m, nil
		}
	}
	return game.Move{}, errUnequal
}
