package cluster

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"
)

// partUploader uploads the parts of a group as they are solved.
type partUploader struct {
	job       *job
	group     group
	ready     chan *partBuffer
	uploading *errgroup.Group

	lock    sync.Mutex // guards what follows
	parts   []partBuffer
	written int64
}

// partBuffer collects the slices of a part.
type partBuffer struct {
	group   group
	slices  [][]byte
	release []func() // of the memory of the slices
	missing int      // slices
}

func newPartUploader(ctx context.Context, j *job, g group) *partUploader {
	u := &partUploader{job: j, group: g}
	for _, part := range g.cut(j.solve.PartBlocks) {
		u.parts = append(u.parts, partBuffer{group: part, slices: make([][]byte, part.blocks), missing: part.blocks})
	}
	u.ready = make(chan *partBuffer, len(u.parts)) // adding never waits
	u.uploading, ctx = errgroup.WithContext(ctx)   // if one fails, all do
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
func (u *partUploader) add(block int, slice []byte, release func()) {
	p := &u.parts[(block-u.group.first)/u.job.solve.PartBlocks]
	u.lock.Lock()
	p.slices[block-p.group.first] = slice
	p.release = append(p.release, release)
	p.missing--
	complete := p.missing == 0
	u.lock.Unlock()
	if complete {
		u.ready <- p
	}
}

func (u *partUploader) upload(ctx context.Context, p *partBuffer) error {
	size, err := putObject(ctx, u.job.o.Store, u.job.solve.object(p.group), head{}, p.slices...)
	u.lock.Lock()
	defer u.lock.Unlock()
	u.written += size
	return err
}

// wait returns when all complete parts are uploaded, and how many bytes they have. Call it once.
func (u *partUploader) wait() (written int64, err error) {
	close(u.ready)
	err = u.uploading.Wait()
	u.lock.Lock()
	defer u.lock.Unlock()
	return u.written, err
}
