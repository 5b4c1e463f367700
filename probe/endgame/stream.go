package endgame

import (
	"context"

	"backsolve/game"
	"backsolve/partition"
	"backsolve/plan"
	"backsolve/probe"
	"backsolve/retro/outofcore"
)

// diskSpeed is what a disk reads and writes a second at least, in bytes, where it is worth
// solving a rest through work files.
const diskSpeed = 400e6

// streaming returns the options of a sweep through work files, which are packed where
// there is not room for them as they are.
func (p *notaktoProblem) streaming(space *partition.Space, l Limits) (outofcore.Options, plan.Work) {
	o := outofcore.Options{Options: p.options(l)}
	o.Memory = l.share()
	w := o.Plan(space).Work(o.Memory)
	if w.Disk > l.Disk {
		o.Packed = true
		w = o.Plan(space).Work(o.Memory)
	}
	return o, w
}

// streamed is the cost of a sweep through work files, of which the sweep itself takes so
// many seconds of one thread.
func (p *notaktoProblem) streamed(space *partition.Space, l Limits, seconds float64) cost {
	o, w := p.streaming(space, l)
	byClock := max(seconds/float64(l.Threads)+w.Seconds, float64(w.Read+w.Written)/diskSpeed)
	return cost{byClock * float64(l.Threads), max(o.Plan(space).Least(), l.share()), w.Disk}
}

// stream sweeps the rest through work files.
func (p *notaktoProblem) stream(ctx context.Context, space *partition.Space, l Limits) (root probe.Value, moves []probe.Rated, err error) {
	var positions []game.Position
	for open := -1; open < len(p.rest.Open); open++ {
		positions = append(positions, game.Position{X: p.markedIn(after{open, 0})})
	}
	if len(p.rest.Free) > 0 {
		positions = append(positions, game.Position{X: p.markedIn(after{-1, 1})})
	}
	o, _ := p.streaming(space, l)
	won, err := outofcore.Values(ctx, l.Scratch, space, positions, o)
	if err != nil {
		return root, nil, err
	}
	return p.rated(func(a after) (probe.Value, error) {
		if won[game.Position{X: p.markedIn(a)}] {
			return p.withSteps(game.Win, 0), nil
		}
		return p.withSteps(game.Lose, 0), nil
	})
}
