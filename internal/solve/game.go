package solve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/internal/durable"
	"backsolve/internal/machine"
	"backsolve/internal/probe"
	"backsolve/retro"
	"backsolve/retro/generic"
	"backsolve/tablebase"
)

// Game is a solve of a game that is defined by its positions, into a directory.
type Game struct {
	Dir   string
	Rules custom.Listed
	// Limit is the limit of memory, the zero value for none. It takes the place of Memory.
	Limit Limit
	generic.Options
	// Expected is the estimate that Solve makes before it begins.
	Expected generic.Plan
}

const preflightTime = 2 * time.Second

// Name is the name of the game.
func (g *Game) Name() string { return g.Rules.Info().Name }

// Path is the path of the table.
func (g *Game) Path() string { return filepath.Join(g.Dir, probe.FileName(g.Rules.Info())) }

func (g *Game) work() string { return g.Path() + generic.WorkSuffix }

// Solve opens the table of the game, which it solves or goes on to solve if there is none. When ctx ends, what is done
// stays. The error wraps a *Refusal before any work, or comes from generic.Make or probe.FindSparse.
func (g *Game) Solve(ctx context.Context) (*probe.Sparse, *Summary, error) {
	began := time.Now()
	table, err := probe.FindSparse(ctx, g.Dir, g.Rules)
	switch {
	case err == nil && !g.Force:
		if err := generic.CleanUp(ctx, g.Path(), table.Stored(), g.Rules.Numbers()); err != nil {
			return nil, nil, errors.Join(err, table.Close())
		}
		return reported(table, 0, 0)
	case err == nil:
		table.Close()
	case !g.Force && !errors.Is(err, fs.ErrNotExist):
		return nil, nil, err
	}
	e, err := g.estimate(ctx, generic.PlanOptions{Time: preflightTime})
	if err != nil {
		return nil, nil, err
	}
	if err := refuse(g.Dir, g.tooLarge(e)); err != nil {
		return nil, nil, err
	}
	_, fresh := os.Stat(g.work())
	g.Expected = *e
	o := g.Options
	o.Memory = g.Limit.Bytes
	if err := generic.Make(ctx, g.Path(), "", g.Rules.Numbers(), o); err != nil && !errors.Is(err, generic.ErrExists) {
		return nil, nil, newRefusal(err)
	}
	if err := g.keepRules(); err != nil {
		return nil, nil, err
	}
	if table, err = probe.FindSparse(ctx, g.Dir, g.Rules); err != nil {
		return nil, nil, err
	}
	table, s, err := reported(table, time.Since(began), machine.PeakMemory())
	if err == nil && fresh == nil { // how much was done before is not known
		s.StatesPerSecond = 0
	}
	return table, s, err
}

func reported(table *probe.Sparse, took time.Duration, peakMemory int64) (*probe.Sparse, *Summary, error) {
	s, err := summarize(table, &retro.Result{}, took, peakMemory)
	if err != nil {
		return nil, nil, errors.Join(err, table.Close())
	}
	s.Disk = 0 // work files have taken more
	return table, s, nil
}

// keepRules writes the file of rules, if there is one, beside the table, which can then be asked.
func (g *Game) keepRules() error {
	rules, ok := g.Rules.Numbers().(interface{ Source() []byte })
	if !ok || rules.Source() == nil {
		return nil
	}
	return durable.WriteFile(probe.RulesOf(g.Path()), rules.Source())
}

func (g *Game) estimate(ctx context.Context, o generic.PlanOptions) (*generic.Plan, error) {
	if err := g.Rules.Check(10, 1); err != nil {
		return nil, fmt.Errorf("%w: %w", generic.ErrRules, err)
	}
	o.Outcomes, o.Threads = g.Outcomes, g.Threads
	p, err := generic.Estimate(ctx, g.Rules.Numbers(), o)
	return &p, err
}

// tooLarge returns what a solve surely has too little of, a *MemoryError or a *DiskError.
func (g *Game) tooLarge(e *generic.Plan) error {
	if limit := g.Limit.Bytes; limit > 0 && e.LeastMemory > limit {
		return &MemoryError{Cause: fmt.Sprintf("solving %s takes at least %s of memory", g.Name(), bytesText(e.LeastMemory)), Need: max(e.MinMemory, e.LeastMemory), Limit: g.Limit}
	}
	if free := g.freeDisk(); Exceeds(e.LeastDisk, free) {
		return &DiskError{fmt.Sprintf("solving %s takes at least %s of disk", g.Name(), bytesText(e.LeastDisk)), free, g.Dir}
	}
	return nil
}

// freeDisk counts what an interrupted solve has written as free. It may be machine.Unknown.
func (g *Game) freeDisk() int64 {
	free := machine.FreeDisk(g.Dir)
	if free == machine.Unknown || g.Limit.Elsewhere {
		return machine.Unknown
	}
	return free + machine.BytesBelow(g.work())
}

// Plan tells progress, unless nil, what the estimate does. The error comes from generic.Estimate.
func (g *Game) Plan(ctx context.Context, progress func(tablebase.Event)) (*Plan, error) {
	e, err := g.estimate(ctx, generic.PlanOptions{Progress: progress})
	if err != nil {
		return nil, err
	}
	threads := g.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	p := &Plan{
		Game: g.Name(), Size: game.Size(g.Rules.Info().Size), Steps: !g.Outcomes, What: g.Name(), States: uint64(e.States),
		Memory: e.Memory, MemoryAllowed: g.Limit.Bytes, Limit: g.Limit, Elsewhere: g.Limit.Elsewhere, Disk: e.Disk, DiskFree: g.freeDisk(),
		Threads: threads, Seconds: int64(math.Ceil(e.Seconds)), // of one thread, as not all of it is shared
		Sampled: &Sampled{Tiers: e.Tiers, Counted: e.Exact, Samples: e.Samples, AnyLength: generic.MayLoop(g.Rules.Numbers())},
	}
	p.Table, _ = g.State()
	if p.Memory > g.Limit.Bytes && g.Limit.Bytes > 0 {
		p.Memory = e.MinMemory // by passes, which take longer
	}
	if e.Low != e.High {
		p.Low, p.High = uint64(e.Low), uint64(e.High)
		each := e.Seconds / float64(max(e.States, e.Low, 1))
		p.SecondsLow, p.SecondsHigh = int64(each*float64(e.Low)), int64(math.Ceil(each*float64(e.High)))
	}
	p.setObstacle(g.obstacle(ctx, e))
	return p, nil
}

// obstacle is the error with which Solve would end before any work.
func (g *Game) obstacle(ctx context.Context, e *generic.Plan) error {
	table, err := probe.FindSparse(ctx, g.Dir, g.Rules)
	if err == nil {
		table.Close()
	}
	if !g.Force && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err = g.tooLarge(e); err == nil {
		err = checkWritable(g.Dir)
	}
	if err != nil {
		return &Refusal{err}
	}
	if _, err := os.Stat(g.Dir); err != nil {
		return nil // it will be made, and has nothing in the way
	}
	lock, err := durable.Lock(g.work())
	if err != nil {
		return err
	}
	return lock.Unlock()
}
