package cluster

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"backsolve/retro"
	"backsolve/retro/outofcore"
)

// streamRunner solves shards of a solve that keeps no table. It reads the class above once for each shard.
type streamRunner struct {
	job    *job
	blocks *outofcore.BlockWorker
	stages map[stage]outofcore.Stage
}

func newStreamRunner(ctx context.Context, j *job) (runner, error) {
	r := &streamRunner{job: j, stages: map[stage]outofcore.Stage{}}
	for _, of := range outofcore.Stages(j.space) {
		r.stages[stageOf(of)] = of
	}
	alone := *j.solve
	alone.Spread = 1 // with fewer workers the shards are larger
	blocks := alone.streamShards(stage{}, int(slices.Max(j.blocks)))[0].Blocks
	o := outofcore.Options{Options: retro.Options{Threads: j.o.Threads, Memory: j.o.Memory}, Packed: j.solve.Packed}
	if need := StreamNeed(j.space, o, blocks); o.Memory > 0 && need > o.Memory {
		return runner{}, &retro.MemoryError{Limit: o.Memory, Need: need}
	}
	var err error
	if r.blocks, err = outofcore.NewBlockWorker(ctx, j.space, o, r.read, readMemory(j.space)); err != nil {
		return runner{}, err
	}
	return runner{solve: r.solve, recount: r.recount, compare: r.compare, close: r.blocks.Close}, nil
}

func (r *streamRunner) solve(ctx context.Context, t task) (upload, error) {
	j, g := r.job, t.shard
	waited := r.blocks.Waited()
	objects := newUploader(ctx, j, g)
	counts, err := r.blocks.Solve(r.stages[g.stage], g.First, g.Blocks, objects.add)
	j.worker.set(func(s *WorkerStatus) { s.Reading += (r.blocks.Waited() - waited).Seconds() })
	if err != nil {
		objects.wait()
		return nil, err
	}
	return func(context.Context) (completion, error) {
		written, err := objects.wait()
		return completion{Written: written, Counts: counts}, err
	}, nil
}

func (r *streamRunner) recount(ctx context.Context, u unit) (*retro.StateCounts, error) {
	counter := r.blocks.NewCounter(r.stages[u.stage])
	var stored []byte
	err := r.job.slices(ctx, u.shard, func(block int, slice *item) (err error) {
		if stored, err = readItem(slice, stored); err == nil {
			counter.Count(block, stored) // what is no slice is missing in the sum
		}
		return err
	})
	return counter.Sum(), err
}

func (r *streamRunner) compare(ctx context.Context, g, blocks shard) (differs bool, err error) {
	made := map[int][]byte{}
	for _, object := range g.cut(r.job.solve.ObjectBlocks) {
		if object.First+object.Blocks <= blocks.First || object.First >= blocks.First+blocks.Blocks {
			continue
		}
		err := r.job.slices(ctx, object, func(block int, slice *item) (err error) {
			if block >= blocks.First && block < blocks.First+blocks.Blocks {
				made[block], err = readItem(slice, nil)
			}
			return err
		})
		if err != nil {
			return false, unreadable(err)
		}
	}
	var lock sync.Mutex
	others := map[int][]byte{} // slices whose stored bytes differ
	_, err = r.blocks.Solve(r.stages[g.stage], blocks.First, blocks.Blocks, func(block int, slice []byte, release func()) {
		lock.Lock()
		defer lock.Unlock()
		if !bytes.Equal(slice, made[block]) {
			others[block] = bytes.Clone(slice)
		}
		release()
	})
	for block, slice := range others {
		differs = differs || !r.blocks.Same(slice, made[block])
	}
	return differs && err == nil, err
}

func (r *streamRunner) read(ctx context.Context, of outofcore.Stage, blocks []int, deliver outofcore.DeliverSlice) error {
	reading, readCtx := errgroup.WithContext(ctx)
	reading.SetLimit(loaders)
	var object shard
	var wanted []int
	read := func() {
		if object, wanted := object, wanted; len(wanted) > 0 {
			reading.Go(func() error { return r.readBlocks(readCtx, object, wanted, deliver) })
		}
	}
	stage, all := stageOf(of), r.blocks.Len(of.Class)
	for _, block := range blocks {
		if p := r.job.solve.objectOf(stage, all, block); p != object {
			read()
			object, wanted = p, nil
		}
		wanted = append(wanted, block)
		if readCtx.Err() != nil {
			break
		}
	}
	read()
	if err := reading.Wait(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// readBlocks reads some blocks of an object. It delivers them as they come, so that they need no memory
// and stay in the cache. Those that were delivered before the object turned out to be damaged are right.
func (r *streamRunner) readBlocks(ctx context.Context, object shard, blocks []int, deliver outofcore.DeliverSlice) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	left := slices.Sorted(slices.Values(blocks)) // a class may be read backwards
	return r.job.readOrRepair(ctx, object, func() error {
		return r.job.slices(ctx, object, func(block int, slice *item) error {
			if len(left) == 0 || left[0] != block {
				return nil
			}
			err := deliver(block, slice.left, slice.fill)
			if err == nil {
				left = left[1:]
			}
			return err
		})
	})
}

type uploader struct {
	job       *job
	shard     shard
	ctx       context.Context // of all uploads: if one fails, all do
	uploading *errgroup.Group
	slots     chan struct{} // for as many as upload at once
	written   atomic.Int64

	lock    sync.Mutex // guards what follows
	objects []objectBuffer
}

type objectBuffer struct {
	shard   shard
	slices  [][]byte
	release []func() // of the memory of the slices
	missing int      // slices
}

func newUploader(ctx context.Context, j *job, g shard) *uploader {
	u := &uploader{job: j, shard: g, slots: make(chan struct{}, maxUploads)}
	for _, object := range g.cut(j.solve.ObjectBlocks) {
		u.objects = append(u.objects, objectBuffer{shard: object, slices: make([][]byte, object.Blocks), missing: object.Blocks})
	}
	u.uploading, u.ctx = errgroup.WithContext(ctx)
	return u
}

// add adds the slice of a block, and calls release when its memory is free. It never waits for an upload.
func (u *uploader) add(block int, slice []byte, release func()) {
	p := &u.objects[(block-u.shard.First)/u.job.solve.ObjectBlocks]
	u.lock.Lock()
	p.slices[block-p.shard.First] = slice
	p.release = append(p.release, release)
	p.missing--
	complete := p.missing == 0
	u.lock.Unlock()
	if complete {
		u.uploading.Go(func() error { return u.upload(p) })
	}
}

// upload uploads an object. After an error it only releases the memory.
func (u *uploader) upload(p *objectBuffer) error {
	u.slots <- struct{}{}
	defer func() {
		<-u.slots
		for _, release := range p.release {
			release()
		}
	}()
	if u.ctx.Err() != nil {
		return context.Cause(u.ctx)
	}
	size, err := putObject(u.ctx, u.job.o.Store, u.job.solve.object(p.shard), head{}, p.slices...)
	u.written.Add(size)
	return err
}

func (u *uploader) wait() (written int64, err error) {
	err = u.uploading.Wait()
	return u.written.Load(), err
}
