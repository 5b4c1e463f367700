package endgame

import (
	"context"

	"backsolve/game"
	"backsolve/partition"
	"backsolve/probe"
	"backsolve/retro"
)

// gridBoard is a board that can be cut. A position of it needs the classes from the
// fullest one down to its own, which are few where the board is nearly full.
type gridBoard struct {
	rules game.Grid
	space *partition.Space
}

func (b gridBoard) problem(s game.State, steps bool) (problem, error) {
	p, ok := s.(game.Position)
	if !ok {
		return nil, probe.ErrPosition
	}
	return gridProblem{b, p, b.space.Locate(p).Class, steps}, nil
}

// gridProblem is the classes down to that of a position.
type gridProblem struct {
	gridBoard
	root  game.Position
	class int
	steps bool
}

func (p gridProblem) options(l Limits) retro.Options {
	return retro.Options{Steps: p.steps, Threads: l.Threads, Memory: l.Memory, DownTo: p.class, TasksPerThread: tasks}
}

// tasks is how many tasks a pass is cut into for each thread: so many that a solve
// that is cancelled ends soon.
const tasks = 64

func (p gridProblem) cost(l Limits) cost {
	o := p.options(l)
	o.Threads = 1
	plan := o.Plan(p.space)
	return cost{seconds: plan.Seconds(), bytes: plan.Memory()}
}

func (p gridProblem) solve(ctx context.Context, l Limits) (v probe.Value, moves []probe.Rated, err error) {
	last, err := retro.SolveRootClasses(ctx, p.space, p.class, p.options(l))
	if err != nil {
		return v, nil, err
	}
	defer last.Close()
	v.Outcome, v.Steps = last.Lookup(p.root)
	for _, m := range p.rules.Moves(nil, p.root) {
		var child probe.Value
		child.Outcome, child.Steps = last.Lookup(p.rules.Play(p.root, m))
		moves = append(moves, probe.Rated{Move: m, Value: child.Before()})
	}
	return v, moves, nil
}
