package store

import (
	"bytes"
	"cmp"
	"context"
	"crypto/md5"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"sync"

	"github.com/minio/minio-go/v7"
	"golang.org/x/sync/errgroup"

	"backsolve/tablebase/format"
)

// Pieces are a file in a bucket that several processes write in pieces. In the end the server makes
// one object of them and of what else there is of the file: a multipart upload whose parts are copies.
// Pieces have no frames; the checksums of the file tell whether they are right. All methods are safe
// for concurrent use.
type Pieces struct {
	ctx  context.Context // covers the reads, which take no context
	in   *bucket
	name string

	lock  sync.Mutex
	known []piece // as of the last listing
}

// piece is one of the objects: a run of bytes of the file.
type piece struct{ at, length int64 }

func (p piece) end() int64 { return p.at + p.length }

const (
	// leastPart is S3's least length of a part that is not the last.
	leastPart = 5 << 20
	// copiers is how many parts are copied at once.
	copiers = 8
)

// PiecesOf returns the pieces of a file that is to be in a store under the name, nil unless the store
// is a bucket. ctx covers all that is read of it.
func PiecesOf(ctx context.Context, s Store, name string) *Pieces {
	if framed, is := s.(*framedStore); is {
		if b, is := framed.files.(*bucket); is {
			return &Pieces{ctx: ctx, in: b, name: name}
		}
	}
	return nil
}

// String is the address of the file.
func (p *Pieces) String() string { return p.in.String() + p.name }

// Name is the name of the file in the store.
func (p *Pieces) Name() string { return p.name }

func (p *Pieces) key() string { return p.in.prefix + p.name }

func (p *Pieces) prefix() string { return "pieces/" + p.name + "/" }

func (p *Pieces) nameOf(of piece) string {
	return fmt.Sprintf("%s%012x-%x", p.prefix(), of.at, of.length)
}

// wrap says what failed.
func (p *Pieces) wrap(verb string, err error) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(p.ctx); cause != nil {
		err = cause
	}
	return fmt.Errorf("cannot %s %s: %w", verb, p, err)
}

// Put puts the bytes of the file from at on.
func (p *Pieces) Put(at int64, data []byte) error {
	return p.wrap("write", p.in.put(p.ctx, p.nameOf(piece{at, int64(len(data))}), [][]byte{data}))
}

// list lists the pieces by where they begin.
func (p *Pieces) list() (all []piece, err error) {
	for name, err := range p.in.list(p.ctx, p.prefix()) {
		if err != nil {
			return nil, err
		}
		var of piece
		if n, _ := fmt.Sscanf(path.Base(name), "%x-%x", &of.at, &of.length); n == 2 && of.length > 0 && p.nameOf(of) == name {
			all = append(all, of)
		}
	}
	slices.SortFunc(all, func(a, b piece) int { return cmp.Compare(a.at, b.at) })
	return all, nil
}

// covering returns the piece with a byte that reaches furthest. The error is io.ErrUnexpectedEOF if
// there is none.
func (p *Pieces) covering(at int64) (piece, error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	for range 2 {
		best := piece{}
		for _, of := range p.known {
			if of.at <= at && of.end() > at && of.end() > best.end() {
				best = of
			}
		}
		if best.length > 0 {
			return best, nil
		}
		var err error
		if p.known, err = p.list(); err != nil {
			return best, err
		}
	}
	return piece{}, io.ErrUnexpectedEOF
}

// ReadAt implements io.ReaderAt; io.ErrUnexpectedEOF where nobody has put any bytes.
func (p *Pieces) ReadAt(b []byte, at int64) (n int, err error) {
	for n < len(b) && err == nil {
		var of piece
		if of, err = p.covering(at); err != nil {
			break
		}
		run := b[n:min(int64(len(b)), int64(n)+of.end()-at)]
		if err = p.in.readRange(p.ctx, p.in.key(p.nameOf(of)), run, at-of.at); err == nil {
			n, at = n+len(run), at+int64(len(run))
		}
	}
	if errors.Is(err, ErrNotFound) {
		p.lock.Lock()
		p.known = nil // of pieces that have gone
		p.lock.Unlock()
	}
	return n, p.wrap("read", err)
}

// Truncate deletes the pieces from a byte of the file on.
func (p *Pieces) Truncate(size int64) error {
	all, err := p.list()
	deleting := errgroup.Group{}
	deleting.SetLimit(copiers)
	for _, of := range all {
		if of.at >= size {
			deleting.Go(func() error { return p.in.remove(p.ctx, p.nameOf(of)) })
		}
	}
	p.lock.Lock()
	p.known = nil
	p.lock.Unlock()
	return p.wrap("delete pieces of", errors.Join(err, deleting.Wait()))
}

// Complete makes the file of so many bytes, replaces what has its name, and deletes the pieces. Those
// have the given runs of it, in their order; rest has all else.
func (p *Pieces) Complete(rest io.ReaderAt, runs []format.Extent, length int64) error {
	c, err := p.begin()
	if err == nil {
		at := int64(0)
		for _, run := range append(slices.Clone(runs), format.Extent{Offset: length}) {
			if err == nil {
				err = c.add(rest, at, run.Offset)
			}
			if err == nil {
				err = c.copy(run.Offset, run.Offset+run.Length)
			}
			at = run.Offset + run.Length
		}
		err = c.end(err)
	}
	if err == nil {
		var size int64
		if size, err = p.Size(); err == nil && size != length {
			err = fmt.Errorf("%w: it has %d bytes, not %d", ErrDamaged, size, length)
		}
	}
	if err != nil {
		return p.wrap("write", err)
	}
	return p.Truncate(0)
}

