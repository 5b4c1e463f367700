package store

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
)

// backend keeps files under names that were checked. It knows nothing of frames.
type backend interface {
	// put writes a file from its pieces, whole or not at all.
	put(ctx context.Context, name string, pieces [][]byte) error
	// get opens a file and returns its length.
	get(ctx context.Context, name string) (io.ReadCloser, int64, error)
	list(ctx context.Context, prefix string) iter.Seq2[string, error]
	remove(ctx context.Context, name string) error
	sync(ctx context.Context, prefix string) error
	String() string
}

// framedStore is a Store that keeps objects in frames, in the files of a backend.
type framedStore struct{ files backend }

func (s *framedStore) String() string { return s.files.String() }

// wrap says what failed. A backend reports a cancelled context in its own way, so wrap reports
// the context's cause instead.
func (s *framedStore) wrap(ctx context.Context, verb, name string, err error) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return fmt.Errorf("cannot %s %s in %s: %w", verb, name, s, err)
}

// Put implements Store.
func (s *framedStore) Put(ctx context.Context, name string, data ...[]byte) error {
	if err := CheckName(name); err != nil {
		return err
	}
	return s.wrap(ctx, "put", name, s.files.put(ctx, name, framesOf(data)))
}

// Get implements Store.
func (s *framedStore) Get(ctx context.Context, name string) (*Reader, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	file, length, err := s.files.get(ctx, name)
	if err != nil {
		return nil, s.wrap(ctx, "read", name, err)
	}
	size, err := dataSize(length)
	if err != nil {
		file.Close()
		return nil, s.wrap(ctx, "read", name, err)
	}
	return &Reader{ctx: ctx, store: s, name: name, file: file, frames: newDecoder(file, size)}, nil
}

// List implements Store.
func (s *framedStore) List(ctx context.Context, prefix string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if err := checkPrefix(prefix); err != nil {
			yield("", err)
			return
		}
		for name, err := range s.files.list(ctx, prefix) {
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

// Delete implements Store.
func (s *framedStore) Delete(ctx context.Context, name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	return s.wrap(ctx, "delete", name, s.files.remove(ctx, name))
}

// Sync implements Store.
func (s *framedStore) Sync(ctx context.Context, prefix string) error {
	if err := checkPrefix(prefix); err != nil {
		return err
	}
	return s.wrap(ctx, "sync", prefix, s.files.sync(ctx, prefix))
}

// Locate implements Store.
func (s *framedStore) Locate(path string) string {
	d, is := s.files.(*directory)
	path, err := filepath.Abs(path)
	if is && err == nil {
		path, err = filepath.Rel(d.path, path)
	}
	if !is || err != nil || !filepath.IsLocal(path) {
		return ""
	}
	return filepath.ToSlash(path)
}

// OpenFile implements Store.
func (s *framedStore) OpenFile(name string, flag int) (*os.File, error) {
	d, is := s.files.(*directory)
	if !is {
		return nil, fmt.Errorf("cannot open %s in %s, which is not a directory", name, s)
	}
	f, err := d.root.OpenFile(filepath.FromSlash(name), flag, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot open %s in %s: %w", name, s, d.wrap(err))
	}
	return f, nil
}

// Reader reads an object. It returns bytes only after it has verified their checksum, and io.EOF
// only if the object was whole. Errors wrap ErrDamaged or the cause.
type Reader struct {
	ctx    context.Context // covers the reads, which take no context
	store  *framedStore
	name   string
	file   io.Closer
	frames *decoder
}

// Read implements io.Reader. It may overwrite all of p.
func (r *Reader) Read(p []byte) (n int, err error) {
	if err = r.ctx.Err(); err == nil {
		n, err = r.frames.Read(p)
	}
	if err == io.EOF {
		return n, err
	}
	return n, r.store.wrap(r.ctx, "read", r.name, err)
}

// Close implements io.Closer.
func (r *Reader) Close() error { return r.file.Close() }
