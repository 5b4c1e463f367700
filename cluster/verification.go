package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"backsolve/retro"
)

// Workers are not trusted. Another worker counts the states of each shard again, in a check. For a
// sample of the blocks it also solves them again and compares them bit by bit. If it finds a difference,
// the coordinator counts or solves the blocks itself, to find out who is wrong.

// ErrFaulty is the cause with which a worker ends whose results were wrong.
var ErrFaulty = errors.New("results of this worker were wrong, and it gets no more work; check the memory and the processor of its machine")

// errWrong is the cause if an object is undamaged, but its content is wrong.
var errWrong = errors.New("its content is wrong")

// errUnreadable is the cause if the object to be checked cannot be read.
var errUnreadable = errors.New("the object to be checked cannot be read")

// unreadable adds errUnreadable to an error that means that an object is missing or damaged.
func unreadable(err error) error {
	if isUnusable(err) {
		return fmt.Errorf("%w: %w", errUnreadable, err)
	}
	return err
}

// checkBlocks is how many successive blocks are sampled together: enough for all threads of a
// worker.
const checkBlocks = 16

// isSampled reports whether a run of checkBlocks blocks is in the sample. That depends on the
// board alone, so that the cost can be estimated.
func isSampled(s *Solve, c stage, run int, share float64) bool {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %v %d", s.name(), c, run))
	return float64(binary.LittleEndian.Uint64(sum[:])>>11)/(1<<53) < share
}

// sample returns the blocks of a shard that are in the sample.
func sample(s *Solve, g shard, share float64) (runs []shard) {
	for run := g.first / checkBlocks; run*checkBlocks < g.first+g.blocks; run++ {
		if isSampled(s, g.stage, run, share) {
			first := max(g.first, run*checkBlocks)
			runs = append(runs, shard{stage: g.stage, first: first, blocks: min(g.first+g.blocks, (run+1)*checkBlocks) - first})
		}
	}
	return runs
}

// checkResult is what a check has found.
type checkResult struct {
	// Maker identifies the worker that made it, and Share is the share that was checked.
	Maker string  `json:"maker"`
	Share float64 `json:"share"`
	// Unreadable says how it is missing or damaged now.
	Unreadable string `json:"unreadable,omitempty"`
	// Counts are those of its states.
	Counts *retro.StateCounts `json:"counts,omitempty"`
	// Differs means that the checking worker finds something else for Block.
	Differs bool `json:"differs,omitempty"`
	Block   int  `json:"block,omitempty"`
}

// onCheck accepts the result of a check, and has wrong shards solved again.
func (d *dispatcher) onCheck(ctx context.Context, r result) error {
	c, t := d.c, r.task
	base, worker, found := t.base, t.completion.WorkerID, t.completion.Check
	again := func(err error) error {
		if err != nil {
			return err
		}
		return d.redo(ctx, t)
	}
	switch {
	case !base.accepted || found == nil || found.Maker != base.completion.WorkerID || found.Share < c.o.VerifyShare || c.faulty[worker],
		t.write && (t.completion.Stretch == nil || t.completion.Stretch.Attempt != c.attempt):
		return d.redo(ctx, t) // it checked something else
	case errors.Is(r.err, errUnreadable), found.Unreadable != "":
		if found.Unreadable != "" {
			r.err = errors.New(found.Unreadable)
		}
		return again(d.onUnusable(ctx, base, r.err))
	case r.err != nil:
		return r.err
	case r.faulty != "" && t.write && !base.completion.Stretch.equal(t.completion.Stretch) && c.strike(r.faulty) < maxStrikes:
		return again(d.onUnusable(ctx, base, fmt.Errorf("the table in %v differs from what was written there, %v", c.o.Store, base.shard)))
	case r.faulty != "":
		why := fmt.Sprintf("two workers differ in %v", base.shard)
		if found.Differs {
			why = fmt.Sprintf("two workers differ in block %d of class %d", found.Block, t.class)
		}
		return again(d.quarantine(ctx, r.faulty, why))
	}
	delete(c.strikes, base.completion.WorkerID)
	d.accept(t)
	return nil
}

