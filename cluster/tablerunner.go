package cluster

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"backsolve/internal/bitslice"
	"backsolve/retro"
	"backsolve/tablebase/format"
)

// tableRunner solves groups for a table. It keeps the blocks of the class above that it has read.
type tableRunner struct {
	job     *job
	blocks  *retro.BlockWorker
	buffers chan []byte // for uploads
}

func newTableRunner(ctx context.Context, j *job) (*tableRunner, error) {
	o := j.solve.options()
	o.Threads, o.Memory = j.o.Threads, j.o.Memory
	blocks, err := retro.NewBlockWorker(ctx, j.space, o)
	if err != nil {
		return nil, err
	}
	r := &tableRunner{job: j, blocks: blocks, buffers: make(chan []byte, maxUploads)}
	for range maxUploads {
		r.buffers <- nil
	}
	return r, nil
}

func (r *tableRunner) prefetches() bool { return true }

func (r *tableRunner) close() { r.blocks.Close() }

func (r *tableRunner) solve(ctx context.Context, t task) (upload, error) {
	j, g := r.job, t.group()
	before := j.worker.metrics().Read
	solved, err := r.solveBlocks(ctx, g)
	if err != nil {
		return nil, err
	}
	part, counts := appendPart((<-r.buffers)[:0], j.solve, solved), solved.Counts
	read := j.worker.metrics().Read - before
	return func(ctx context.Context) (completion, error) {
		defer func() { r.buffers <- part }()
		return completion{Read: read, Written: int64(len(part)), Counts: &counts}, j.o.Store.Put(ctx, j.solve.object(g), part)
	}, nil
}

// solveBlocks solves blocks. The result is valid until the next call.
func (r *tableRunner) solveBlocks(ctx context.Context, g group) (*retro.SolvedBlocks, error) {
	if r.blocks.Class() != g.class {
		if err := r.blocks.Begin(g.class); err != nil {
			return nil, err
		}
	}
	began := time.Now()
	err := r.load(ctx, g)
	r.job.worker.spend(began, &r.job.worker.status.Reading)
	if err != nil {
		return nil, err
	}
	defer r.job.worker.spend(time.Now(), &r.job.worker.status.Solving)
	return r.blocks.Solve(g.first, g.blocks)
}

// load reads the parts of the class above that a group needs and that are not here, several at
// once.
func (r *tableRunner) load(ctx context.Context, g group) error {
	parts, err := r.missing(g)
	if err != nil || len(parts) == 0 {
		return err
	}
	j, words := r.job, bitslice.Words(r.job.space.IndexBits[g.class+1])
	loading, ctx := errgroup.WithContext(ctx)
	loading.SetLimit(loaders + 1)
	loaded := make(chan *retro.SolvedBlocks)
	loading.Go(func() error {
		for range parts {
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case part := <-loaded:
				if err := r.blocks.Take(part); err != nil {
					return err
				}
				j.worker.set(func(w *WorkerStatus) { w.Read += planeBytes(part) })
				freePart(part)
			}
		}
		return nil
	})
	for _, of := range parts {
		loading.Go(func() error {
			var part *retro.SolvedBlocks
			err := j.readOrRepair(ctx, of, func() (err error) {
				part, err = getPart(ctx, j.o.Store, j.solve, of, words)
				return err
			})
			if err != nil {
				return err
			}
			select {
			case loaded <- part:
			case <-ctx.Done():
			}
			return nil
		})
	}
	return loading.Wait()
}

// missing returns the groups of the class above that a group needs and that are not here.
func (r *tableRunner) missing(g group) (missing []group, err error) {
	needs, err := r.blocks.Needs(g.first, g.blocks)
	if err != nil || len(needs) == 0 {
		return nil, err
	}
	above := g.class + 1
	for _, of := range r.job.solve.groups(r.job.space, above, r.blocks.Len(above)) {
		if n, _ := slices.BinarySearch(needs, of.first+of.blocks); n > 0 {
			missing = append(missing, of)
			needs = needs[n:]
		}
	}
	return missing, nil
}

