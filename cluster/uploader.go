package cluster

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"
)

// uploader uploads the objects of a shard as they are solved.
type uploader struct {
	job       *job
	shard     shard
	ready     chan *objectBuffer
	uploading *errgroup.Group

	lock    sync.Mutex // guards what follows
	objects []objectBuffer
	written int64
}

// objectBuffer collects the slices of an object.
type objectBuffer struct {
	shard   shard
	slices  [][]byte
	release []func() // of the memory of the slices
	missing int      // slices
}

func newUploader(ctx context.Context, j *job, g shard) *uploader {
	u := &uploader{job: j, shard: g}
	for _, object := range g.cut(j.solve.ObjectBlocks) {
		u.objects = append(u.objects, objectBuffer{shard: object, slices: make([][]byte, object.blocks), missing: object.blocks})
	}
	u.ready = make(chan *objectBuffer, len(u.objects)) // adding never waits
	u.uploading, ctx = errgroup.WithContext(ctx)       // if one fails, all do
	for range maxUploads {
		u.uploading.Go(func() (err error) {
			for p := range u.ready {
				if err == nil { // after an error it only releases the memory
					err = u.upload(ctx, p)
				}
				for _, release := range p.release {
					release()
				}
			}
			return err
		})
	}
	return u
}

// add adds the slice of a block, and calls release when its memory is free. It is safe for
// concurrent use.
func (u *uploader) add(block int, slice []byte, release func()) {
	p := &u.objects[(block-u.shard.first)/u.job.solve.ObjectBlocks]
	u.lock.Lock()
	p.slices[block-p.shard.first] = slice
	p.release = append(p.release, release)
	p.missing--
	complete := p.missing == 0
	u.lock.Unlock()
	if complete {
		u.ready <- p
	}
}

func (u *uploader) upload(ctx context.Context, p *objectBuffer) error {
	size, err := putObject(ctx, u.job.o.Store, u.job.solve.object(p.shard), head{}, p.slices...)
	u.lock.Lock()
	defer u.lock.Unlock()
	u.written += size
	return err
}

// wait returns when all complete objects are uploaded, and how many bytes they have. Call it once.
func (u *uploader) wait() (written int64, err error) {
	close(u.ready)
	err = u.uploading.Wait()
	u.lock.Lock()
	defer u.lock.Unlock()
	return u.written, err
}