// maxStrikes is how many times in a row the table may differ from what a worker wrote or read there
// before the worker counts as wrong. Its results agree otherwise, so the store may be at fault.
const maxStrikes = 3

// strike counts a difference in the table against a worker, and returns how many that makes in a row.
func (c *Coordinator) strike(worker string) int {
	c.strikes[worker]++
	return c.strikes[worker]
}

// isMiscounted reports whether a check has counted other states than a completion has.
func (c *checkResult) isMiscounted(base *completion) bool {
	return c.Counts == nil || !c.Counts.Equal(base.Counts)
}

// differs reports whether a check has found a difference.
func (d *dispatcher) differs(t *dispatch) bool {
	found, base := t.completion.Check, &t.base.completion
	if !t.base.accepted || found == nil || found.Unreadable != "" {
		return false
	}
	return found.Differs || found.isMiscounted(base) || t.write && !base.Stretch.equal(t.completion.Stretch)
}

// arbitrate returns which worker is wrong, if a check of a shard, whose completion is base, has
// found a difference: it solves the block or counts the states itself. The error wraps
// errUnreadable if an object cannot be read.
func (d *dispatcher) arbitrate(ctx context.Context, g shard, done, base completion) (faulty string, err error) {
	found, solve := done.Check, d.c.record.solve
	w := &worker{o: WorkOptions{Options: d.c.o}, conn: d.c.conn, id: coordinatorKey}
	if !solve.Stream {
		w.o.Memory = solve.options().Plan(d.c.space).WorkerMemory(solve.ShardBytes)
		if solve.Shards {
			w.o.Memory = solve.WorkerMemory
		}
	}
	j, err := newJob(ctx, w, &solve, d.c.space)
	if err != nil {
		return "", err
	}
	defer j.runner.close()
	var differs bool
	switch {
	case g.write:
		differs, err = j.differs(ctx, d.message(g), base)
	case found.isMiscounted(&base):
		var counts *retro.StateCounts
		counts, err = j.recount(ctx, g)
		differs = err == nil && (counts == nil || !counts.Equal(base.Counts))
	default:
		_, differs, err = j.runner.compare(ctx, g, shard{stage: g.stage, first: found.Block, blocks: 1})
	}
	if differs {
		return found.Maker, err
	}
	return done.WorkerID, err
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
	c.o.Logf(slog.LevelError, "the worker %s is wrong: %s; it gets no more work, and what it made of class %d is made again", name, why, d.stage.class)
	c.conn.nc.Publish(faultySubject+id, []byte(why))
	err := c.conn.retry(ctx, c.o, func(ctx context.Context) error {
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
	counts, err := j.runner.recount(ctx, g)
	if errors.Is(err, errWrong) || errors.Is(err, retro.ErrMiscounted) {
		return nil, nil
	}
	return counts, unreadable(err)
}

// check counts a shard that another worker made, solves a sample of it again and compares it.
func (j *job) check(ctx context.Context, t task) (c *checkResult, err error) {
	g := t.shard().unchecked()
	c = &checkResult{Maker: t.Maker, Share: t.Share}
	if c.Counts, err = j.recount(ctx, g); errors.Is(err, errUnreadable) {
		c.Unreadable = err.Error()
		return c, nil
	} else if err != nil {
		return nil, err
	}
	if g.shards > 0 {
		return c, nil
	}
	for _, run := range sample(j.solve, g, t.Share) {
		block, differs, err := j.runner.compare(ctx, g, run)
		switch {
		case errors.Is(err, errUnreadable):
			c.Unreadable = err.Error()
			return c, nil
		case err != nil:
			return nil, err
		case differs:
			c.Differs, c.Block = true, block
			return c, nil
		}
	}
	return c, nil
}

// hasOthers reports whether other workers get work.
func (j *job) hasOthers(ctx context.Context) bool { return len(j.otherWorkers(ctx)) > 0 }

// isAlive reports whether a worker with an identifier is among the others that get work.
func (j *job) isAlive(ctx context.Context, id string) bool {
	return id != "" && slices.Contains(j.otherWorkers(ctx), id)
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
