package store

import (
	"context"
	"fmt"
	"io"
	"iter"
)

// keeper keeps files of bytes under names that have been checked. It knows nothing of
// frames.
type keeper interface {
	// put keeps what r gives, size bytes, or as many as there are where size is −1,
	// whole or not at all.
	put(ctx context.Context, name string, r io.Reader, size int64) error
	// get reads a file, and returns its length.
	get(ctx context.Context, name string) (io.ReadCloser, int64, error)
	// stat returns the length of a file.
	stat(ctx context.Context, name string) (int64, error)
	// list tells names and lengths.
	list(ctx context.Context, prefix string) iter.Seq2[Info, error]
	remove(ctx context.Context, name string) error
	// sync waits until files are where a power cut leaves them.
	sync(ctx context.Context, prefix string) error
	String() string
}

// framed is the store whose objects a keeper keeps in frames.
type framed struct{ keeper keeper }

func (s *framed) String() string { return s.keeper.String() }

// failed says what could not be done with an object.
func (s *framed) failed(ctx context.Context, doing, name string, err error) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		// Whoever was interrupted tells so in ways of its own.
		return fmt.Errorf("cannot %s %s in %s: %w", doing, name, s, cause)
	}
	return fmt.Errorf("cannot %s %s in %s: %w", doing, name, s, err)
}

// Put keeps an object.
func (s *framed) Put(ctx context.Context, name string, r io.Reader, size int64) error {
	if err := CheckName(name); err != nil {
		return err
	}
	kept := int64(-1)
	if size >= 0 {
		kept = framedSize(size)
	}
	return s.failed(ctx, "put", name, s.keeper.put(ctx, name, newFramer(&interruptible{ctx, r}, size), kept))
}

// interruptible is a reader that ends with its context.
type interruptible struct {
	ctx  context.Context
	from io.Reader
}

func (i *interruptible) Read(p []byte) (int, error) {
	if i.ctx.Err() != nil {
		return 0, context.Cause(i.ctx)
	}
	return i.from.Read(p)
}

// Get reads an object.
func (s *framed) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	body, kept, err := s.keeper.get(ctx, name)
	if err != nil {
		return nil, s.failed(ctx, "read", name, err)
	}
	size, possible := dataSize(kept)
	if !possible {
		body.Close()
		return nil, s.failed(ctx, "read", name, badLength(kept))
	}
	failed := func(err error) error { return s.failed(ctx, "read", name, err) }
	return &reading{newUnframer(&interruptible{ctx, body}, size), body, failed}, nil
}

// badLength says that no object has such a length.
func badLength(kept int64) error {
	return fmt.Errorf("%w: none is kept in %d bytes", ErrDamaged, kept)
}

// Stat tells of an object.
func (s *framed) Stat(ctx context.Context, name string) (Info, error) {
	if err := CheckName(name); err != nil {
		return Info{}, err
	}
	kept, err := s.keeper.stat(ctx, name)
	if err != nil {
		return Info{}, s.failed(ctx, "look at", name, err)
	}
	return s.info(ctx, Info{name, kept})
}

// info tells of an object by what keeps it.
func (s *framed) info(ctx context.Context, kept Info) (Info, error) {
	size, possible := dataSize(kept.Size)
	if !possible {
		return Info{Name: kept.Name}, s.failed(ctx, "look at", kept.Name, badLength(kept.Size))
	}
	return Info{kept.Name, size}, nil
}

// List tells of objects.
func (s *framed) List(ctx context.Context, prefix string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		if err := checkPrefix(prefix); err != nil {
			yield(Info{}, err)
			return
		}
		for kept, err := range s.keeper.list(ctx, prefix) {
			if err != nil {
				yield(Info{}, s.failed(ctx, "list", prefix+"…", err))
				return
			}
			if CheckName(kept.Name) != nil {
				continue // of something else
			}
			if !yield(s.info(ctx, kept)) {
				return
			}
		}
	}
}

// Delete takes an object away.
func (s *framed) Delete(ctx context.Context, name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	return s.failed(ctx, "delete", name, s.keeper.remove(ctx, name))
}

// Sync waits until objects are where a power cut leaves them.
func (s *framed) Sync(ctx context.Context, prefix string) error {
	if err := checkPrefix(prefix); err != nil {
		return err
	}
	return s.failed(ctx, "wait for the disk to have", prefix, s.keeper.sync(ctx, prefix))
}

// reading is an object that is being read. What fails tells its name.
type reading struct {
	*unframer
	body   io.Closer
	failed func(error) error
}

// Read reads the next bytes.
func (r *reading) Read(p []byte) (int, error) {
	n, err := r.unframer.Read(p)
	if err != nil && err != io.EOF {
		err = r.failed(err)
	}
	return n, err
}

// Close ends the reading.
func (r *reading) Close() error { return r.body.Close() }

// Sum returns the CRC-32C of all bytes, when the end was reached.
func (r *reading) Sum() uint32 { return r.sum }