// made reads the part of a group of the class in progress.
func (r *tableRunner) made(ctx context.Context, g group) (*retro.SolvedBlocks, error) {
	j := r.job
	part, err := getPart(ctx, j.o.Store, j.solve, g, bitslice.Words(j.space.IndexBits[g.class]))
	if isUnusable(err) {
		err = fmt.Errorf("%w: %w", errUnreadable, err)
	}
	if err == nil {
		j.worker.set(func(w *WorkerStatus) { w.Read += planeBytes(part) })
	}
	return part, err
}

func (r *tableRunner) recount(ctx context.Context, g group) (*retro.StateCounts, error) {
	part, err := r.made(ctx, g)
	if err != nil {
		return nil, err
	}
	defer freePart(part)
	return r.blocks.Count(part)
}

func (r *tableRunner) compare(ctx context.Context, g, blocks group) (block int, differs bool, err error) {
	made, err := r.made(ctx, g)
	if err != nil {
		return 0, false, err
	}
	defer freePart(made)
	solved, err := r.solveBlocks(ctx, blocks)
	if err != nil {
		return 0, false, err
	}
	for i := range blocks.blocks {
		if !equalBlocks(made, blocks.first+i-g.first, solved, i) {
			return blocks.first + i, true, nil
		}
	}
	return 0, false, nil
}

// equalBlocks reports whether block i of a equals block j of b. Missing digits are zero.
func equalBlocks(a *retro.SolvedBlocks, i int, b *retro.SolvedBlocks, j int) bool {
	plane := func(p *retro.SolvedBlocks, d, block int) []uint64 {
		switch {
		case d < 0:
			return p.Win[block*p.Words:][:p.Words]
		case d < len(p.Digits):
			return p.Digits[d][block*p.Words:][:p.Words]
		}
		return make([]uint64, p.Words)
	}
	for d := -1; d < max(len(a.Digits), len(b.Digits)); d++ {
		if !slices.Equal(plane(a, d, i), plane(b, d, j)) {
			return false
		}
	}
	return true
}

// write implements tableWriter.
func (r *tableRunner) write(ctx context.Context, f io.WriterAt, t task) (done completion, err error) {
	j, g := r.job, group{subclass: subclass{class: t.Class}, first: t.First, blocks: t.Blocks}
	defer j.worker.spend(time.Now(), &j.worker.status.Reading)
	var part *retro.SolvedBlocks
	err = j.readOrRepair(ctx, g, func() (err error) {
		part, err = getPart(ctx, j.o.Store, j.solve, g, bitslice.Words(j.space.IndexBits[g.class]))
		return err
	})
	if err != nil {
		return done, err
	}
	defer freePart(part)
	j.worker.set(func(w *WorkerStatus) { w.Read += planeBytes(part) })
	done = completion{Stretch: &stretch{Attempt: t.Attempt}, Counts: &part.Counts, Written: planeBytes(part)}
	return done, writeColumns(f, t.Parts, int64(part.First)*int64(part.Words), done.Stretch, [][]uint64{part.Win}, part.Digits)
}

// readBack implements tableWriter.
func (r *tableRunner) readBack(f io.ReaderAt, t task) (*stretch, *retro.StateCounts, error) {
	words, s := bitslice.Words(r.job.space.IndexBits[t.Class]), &stretch{Attempt: t.Attempt}
	defer r.job.worker.spend(time.Now(), &r.job.worker.status.Reading)
	columns, err := readColumns(f, t.Parts, int64(t.First)*int64(words), t.Blocks*words, s)
	defer freeColumns(columns)
	if err != nil {
		return nil, nil, err
	}
	part := &retro.SolvedBlocks{Class: t.Class, First: t.First, Words: words, Win: columns[format.Outcomes][0], Digits: columns[format.Steps]}
	r.job.worker.set(func(w *WorkerStatus) { w.Read += planeBytes(part) })
	counts, err := r.blocks.Count(part)
	return s, counts, err
}

func (r *tableRunner) discard(ctx context.Context, g group) error {
	return r.job.o.Store.Delete(ctx, r.job.solve.object(g))
}
