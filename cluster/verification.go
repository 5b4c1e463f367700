package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"backsolve/retro"
)

// Workers are not trusted. Another worker counts the states of each shard again, in a check. For a
// sample of the blocks it also solves them again and compares them bit by bit. If it finds a difference,
// the coordinator counts or solves the blocks itself, to find out who is wrong.

// ErrFaulty is the cause with which a worker ends whose results were wrong.
var ErrFaulty = errors.New("results of this worker were wrong, and it gets no more work; check the memory and the processor of its machine")

// errWrong is the cause if an object is undamaged, but its content is wrong.
var errWrong = errors.New("its content is wrong")

var errUnreadable = errors.New("the object to be checked cannot be read")

// unreadable adds errUnreadable to an error that means that an object is missing or damaged.
func unreadable(err error) error {
	if isUnusable(err) {
		return fmt.Errorf("%w: %w", errUnreadable, err)
	}
	return err
}

// checkBlocks is how many successive blocks are sampled together: enough for all threads of a worker.
const checkBlocks = 16

// isSampled reports whether a run of checkBlocks blocks is in the sample. That depends on the
// board alone, so that the cost can be estimated.
func isSampled(s *Solve, c stage, run int, share float64) bool {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %v %d", s.name(), c, run))
	return float64(binary.LittleEndian.Uint64(sum[:])>>11)/(1<<53) < share
}

// sample returns the blocks of a shard that are in the sample: none where it has no number of blocks.
func sample(s *Solve, g shard, share float64) (runs []shard) {
	for run := g.First / checkBlocks; g.Blocks > 0 && run*checkBlocks < g.First+g.Blocks; run++ {
		if isSampled(s, g.stage, run, share) {
			first := max(g.First, run*checkBlocks)
			runs = append(runs, shard{stage: g.stage, First: first, Blocks: min(g.First+g.Blocks, (run+1)*checkBlocks) - first})
		}
	}
	return runs
}

func (d *dispatcher) onCheck(ctx context.Context, t *dispatch) error {
	c, base, of := d.c, t.base, t.completion.Task
	if !base.accepted || of.Maker != base.completion.WorkerID || of.Share < c.o.VerifyShare || c.faulty[t.completion.WorkerID] ||
		t.Write && (t.completion.Stretch == nil || t.completion.Stretch.Attempt != c.attempt) {
		return d.redo(ctx, t) // it checked something else
	}
	faulty, err := d.arbitrate(ctx, t)
	switch {
	case t.completion.Unreadable != "":
		err = d.onUnusable(ctx, base, errors.New(t.completion.Unreadable))
	case isUnusable(err), errors.Is(err, errUnreadable):
		err = d.onUnusable(ctx, base, err)
	case err != nil:
		return err
	case faulty == "":
		delete(c.strikes, base.completion.WorkerID)
		d.count(t, 1)
		return nil
	case t.Write && !base.completion.Stretch.equal(t.completion.Stretch) && c.strikes[faulty]+1 < maxStrikes:
		c.strikes[faulty]++
		err = d.onUnusable(ctx, base, fmt.Errorf("the table in %v differs from what was written there, %v", c.o.Store, base.shard))
	default:
		err = d.quarantine(ctx, faulty, fmt.Sprintf("two workers differ in %v", base.shard))
	}
	if err != nil {
		return err
	}
	return d.redo(ctx, t)
}

// maxStrikes is how many times in a row the table may differ from what a worker wrote or read there
// before the worker counts as wrong. Its results agree otherwise, so the store may be at fault.
const maxStrikes = 3

// differs reports whether a check, whose completion is c, has found a difference to what it checks.
func (c *completion) differs(base *completion) bool {
	return c.Differs || c.Counts == nil || !c.Counts.Equal(base.Counts) || c.Task.Write && !base.Stretch.equal(c.Stretch)
}

// arbitrate returns which worker is wrong if a check has found a difference to what it checks: the
// coordinator checks that itself. The error wraps errUnreadable if an object cannot be read.
func (d *dispatcher) arbitrate(ctx context.Context, t *dispatch) (faulty string, err error) {
	base := &t.base.completion
	if t.completion.Unreadable != "" || !t.completion.differs(base) {
		return "", nil
	}
	message := d.message(t)
	message.Share = t.completion.Task.Share
	var own completion
	err = d.c.retryStore(ctx, func(ctx context.Context) (err error) {
		own, err = d.c.check(ctx, message)
		return err
	})
	switch {
	case err != nil:
		return "", err
	case own.Unreadable != "":
		return "", fmt.Errorf("%w: %s", errUnreadable, own.Unreadable)
	case own.differs(base):
		return message.Maker, nil
	}
	return t.completion.WorkerID, nil
}

