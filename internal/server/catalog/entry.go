package catalog

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"

	"backsolve/game/custom"
	"backsolve/internal/probe"
	"backsolve/internal/probe/survey"
)

// entry is a table file, open or broken.
type entry struct {
	Info
	at     place
	file   fs.FileInfo   // when it was opened
	other  fs.FileInfo   // of the table of its nimbers, or nil
	table  *probe.Table  // nil if it is broken or sparse
	sparse *probe.Sparse // nil if it is broken or of blocks
	owner  *Catalog

	users   [lanes]lane
	dropped atomic.Bool

	summing sync.Once
	summed  chan struct{} // closed after sums and sumsErr are set
	sums    *survey.Stats
	sumsErr error
}

// lanes is the number of reference counters of a table. A single one would bounce between the
// caches of the cores, so each core has a lane of its own where possible.
const lanes = 32

type lane struct {
	count atomic.Int64
	_     [120]byte // two cache lines, which are fetched together
}

// newLane returns the New function of a pool of lane numbers, which then gives each core its
// own. A uint8 becomes an interface without allocation.
func newLane() func() any {
	var next atomic.Uint32
	return func() any { return uint8(next.Add(1) % lanes) }
}

// openEntry opens a table file; file was read before.
func (c *Catalog) openEntry(root *os.Root, at place, file fs.FileInfo) *entry {
	e := &entry{at: at, file: file, other: statNimbers(root, at.name), owner: c, summed: make(chan struct{})}
	e.File = at.name
	if len(c.dirs) > 1 {
		e.Dir = c.dirs[at.dir]
	}
	if b, ok := probe.ParseFileName(at.name); ok {
		e.Game, e.Size, e.After = b.Info().Name, b.Info().Size, probe.CellNames(b.Info(), b.Taken())
	}
	if rules := probe.ParseSparseName(at.name); rules != nil {
		e.openSparse(root, rules)
		return e
	}
	table, err := c.openTable(root, at.name)
	if err != nil {
		e.Err = err
		return e
	}
	if c.always {
		table.CheckAlways()
	}
	if err := e.describe(table); err != nil {
		table.Close()
		e.Err = err
		return e
	}
	table.Number()
	e.table = table
	return e
}

// openSparse opens the table of a game that is defined by its positions.
func (e *entry) openSparse(root *os.Root, rules custom.Listed) {
	info := rules.Info()
	e.Game, e.Size = info.Name, info.Size
	table, err := probe.OpenSparseIn(root, e.at.name, rules)
	if err != nil {
		e.Err = linked(root, e.at.name, err)
		return
	}
	if e.owner.always {
		table.Stored().CheckAlways()
	}
	if e.Value, err = table.Value(rules.Start()); err != nil {
		table.Close()
		e.Err = err
		return
	}
	stored := table.Stored()
	e.Start, e.HasSteps, e.Bytes, e.States = rules.Format(rules.Start()), table.HasSteps(), stored.Bytes(), uint64(stored.States())
	e.Packed = stored.Packed()
	e.Identity, e.Sparse, e.sparse = fmt.Sprintf("%x", stored.Identity()), true, table
}

// openTable opens a table by its name in a directory.
func (c *Catalog) openTable(root *os.Root, name string) (*probe.Table, error) {
	table, err := probe.OpenIn(root, name)
	if err == nil {
		return table, nil
	}
	return nil, linked(root, name, err)
}

// linked adds ErrLink to the error of a file that is a link out of the directory.
func linked(root *os.Root, name string, err error) error {
	if link, failed := root.Lstat(name); failed == nil && link.Mode()&fs.ModeSymlink != 0 {
		if _, failed := root.Stat(name); failed != nil && !errors.Is(failed, fs.ErrNotExist) {
			err = fmt.Errorf("%w: %w", err, ErrLink)
		}
	}
	return err
}

// describe fills in the Info of a table.
func (e *entry) describe(table *probe.Table) error {
	start := table.Start()
	var err error
	if e.Value, err = table.Value(start); err != nil {
		return err
	}
	e.Start = table.Rules().Format(start)
	stored := table.Stored()
	e.HasSteps, e.Bytes, e.Packed = table.HasSteps(), stored.Bytes(), stored.Packed()
	identity := stored.Identity()
	e.Identity = hex.EncodeToString(identity[:])
	for _, c := range stored.Classes() {
		for _, t := range c.Counts.ByWeight {
			e.States += t.Wins + t.Losses + t.Draws
		}
	}
	return nil
}

// answers returns what answers from the table, which is not broken.
func (e *entry) answers() probe.Answerer {
	if e.sparse != nil {
		return e.sparse
	}
	return e.table
}

// acquire counts a user on a lane. It fails once the table is dropped.
//
// acquire counts before it checks dropped; drop sets dropped before it checks the counts. So one
// of them sees the other: either the user takes its count back, or the table stays open until
// the user releases it.
func (e *entry) acquire(pool *sync.Pool) (*atomic.Int64, bool) {
	number := pool.Get()
	pool.Put(number)
	count := &e.users[number.(uint8)].count
	count.Add(1)
	if e.dropped.Load() {
		e.release(count)
		return nil, false
	}
	return count, true
}

// release takes a user's count back. After the drop, the last one closes the table.
func (e *entry) release(count *atomic.Int64) {
	count.Add(-1)
	if e.dropped.Load() {
		e.closeUnused()
	}
}

// drop closes the table as soon as it has no users. No snapshot may hold it.
func (e *entry) drop() {
	if e.Err == nil {
		e.dropped.Store(true)
		e.closeUnused()
	}
}

// closeUnused closes a dropped table unless it is in use. Lanes get no lasting users after the
// drop, so one that was empty stays empty.
func (e *entry) closeUnused() {
	for i := range e.users {
		if e.users[i].count.Load() > 0 {
			return
		}
	}
	if err := e.answers().(io.Closer).Close(); err != nil {
		e.owner.log.Warn("table not closed", "file", e.File, "error", err)
	}
}

// stats summarizes the table at the first call, for a user that is counted on a lane.
func (e *entry) stats(ctx context.Context, count *atomic.Int64) (*survey.Stats, error) {
	e.summing.Do(func() {
		count.Add(1) // the caller may release before the work is done
		started := e.owner.start(func() {
			defer e.release(count)
			defer close(e.summed)
			if e.sparse != nil {
				e.sums, e.sumsErr = survey.OfSparse(e.sparse)
			} else {
				e.sums, e.sumsErr = survey.Summarize(e.owner.ctx, e.table)
			}
		})
		if !started {
			e.sumsErr = errClosed
			close(e.summed)
			e.release(count)
		}
	})
	select {
	case <-e.summed:
	case <-ctx.Done():
	}
	// If both happened, ctx decides, not chance.
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return e.sums, e.sumsErr
}
