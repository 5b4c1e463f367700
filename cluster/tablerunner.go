package cluster

import (
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"backsolve/internal/bitslice"
	"backsolve/retro"
)

// tableRunner solves shards for a table. It keeps the blocks of the class above that it has read.
type tableRunner struct {
	job     *job
	blocks  *retro.BlockWorker
	buffers chan []byte // for uploads
}

func newTableRunner(ctx context.Context, j *job) (runner, error) {
	o := j.solve.options()
	o.Threads, o.Memory = j.o.Threads, j.o.Memory
	blocks, err := retro.NewBlockWorker(ctx, j.space, o)
	if err != nil {
		return runner{}, err
	}
	r := &tableRunner{job: j, blocks: blocks, buffers: make(chan []byte, maxUploads)}
	for range maxUploads {
		r.buffers <- nil
	}
	return runner{solve: r.solve, count: r.count, compare: r.compare, close: blocks.Close}, nil
}

func (r *tableRunner) solve(ctx context.Context, t task) (upload, error) {
	j, g := r.job, t.shard
	solved, counts, err := r.solveBlocks(ctx, g)
	if err != nil {
		return nil, err
	}
	buffer := (<-r.buffers)[:0]
	items := planesOf(solved)
	for _, item := range items {
		buffer = append(buffer, item...)
	}
	items = slices.Collect(slices.Chunk(buffer, len(items[0])))
	return func(ctx context.Context) (completion, error) {
		defer func() { r.buffers <- buffer }()
		written, err := putObject(ctx, j.o.Store, j.solve.object(g), head{}, items...)
		return completion{Written: written, Counts: counts}, err
	}, nil
}

// solveBlocks solves and counts blocks, which are valid until the next call.
func (r *tableRunner) solveBlocks(ctx context.Context, g shard) (*retro.SolvedBlocks, *retro.StateCounts, error) {
	if r.blocks.Class() != g.Class {
		if err := r.blocks.Begin(g.Class); err != nil {
			return nil, nil, err
		}
	}
	began := time.Now()
	err := r.load(ctx, g)
	r.job.worker.spend(began, &r.job.worker.status.Reading)
	if err != nil {
		return nil, nil, err
	}
	return r.blocks.Solve(g.First, g.Blocks)
}

// load reads what a shard needs of the class above and is not here, several objects at once.
func (r *tableRunner) load(ctx context.Context, g shard) error {
	needs, err := r.blocks.Needs(g.First, g.Blocks)
	if err != nil || len(needs) == 0 {
		return err
	}
	j, class := r.job, g.Class+1
	loading, ctx := errgroup.WithContext(ctx)
	loading.SetLimit(loaders)
	var taking sync.Mutex
	for _, above := range j.solve.shards(j.space, class, r.blocks.Len(class)) {
		n, _ := slices.BinarySearch(needs, above.First+above.Blocks)
		if needs = needs[n:]; n == 0 {
			continue
		}
		loading.Go(func() error {
			var solved *retro.SolvedBlocks
			err := j.readOrRepair(ctx, above, func() (err error) {
				solved, err = j.solved(ctx, above)
				return err
			})
			if err != nil {
				return err
			}
			taking.Lock()
			defer taking.Unlock()
			defer free(planes(solved))
			return r.blocks.Take(solved)
		})
	}
	return loading.Wait()
}

func (r *tableRunner) compare(ctx context.Context, g, blocks shard) (differs bool, err error) {
	made, err := r.job.solved(ctx, g)
	if err != nil {
		return false, unreadable(err)
	}
	defer free(planes(made))
	solved, _, err := r.solveBlocks(ctx, blocks)
	if err != nil {
		return false, err
	}
	n := blocks.Blocks * made.Words
	zeros := make([]uint64, n) // of missing digits
	cut := func(p *retro.SolvedBlocks, i int) []uint64 {
		if i > len(p.Digits) {
			return zeros
		}
		return planes(p)[i][(blocks.First-p.First)*p.Words:][:n]
	}
	for i := range 1 + max(len(made.Digits), len(solved.Digits)) {
		differs = differs || !slices.Equal(cut(made, i), cut(solved, i))
	}
	return differs, nil
}

func (r *tableRunner) count(u unit, outcomes, numbers [][]uint64) (*retro.StateCounts, error) {
	words := bitslice.Words(r.job.space.IndexBits[u.Class])
	return r.blocks.Count(&retro.SolvedBlocks{Class: u.Class, First: u.First, Words: words, Win: outcomes[0], Digits: numbers})
}