func (c *Coordinator) check(ctx context.Context, t task) (own completion, err error) {
	solve := c.record.solve
	w := &worker{o: WorkOptions{Options: c.o}, conn: c.conn, id: coordinatorKey}
	if !solve.Stream {
		w.o.Memory = solve.options().Plan(c.space).WorkerMemory(solve.ShardBytes)
		if solve.Shards {
			w.o.Memory = solve.WorkerMemory
		}
	}
	j, err := newJob(ctx, w, &solve, c.space)
	if err != nil {
		return own, err
	}
	defer j.runner.close()
	result, err := j.do(ctx, t)
	if err != nil {
		return own, err
	}
	own, err = result(ctx)
	own.Task = t
	return own, err
}

// quarantine gives a worker no more work, and has everything it made of the stage solved again.
func (d *dispatcher) quarantine(ctx context.Context, id, why string) error {
	c := d.c
	if c.faulty[id] = true; len(c.faulty) >= maxAttempts {
		return fmt.Errorf("%d workers were wrong, the last because %s; the memory or the processor of this machine may be faulty", len(c.faulty), why)
	}
	c.wrong.Store(int64(len(c.faulty)))
	name := id
	if w, err := getKey[WorkerStatus](ctx, c.conn.alive, workerKeys+id); err == nil && w != nil {
		name = w.Member.String()
	}
	c.o.Logf(slog.LevelError, "the worker %s is wrong: %s; it gets no more work, and what it made of class %d is made again", name, why, d.stage.Class)
	c.conn.nc.Publish(faultySubject+id, []byte(why))
	err := c.conn.retry(ctx, func(ctx context.Context) error {
		_, err := c.conn.state.Put(ctx, c.record.solve.faultyKeys()+id, encoded(why))
		return err
	})
	for _, t := range d.tasks {
		if err == nil && t.accepted && t.completion.WorkerID == id {
			err = d.redo(ctx, t)
		}
	}
	return err
}

// recount counts the states of an uploaded shard. They have no counts if they cannot be those of the
// class. The error wraps errUnreadable if it cannot be read.
func (j *job) recount(ctx context.Context, g shard) (*retro.StateCounts, error) {
	var lock sync.Mutex
	sum := new(retro.StateCounts)
	counting, ctx := errgroup.WithContext(ctx)
	count := j.runner.recount
	if counting.SetLimit(min(loaders, max(1, j.o.Threads))); count == nil {
		counting.SetLimit(1) // whose units are long
		count = func(ctx context.Context, u unit) (sum *retro.StateCounts, err error) {
			err = j.columns(ctx, u, -1, func(outcomes, numbers [][]uint64) (err error) {
				sum, err = j.runner.count(u, outcomes, numbers)
				return err
			})
			return sum, err
		}
	}
	for _, u := range j.units(g) {
		counting.Go(func() error {
			counts, err := count(ctx, u)
			lock.Lock()
			defer lock.Unlock()
			if counts != nil {
				sum.Add(counts)
			}
			return err
		})
	}
	err := counting.Wait()
	if sum.Trim(); errors.Is(err, errWrong) || errors.Is(err, retro.ErrMiscounted) {
		return nil, nil
	}
	return sum, unreadable(err)
}

// check counts a shard that another worker made, solves a sample of it again and compares it.
func (j *job) check(ctx context.Context, t task) (c completion, err error) {
	g := t.shard.unchecked()
	c.Counts, err = j.recount(ctx, g)
	for _, run := range sample(j.solve, g, t.Share) {
		if c.Differs || err != nil {
			break
		}
		c.Differs, err = j.runner.compare(ctx, g, run)
	}
	if errors.Is(err, errUnreadable) {
		c.Unreadable, err = err.Error(), nil
	}
	return c, err
}

// isAlive reports whether a worker with an identifier is among the others that get work, or may be.
func (j *job) isAlive(ctx context.Context, id string) bool {
	return id != "" && (slices.Contains(j.otherWorkers(ctx), id) || j.lookedAt.IsZero())
}

// otherWorkers returns the identifiers of other workers that get work. It looks once a sweep.
func (j *job) otherWorkers(ctx context.Context) []string {
	if time.Since(j.lookedAt) < j.o.Sweep {
		return j.others
	}
	workers, err := j.conn.accepted(ctx)
	if err == nil {
		j.lookedAt, j.others = time.Now(), slices.DeleteFunc(workers, func(id string) bool { return id == j.worker.id })
	}
	return j.others
}