// Size returns the length of the completed file. The error wraps ErrNotFound if there is none.
func (p *Pieces) Size() (int64, error) {
	info, err := p.in.client.StatObject(p.ctx, p.in.name, p.key(), minio.StatObjectOptions{})
	return info.Size, p.in.wrap(err)
}

// upload is a multipart upload of the file. What is shorter than a part may be waits in the buffer.
type upload struct {
	*Pieces
	id      string
	buffer  []byte
	copying errgroup.Group
	lock    sync.Mutex // guards what follows
	parts   []minio.CompletePart
}

func (p *Pieces) begin() (*upload, error) {
	all, err := p.list()
	if err != nil {
		return nil, err
	}
	p.lock.Lock()
	p.known = all
	p.lock.Unlock()
	id, err := p.in.client.NewMultipartUpload(p.ctx, p.in.name, p.key(), minio.PutObjectOptions{ContentType: "application/octet-stream"})
	u := &upload{Pieces: p, id: id}
	u.copying.SetLimit(copiers)
	return u, p.in.wrap(err)
}

// next returns the number of the next part, from 1 on.
func (u *upload) next() int {
	u.lock.Lock()
	defer u.lock.Unlock()
	u.parts = append(u.parts, minio.CompletePart{})
	return len(u.parts)
}

func (u *upload) done(part minio.CompletePart) {
	u.lock.Lock()
	defer u.lock.Unlock()
	u.parts[part.PartNumber-1] = part
}

// add adds bytes of another reader.
func (u *upload) add(from io.ReaderAt, at, end int64) error {
	for at < end {
		run := make([]byte, min(end-at, 2*leastPart))
		if _, err := io.ReadFull(io.NewSectionReader(from, at, end-at), run); err != nil {
			return err
		}
		at += int64(len(run))
		if err := u.append(run); err != nil {
			return err
		}
	}
	return nil
}

// append adds bytes.
func (u *upload) append(run []byte) error {
	if u.buffer = append(u.buffer, run...); len(u.buffer) < leastPart {
		return nil
	}
	return u.flush()
}

// flush uploads what waits as a part.
func (u *upload) flush() error {
	sum, number := md5.Sum(u.buffer), u.next()
	part, err := u.in.client.PutObjectPart(u.ctx, u.in.name, u.key(), u.id, number, bytes.NewReader(u.buffer), int64(len(u.buffer)),
		minio.PutObjectPartOptions{Md5Base64: base64.StdEncoding.EncodeToString(sum[:]), DisableContentSha256: true})
	u.buffer = u.buffer[:0]
	u.done(minio.CompletePart{PartNumber: number, ETag: part.ETag})
	return u.in.wrap(err)
}

// copy adds bytes of pieces. The server copies them, but for those that would be too short a part.
func (u *upload) copy(at, end int64) error {
	for at < end {
		of, err := u.covering(at)
		if err != nil {
			return err
		}
		n := min(end, of.end()) - at
		if len(u.buffer) > 0 || n < leastPart {
			// What waits becomes a part with as little of the piece as leaves a part of it, or with all.
			if fill := leastPart - int64(len(u.buffer)); n >= fill+leastPart {
				n = fill
			}
			if err := u.add(u.Pieces, at, at+n); err != nil {
				return err
			}
			at += n
			continue
		}
		from, number := at-of.at, u.next()
		u.copying.Go(func() error {
			part, err := u.in.client.CopyObjectPart(u.ctx, u.in.name, u.in.key(u.nameOf(of)), u.in.name, u.key(), u.id, number, from, n, nil)
			u.done(minio.CompletePart{PartNumber: number, ETag: part.ETag})
			return u.in.wrap(err)
		})
		at += n
	}
	return nil
}

// end completes the upload, or aborts it after an error.
func (u *upload) end(err error) error {
	err = errors.Join(err, u.copying.Wait())
	if err == nil && len(u.buffer) > 0 {
		err = u.flush()
	}
	if err == nil {
		_, err = u.in.client.CompleteMultipartUpload(u.ctx, u.in.name, u.key(), u.id, u.parts, minio.PutObjectOptions{})
		err = u.in.wrap(err)
	}
	if err != nil {
		// Without the context, which may have ended: the parts would cost until they are deleted.
		_ = u.in.client.AbortMultipartUpload(context.WithoutCancel(u.ctx), u.in.name, u.key(), u.id)
	}
	return err
}

// Open returns the completed file, to be read as a table. The error wraps fs.ErrNotExist if there
// is none.
func (p *Pieces) Open() (format.Storage, error) {
	_, err := p.Size()
	if errors.Is(err, ErrNotFound) {
		err = fs.ErrNotExist
	}
	return completed{p}, err
}

// completed is a completed file.
type completed struct{ *Pieces }

func (c completed) ReadAt(b []byte, at int64) (int, error) {
	if err := c.in.readRange(c.ctx, c.key(), b, at); err != nil {
		return 0, c.wrap("read", err)
	}
	return len(b), nil
}

func (completed) Close() error                 { return nil }
func (completed) Fetch([]format.Extent) error  { return nil }
func (completed) ShareDeadline() (done func()) { return func() {} }
