package cluster

import (
	"context"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

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
