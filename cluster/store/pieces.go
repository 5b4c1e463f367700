package store

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sync"

	"github.com/minio/minio-go/v7"
	"golang.org/x/sync/errgroup"

	"backsolve/tablebase/format"
)

// Pieces are a file in a bucket that several processes write in pieces. In the end the server makes one
// object of them and of what else there is of the file: a multipart upload whose parts are copies. The
// checksums of the file tell whether they are right. All methods are safe for concurrent use.
type Pieces struct {
	ctx  context.Context // covers the reads, which take no context
	in   *bucket
	name string

	lock  sync.Mutex
	known []piece // as of the last listing
}

type piece struct{ at, length int64 } // bytes of the file

func (p piece) end() int64 { return p.at + p.length }

const (
	leastPart = 5 << 20 // S3's least length of a part that is not the last
	copiers   = 8       // parts that are copied at once
)

// PiecesOf returns the pieces of a file that is to be in a store under the name, nil unless the store
// is a bucket. ctx covers all reads.
func PiecesOf(ctx context.Context, s Store, name string) *Pieces {
	of, _ := s.(checked)
	if b, is := of.Store.(*bucket); is {
		return &Pieces{ctx: ctx, in: b, name: name}
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

func (p *Pieces) wrap(verb string, err error) error {
	return failure(p.ctx, verb+" "+p.String(), err)
}

// Put puts the bytes of the file from at on.
func (p *Pieces) Put(at int64, data []byte) error {
	return p.wrap("write", p.in.Put(p.ctx, p.nameOf(piece{at, int64(len(data))}), data))
}

func (p *Pieces) list() (all []piece, err error) {
	for name, err := range p.in.List(p.ctx, p.prefix()) {
		if err != nil {
			return nil, err
		}
		var of piece
		if n, _ := fmt.Sscanf(path.Base(name), "%x-%x", &of.at, &of.length); n == 2 && of.length > 0 && p.nameOf(of) == name {
			all = append(all, of)
		}
	}
	return all, nil
}

// covering returns the piece that has a byte and reaches furthest, or io.ErrUnexpectedEOF.
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

func (p *Pieces) forget() {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.known = nil
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
		p.forget()
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
			deleting.Go(func() error { return p.in.Delete(p.ctx, p.nameOf(of)) })
		}
	}
	p.forget()
	return p.wrap("delete pieces of", errors.Join(err, deleting.Wait()))
}

// Complete makes the file, of length bytes, in place of what has its name, and deletes the pieces. These
// have the given runs of it, in this order; all reads the whole file.
func (p *Pieces) Complete(all io.ReaderAt, runs []format.Extent, length int64) error {
	p.forget()
	parts, err := p.cut(runs, length)
	if err == nil {
		err = p.upload(all, parts, length)
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

// part is a run of bytes of an upload. The server copies it from a piece, unless that is empty.
type part struct{ run, from piece }

// cut cuts a file into parts. Bytes that are in no piece, or in one too short for a part, are joined with
// those that follow: with as few as make a part, if enough of the next piece is left for another.
func (p *Pieces) cut(runs []format.Extent, length int64) (parts []part, err error) {
	short := piece{} // too short for a part so far
	for at := int64(0); at < length; at = short.end() {
		n, from := min(length-at, 2*leastPart), piece{}
		if len(runs) > 0 {
			if n = min(n, runs[0].Offset-at); n <= 0 {
				if from, err = p.covering(at); err != nil {
					return nil, err
				}
				n = min(runs[0].Offset+runs[0].Length, from.end()) - at
			}
		}
		if fill := leastPart - short.length; from.length > 0 && short.length > 0 && n >= fill+leastPart {
			n = fill
		}
		if short.length > 0 || n < leastPart {
			from = piece{}
		}
		if short.length += n; short.length >= leastPart || short.end() == length {
			parts = append(parts, part{short, from})
			short = piece{at: short.end()}
		}
		for len(runs) > 0 && runs[0].Offset+runs[0].Length <= at+n {
			runs = runs[1:]
		}
	}
	return parts, nil
}

// upload makes the file of length bytes of parts, or leaves it as it was.
func (p *Pieces) upload(all io.ReaderAt, parts []part, length int64) error {
	id, err := p.in.client.NewMultipartUpload(p.ctx, p.in.name, p.key(), minio.PutObjectOptions{ContentType: "application/octet-stream"})
	if err != nil {
		return p.in.wrap(err)
	}
	made := make([]minio.CompletePart, len(parts))
	making, failed := errgroup.WithContext(p.ctx)
	making.SetLimit(copiers)
	for i, of := range parts {
		making.Go(func() (err error) {
			if failed.Err() != nil { // requests that are on their way end before the upload does
				return failed.Err()
			}
			made[i].PartNumber = i + 1
			made[i].ETag, err = p.uploadPart(id, i+1, of, all)
			return err
		})
	}
	if err = making.Wait(); err == nil {
		_, err = p.in.client.CompleteMultipartUpload(p.ctx, p.in.name, p.key(), id, made, minio.PutObjectOptions{})
	}
	if err != nil {
		// Without the context, which may have ended: the parts would cost until they are deleted.
		_ = p.in.client.AbortMultipartUpload(context.WithoutCancel(p.ctx), p.in.name, p.key(), id)
		return p.in.wrap(err)
	}
	size, err := p.Size()
	if err == nil && size != length {
		err = fmt.Errorf("%w: it has %d bytes, not %d", ErrDamaged, size, length)
	}
	return err
}

// uploadPart has the server copy a part, or uploads it from a reader of the whole file.
func (p *Pieces) uploadPart(id string, number int, of part, all io.ReaderAt) (etag string, err error) {
	to, run := p.in, of.run
	if of.from.length > 0 {
		made, err := to.client.CopyObjectPart(p.ctx, to.name, to.key(p.nameOf(of.from)), to.name, p.key(), id, number, run.at-of.from.at, run.length, nil)
		return made.ETag, err
	}
	b := make([]byte, run.length)
	if _, err := io.ReadFull(io.NewSectionReader(all, run.at, run.length), b); err != nil {
		return "", err
	}
	sum := md5.Sum(b)
	made, err := to.client.PutObjectPart(p.ctx, to.name, p.key(), id, number, bytes.NewReader(b), run.length,
		minio.PutObjectPartOptions{Md5Base64: base64.StdEncoding.EncodeToString(sum[:]), DisableContentSha256: true})
	return made.ETag, err
}

// Open returns the completed file. The error wraps fs.ErrNotExist if there is none.
func (p *Pieces) Open() (format.Storage, error) {
	_, err := p.Size()
	if errors.Is(err, ErrNotFound) {
		err = fs.ErrNotExist
	}
	return completed{p}, err
}

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
