package solve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"backsolve/internal/machine"
	"backsolve/internal/plan"
	"backsolve/internal/probe"
	"backsolve/partition"
	"backsolve/retro"
	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

type intoTable struct{ *Job }

func (j intoTable) solve(ctx context.Context) (Report, error) {
	began := time.Now()
	if !j.Force {
		table, err := j.existing()
		if err != nil {
			return nil, err
		}
		if table != nil {
			there, err := summarize(table, &retro.Result{}, 0, 0)
			if table.Close(); err != nil {
				return nil, err
			}
			return there, cleanup(j).table(ctx)
		}
	}
	e := j.estimate()
	if err := refuse(j.Dir(), e.obstacle); err != nil {
		return nil, err
	}
	w, err := writer.CreateElsewhere(j.Path, j.Shape, j.Force, j.Elsewhere)
	if err != nil {
		return nil, newRefusal(err)
	}
	defer w.Close()
	if dropped := w.Dropped(); dropped != "" {
		j.notify(Dropped(dropped))
	}
	if finished := len(w.Sealed()); finished > 0 {
		j.notify(Resumed{finished, j.Space.MaskBits + 1})
	}
	o := j.Engine
	o.LogPath = j.Path
	var shared *Shared
	if j.Sharing != nil {
		if shared, err = j.Sharing.Table(ctx, j.Job); err != nil {
			return nil, err
		}
		defer shared.Close()
		ctx, o.Scheduler = shared.Context, shared.Table
	}
	solved, err := retro.Solve(ctx, j.Space, w, o)
	if err != nil {
		return nil, err
	}
	took, peak := time.Since(began), machine.PeakMemory()
	if j.Engine.DownTo > 0 {
		return newClasses(j.Job, w.Sealed(), took, peak), nil
	}
	if shared != nil {
		err = shared.Finish()
	}
	if err == nil {
		err = cleanup(j).clearShared()
	}
	if err != nil {
		return nil, fmt.Errorf("the table is finished, but %w", err)
	}
	table, err := j.open(j.Path)
	if err != nil {
		return nil, fmt.Errorf("the table is finished, but %w", err)
	}
	defer table.Close()
	s, err := summarize(table, solved, took, peak)
	if err != nil {
		return nil, fmt.Errorf("the table is finished, but %w", err)
	}
	return s, nil
}

// ErrInTheWay is the cause if an unusable file has the name of the table. ErrUnpacked and
// ErrUnarchived are the causes if there is a table, but not packed as requested.
var (
	ErrInTheWay   = errors.New("it is in the way of the table")
	ErrUnpacked   = errors.New("the table exists already, but is not packed")
	ErrUnarchived = errors.New("the table exists already, but not as an archive")
)

// existing opens the finished table of the job, plain or packed, nil if there is none. It fails if that lacks the
// requested steps or packing, or another file is in its place.
func (j intoTable) existing() (*probe.Table, error) {
	var wrong error
	for _, path := range j.forms() {
		table, err := j.open(path)
		if err != nil && j.Elsewhere != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err // it would be replaced
		}
		if info, gone := os.Stat(path); gone == nil && info.Mode().IsRegular() && path == j.Path && tablebase.Unusable(err) {
			wrong = fmt.Errorf("%w; %w", err, ErrInTheWay)
		}
		if err != nil {
			continue // writing the table reports anything else in its way
		}
		if stored := table.Stored(); stored.Shape().Opening || stored.Shape().Nimbers != j.Shape.Nimbers || table.Board() != j.Name() {
			table.Close()
			continue
		}
		if j.Engine.Steps && !table.HasSteps() {
			table.Close()
			return nil, fmt.Errorf("%s is there: %w", table.Stored().Path(), table.NoSteps())
		}
		if wrong = j.checkPacking(table, path); wrong == nil {
			return table, nil
		}
		table.Close()
	}
	return nil, wrong
}

func (j intoTable) checkPacking(table *probe.Table, path string) error {
	stored := table.Stored()
	switch {
	case j.Elsewhere != nil || !j.Packed || stored.Packed() > 0 && stored.Shape().Archive == j.Archive:
		return nil
	case j.Archive:
		return &tablebase.Error{Path: path, Err: ErrUnarchived}
	case stored.Packed() == 0:
		return &tablebase.Error{Path: path, Err: ErrUnpacked}
	}
	return nil // an archive, which is packed
}

func (j intoTable) open(path string) (*probe.Table, error) {
	if j.Elsewhere == nil {
		return probe.OpenFile(path)
	}
	storage, err := j.Elsewhere.Open()
	if err != nil {
		return nil, err
	}
	return probe.OpenStorage(j.Elsewhere.Name, storage)
}

func (j intoTable) estimate() estimate {
	p := j.plan()
	e := estimate{plan: p, memory: p.Memory(), disk: j.disk(p), free: j.freeDisk(), work: p.ShardWork()}
	inShards := j.Sharing != nil && j.Space.Kind != partition.FixedSlice // by the other processes
	if inShards {
		e.plan = plan.New(j.Space, plan.Options{Steps: j.Engine.Steps, Threads: j.Engine.Threads, DownTo: j.Engine.DownTo, Packed: j.Packed, Archive: j.Archive})
		e.disk, e.work = j.disk(e.plan), plan.Work{}
	} else if e.obstacle = j.CheckMemory(); e.obstacle == nil {
		e.obstacle = j.checkDisk(e.free)
	}
	if j.Sharing != nil {
		var err error
		e.processes, err = j.Sharing.PlanTable(j.Job, e.free)
		if e.memory = e.processes.Own; e.obstacle == nil {
			e.obstacle = err
		}
	}
	return e
}

// disk returns the bytes that a planned table takes here. If it is elsewhere, they are few.
func (j intoTable) disk(p *plan.Plan) int64 {
	if j.Elsewhere != nil {
		return 0
	}
	return p.Disk()
}

// CheckMemory returns a *MemoryError for a table that takes this process more than the limit.
func (j *Job) CheckMemory() error {
	limit, need := j.Limit.Bytes, j.plan().Memory()
	if j.Sharing != nil { // other processes may have the planes
		p, _ := j.Sharing.PlanTable(j, machine.Unknown) // its error is reported apart
		need = p.Own
	}
	if limit == 0 || need <= limit {
		return nil
	}
	e := &MemoryError{Cause: fmt.Sprintf("solving %s takes about %s of memory", j.Solving(), bytesText(need)), Need: need, Limit: j.Limit}
	outcomes := *j
	outcomes.Engine.Steps = false
	if less := outcomes.plan().Memory(); j.Engine.Steps && less <= limit {
		e.WithoutSteps = less
	}
	return e
}

func (j intoTable) checkDisk(free int64) error {
	if need := j.disk(j.plan()); Exceeds(need, free) {
		return &DiskError{fmt.Sprintf("the table of %s takes about %s", j.Solving(), bytesText(need)), free, j.Dir()}
	}
	return nil
}
