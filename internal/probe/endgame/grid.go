package endgame

import (
	"context"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/partition"
	"backsolve/retro"
)

// gridEndgame is a board that package partition knows, and an endgame on it. A position needs the
// classes from the fullest one down to its own, which are few if the board is nearly full.
type gridEndgame struct {
	rules game.Grid
	space *partition.Space
	root  game.Position
	class int
	steps bool
}

func (e gridEndgame) endgame(s game.State, steps bool) (endgame, error) {
	p, ok := s.(game.Position)
	if !ok {
		return nil, probe.ErrPosition
	}
	return gridEndgame{e.rules, e.space, p, e.space.Locate(p).Class, steps}, nil
}

func (e gridEndgame) options(l Limits) retro.Options {
	return retro.Options{Steps: e.steps, Threads: l.Threads, Memory: l.Memory, DownTo: e.class, TasksPerThread: tasksPerThread}
}

// tasksPerThread makes tasks small, so that a cancelled solve ends soon.
const tasksPerThread = 64

func (e gridEndgame) cost(l Limits) cost {
	o := e.options(l)
	o.Threads = 1
	plan := o.Plan(e.space)
	return cost{seconds: plan.Seconds(), bytes: plan.Memory()}
}

func (e gridEndgame) solve(ctx context.Context, l Limits) (v probe.Value, moves []probe.Rated, err error) {
	last, err := retro.SolveRootClasses(ctx, e.space, e.class, e.options(l))
	if err != nil {
		return v, nil, err
	}
	defer last.Close()
	v.Outcome, v.Steps = last.Lookup(e.root)
	for _, m := range e.rules.Moves(nil, e.root) {
		var child probe.Value
		child.Outcome, child.Steps = last.Lookup(e.rules.Play(e.root, m))
		moves = append(moves, probe.Rated{Move: m, Value: child.Before()})
	}
	return v, moves, nil
}
