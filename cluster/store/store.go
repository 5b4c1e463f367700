// Package store keeps the bulk data of a distributed solve: named objects in a shared directory
// or an S3 bucket. An object is there whole or not at all. Its bytes may have changed there: its
// checksums are up to those who put and read it.
//
// Write an object once. If it is written again under its name, readers get the old bytes or the
// new ones, never a mixture.
package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"syscall"
)

// Store keeps named objects. Names are slash-separated (see CheckName). All methods are safe for
// concurrent use, also by several processes on the same directory or bucket.
//
// An error names the object and the store, except in reads. It wraps the cause: once the context is
// cancelled, that of the context.
type Store interface {
	// Put stores data, given in pieces, and replaces the object of that name. If it fails, the
	// old object remains. The error wraps ErrFull if there is no room.
	Put(ctx context.Context, name string, data ...[]byte) error

	// Get opens an object. ctx also covers the reads. The error wraps ErrNotFound if there is none.
	Get(ctx context.Context, name string) (*Reader, error)

	// List yields the names of the objects that begin with prefix, in no particular order. An
	// error ends the list. The objects may be damaged.
	List(ctx context.Context, prefix string) iter.Seq2[string, error]

	// Delete deletes an object. It is no error if there is none.
	Delete(ctx context.Context, name string) error

	// Sync returns when all objects whose names begin with prefix, by any process, survive a power failure.
	Sync(ctx context.Context, prefix string) error

	// Locate returns the name of a file in the directory of the store, the same on all machines, or ""
	// if it is elsewhere or the store is not a directory. Several processes can write to it in place.
	Locate(path string) string
	// OpenFile opens such a file with flags as those of os.OpenFile.
	OpenFile(name string, flag int) (*os.File, error)

	// String names the store in messages, without secrets.
	String() string
}

// Causes that errors wrap, for errors.Is.
var (
	// ErrNotFound means that no object has the name.
	ErrNotFound = errors.New("there is no such object")
	// ErrDamaged means that an object was cut short, changed or mixed up. Putting it again repairs it.
	ErrDamaged = errors.New("the object is damaged")
	// ErrName means that no object can have the name.
	ErrName = errors.New("an object cannot have this name")
	// ErrFull means that the store has no room.
	ErrFull = errors.New("the store is full")
)

// FullError adds a remedy to an error that means that there is no room in a place, and returns others.
func FullError(err error, place string) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w: %w; make room in %s", ErrFull, err, place)
	}
	return err
}

// Open opens a store: a directory, which it creates if need be, or s3://bucket/prefix. S3 is configured as for
// the AWS tools, by AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or files in ~/.aws, by AWS_ENDPOINT_URL_S3 or
// AWS_ENDPOINT_URL, AWS_REGION or AWS_DEFAULT_REGION, and AWS_CA_BUNDLE.
func Open(ctx context.Context, address string) (Store, error) {
	scheme, _, isURL := strings.Cut(address, "://")
	switch {
	case address == "":
		return nil, errors.New("the store has no address; give a directory, or s3://bucket/prefix")
	case !isURL:
		return openDirectory(address)
	case IsBucket(address):
		return openBucket(ctx, address)
	}
	return nil, fmt.Errorf("no store has an address that begins with %.20q; give a directory, or s3://bucket/prefix", scheme+"://")
}

// IsBucket reports whether an address is that of a bucket.
func IsBucket(address string) bool {
	scheme, _, isURL := strings.Cut(address, "://")
	return isURL && strings.EqualFold(scheme, "s3")
}

// checked checks the names of objects for another Store, and says in its errors what failed.
type checked struct{ Store }

// failure says what failed, unless err is nil: a cancelled context by its cause.
func failure(ctx context.Context, doing string, err error) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return fmt.Errorf("cannot %s: %w", doing, err)
}

func (s checked) wrap(ctx context.Context, verb, name string, err error) error {
	return failure(ctx, fmt.Sprintf("%s %s in %s", verb, name, s), err)
}

func (s checked) do(ctx context.Context, verb, name string, do func() error) error {
	if err := CheckName(name); err != nil {
		return err
	}
	return s.wrap(ctx, verb, name, do())
}

func (s checked) Put(ctx context.Context, name string, data ...[]byte) error {
	return s.do(ctx, "put", name, func() error { return s.Store.Put(ctx, name, data...) })
}

func (s checked) Get(ctx context.Context, name string) (r *Reader, err error) {
	err = s.do(ctx, "read", name, func() (err error) {
		r, err = s.Store.Get(ctx, name)
		return err
	})
	return r, err
}

func (s checked) List(ctx context.Context, prefix string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if err := checkPrefix(prefix); err != nil {
			yield("", err)
			return
		}
		for name, err := range s.Store.List(ctx, prefix) {
			if err != nil {
				yield("", s.wrap(ctx, "list", prefix+"…", err))
				return
			}
			// Files with other names are not from this package.
			if CheckName(name) == nil && !yield(name, nil) {
				return
			}
		}
	}
}

func (s checked) Delete(ctx context.Context, name string) error {
	return s.do(ctx, "delete", name, func() error { return s.Store.Delete(ctx, name) })
}

func (s checked) Sync(ctx context.Context, prefix string) error {
	if err := checkPrefix(prefix); err != nil {
		return err
	}
	return s.wrap(ctx, "sync", prefix, s.Store.Sync(ctx, prefix))
}

// Reader reads an object of Size bytes.
type Reader struct {
	Size int64
	ctx  context.Context // covers the reads, which take no context
	io.ReadCloser
}

// Read implements io.Reader. Its error is io.EOF if the object has become shorter.
func (r *Reader) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.ReadCloser.Read(p)
}
