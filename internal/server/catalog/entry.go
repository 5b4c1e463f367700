package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"backsolve/game/custom"
	"backsolve/game/games"
	"backsolve/internal/probe"
	"backsolve/internal/probe/survey"
	"backsolve/internal/stamp"
)

type entry struct {
	Info
	at    place
	file  fs.FileInfo  // when it was opened
	other fs.FileInfo  // of the table of its nimbers, or nil
	open  survey.Table // nil if it is broken
	table *probe.Table // the same, nil if it is of single positions
	owner *Catalog

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

func (c *Catalog) openEntry(root *os.Root, at place, file fs.FileInfo) *entry {
	e := &entry{at: at, file: file, other: statNimbers(root, at.name), owner: c, summed: make(chan struct{})}
	e.File = at.name
	if len(c.dirs) > 1 {
		e.Dir = c.dirs[at.dir]
	}
	if err := c.addRules(root, place{at.dir, probe.RulesOf(at.name)}); err != nil {
		e.Err = err
		return e
	}
	if b, ok := probe.ParseFileName(at.name); ok {
		e.Game, e.Size, e.After = b.Info().Name, b.Info().Size, probe.CellNames(b.Info(), b.Taken())
	}
	table, err := e.openEither(root)
	if err != nil {
		e.Err = err
		return e
	}
	if c.always {
		table.File().CheckAlways()
	}
	if err := e.describe(table); err != nil {
		table.Close()
		e.Err = err
		return e
	}
	if e.table, _ = table.(*probe.Table); e.table != nil {
		e.table.Number()
	}
	e.open = table
	return e
}

type readRules struct {
	file fs.FileInfo
	err  error
}

// addRules adds the game of the file of rules beside a table, if there is one. A file is read once.
func (c *Catalog) addRules(root *os.Root, at place) error {
	now, err := root.Stat(at.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if r, ok := c.rules[at]; ok && stamp.Same(r.file, now) {
		return r.err
	}
	file, err := root.Open(at.name)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = games.AddRules(file, strings.TrimSuffix(at.name, probe.FileSuffix+games.RulesSuffix), "")
	if err == nil || errors.As(err, new(*custom.Fault)) {
		c.rules[at] = readRules{now, err}
	}
	return err
}

func (e *entry) openEither(root *os.Root) (table survey.Table, err error) {
	defer custom.Catch(&err)
	if rules := probe.ParseSparseName(e.at.name); rules != nil {
		e.Sparse, e.Game, e.Size = true, rules.Info().Name, rules.Info().Size
		table, err = probe.OpenSparseIn(root, e.at.name, rules)
	} else {
		table, err = probe.OpenIn(root, e.at.name)
	}
	if err != nil {
		return nil, linked(root, e.at.name, err)
	}
	return table, nil
}

func linked(root *os.Root, name string, err error) error {
	if link, failed := root.Lstat(name); failed == nil && link.Mode()&fs.ModeSymlink != 0 {
		if _, failed := root.Stat(name); failed != nil && !errors.Is(failed, fs.ErrNotExist) {
			err = fmt.Errorf("%w: %w", err, ErrLink)
		}
	}
	return err
}

func (e *entry) describe(table survey.Table) (err error) {
	defer custom.Catch(&err)
	s, err := survey.Count(table)
	if err != nil {
		return err
	}
	e.Value, e.Start, e.HasSteps = s.Start.Value, s.Start.Position, s.HasSteps
	e.Bytes, e.Packed, e.Identity, e.States = s.Bytes, s.Packed, s.Identity, s.Total.States
	return nil
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
	if err := e.open.Close(); err != nil {
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
			defer custom.Catch(&e.sumsErr)
			e.sums, e.sumsErr = survey.Summarize(e.owner.ctx, e.open)
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
