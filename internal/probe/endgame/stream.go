package endgame

import (
	"context"

	"backsolve/game"
	"backsolve/internal/plan"
	"backsolve/internal/probe"
	"backsolve/partition"
	"backsolve/retro/outofcore"
)

// diskSpeed is the assumed speed of the disk in bytes a second.
const diskSpeed = 400e6

// streamOptions returns the options of a solve through work files, which are packed if they
// would not fit otherwise, and an estimate of the work.
func (e *notaktoEndgame) streamOptions(space *partition.Space, l Limits) (outofcore.Options, plan.Work) {
	o := outofcore.Options{Options: e.options(l)}
	o.Memory = l.memoryPerQuestion()
	w := o.Plan(space).Work(o.Memory)
	if w.Disk > l.Disk {
		o.Packed = true
		w = o.Plan(space).Work(o.Memory)
	}
	return o, w
}

// streamCost returns the cost of a solve through work files that takes the given seconds of
// one thread apart from them.
func (e *notaktoEndgame) streamCost(space *partition.Space, l Limits, seconds float64) cost {
	o, w := e.streamOptions(space, l)
	byClock := max(seconds/float64(l.Threads)+w.Seconds, float64(w.Read+w.Written)/diskSpeed)
	return cost{byClock * float64(l.Threads), max(o.Plan(space).Least(), l.memoryPerQuestion()), w.Disk}
}

func (e *notaktoEndgame) stream(ctx context.Context, space *partition.Space, l Limits) (root probe.Value, moves []probe.Rated, err error) {
	var positions []game.Position
	for open := -1; open < len(e.left.Open); open++ {
		positions = append(positions, game.Position{X: e.markedIn(child{open, 0})})
	}
	if len(e.left.Free) > 0 {
		positions = append(positions, game.Position{X: e.markedIn(child{-1, 1})})
	}
	o, _ := e.streamOptions(space, l)
	won, err := outofcore.Values(ctx, l.Scratch, space, positions, o)
	if err != nil {
		return root, nil, err
	}
	root, moves = e.rated(func(c child) probe.Value {
		if won[game.Position{X: e.markedIn(c)}] {
			return e.withSteps(game.Win, 0)
		}
		return e.withSteps(game.Lose, 0)
	})
	return root, moves, nil
}
