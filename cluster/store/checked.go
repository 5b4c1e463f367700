package store

import (
	"context"
	"fmt"
	"io"
	"iter"
)

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

func (s checked) Put(ctx context.Context, name string, data ...[]byte) error {
	if err := CheckName(name); err != nil {
		return err
	}
	return s.wrap(ctx, "put", name, s.Store.Put(ctx, name, data...))
}

func (s checked) Get(ctx context.Context, name string) (*Reader, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	r, err := s.Store.Get(ctx, name)
	if err != nil {
		return nil, s.wrap(ctx, "read", name, err)
	}
	r.wrap = func(err error) error { return s.wrap(ctx, "read", name, err) }
	return r, nil
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
	if err := CheckName(name); err != nil {
		return err
	}
	return s.wrap(ctx, "delete", name, s.Store.Delete(ctx, name))
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
	file io.ReadCloser
	wrap func(err error) error
}

// Read implements io.Reader. Its error is io.EOF if the object has become shorter.
func (r *Reader) Read(p []byte) (n int, err error) {
	if err = r.ctx.Err(); err == nil {
		n, err = r.file.Read(p)
	}
	if err == io.EOF {
		return n, err
	}
	return n, r.wrap(err)
}

// Close implements io.Closer.
func (r *Reader) Close() error { return r.file.Close() }
