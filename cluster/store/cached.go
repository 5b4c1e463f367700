package store

import (
	"bytes"
	"container/list"
	"context"
	"errors"
	"io"
	"sync"
)

// Cached returns a store that reads from another one and keeps what was read last in
// memory, limit bytes at most, those included that are being read. What is asked for
// again, the same object or the same range of one, comes from memory; who asks while
// another one fetches it waits for that. What alone is larger than a quarter of the limit
// is passed through, so that one large object does not drive out all others.
//
// What another process puts in the place of an object that is kept is not noticed:
// it is for objects that are written once.
func Cached(s Store, limit int64) Store {
	return &cached{Store: s, limit: limit, held: map[want]*piece{}, order: list.New()}
}

// cached is a store before which is a cache.
type cached struct {
	Store
	limit int64

	mu    sync.Mutex
	bytes int64 // of all pieces that are held
	held  map[want]*piece
	order *list.List // of *piece that nobody uses, the one used last in front
}

// want is what is asked for: n bytes from off on, or the whole where n is −1.
type want struct {
	name   string
	off, n int64
}

// piece is what was read, or is being read.
type piece struct {
	want want
	size int64
	// done is closed when data and err are there.
	done chan struct{}
	data []byte
	err  error

	users int
	place *list.Element // nil while it has users
	gone  bool          // it is no longer the one in held
}

// Put keeps an object.
func (c *cached) Put(ctx context.Context, name string, r io.Reader, size int64) error {
	defer c.forget(name)
	return c.Store.Put(ctx, name, r, size)
}

// Delete takes an object away.
func (c *cached) Delete(ctx context.Context, name string) error {
	defer c.forget(name)
	return c.Store.Delete(ctx, name)
}

// Get reads an object.
func (c *cached) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	w := want{name, 0, -1}
	if p := c.find(w); p != nil {
		if r, err := c.wait(ctx, p); err == nil || ctx.Err() != nil {
			return r, err
		}
	}
	info, err := c.Store.Stat(ctx, name)
	if err != nil {
		return nil, err
	}
	return c.read(ctx, w, info.Size, func(ctx context.Context) (io.ReadCloser, error) { return c.Store.Get(ctx, name) })
}

// GetRange reads a part of an object.
func (c *cached) GetRange(ctx context.Context, name string, off, n int64) (io.ReadCloser, error) {
	return c.read(ctx, want{name, off, n}, n, func(ctx context.Context) (io.ReadCloser, error) {
		return c.Store.GetRange(ctx, name, off, n)
	})
}

// errChanged says that an object has another length than a moment ago.
var errChanged = errors.New("the object has been replaced")

// read returns what is wanted, so many bytes, from memory or from the store.
func (c *cached) read(ctx context.Context, w want, size int64, fetch func(context.Context) (io.ReadCloser, error)) (io.ReadCloser, error) {
	for {
		p, fresh := c.take(w, size)
		if p == nil {
			return fetch(ctx)
		}
		if fresh {
			p.data, p.err = load(ctx, size, fetch)
			if p.err != nil {
				c.drop(p)
			}
			close(p.done)
		}
		r, err := c.wait(ctx, p)
		switch {
		case err == errChanged:
			return fetch(ctx)
		case err == nil || fresh || ctx.Err() != nil:
			return r, err
		}
		// Whoever fetched it failed, or was interrupted, which is no answer to this caller.
	}
}

// load reads all of what is fetched.
func load(ctx context.Context, size int64, fetch func(context.Context) (io.ReadCloser, error)) ([]byte, error) {
	r, err := fetch(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	// A byte more than there are: the read that finds the end is the one that has checked the whole.
	data := make([]byte, size+1)
	n, err := fill(r, data)
	switch {
	case err == io.EOF && int64(n) == size:
		return data[:n:n], nil
	case err == io.EOF || err == nil:
		return nil, errChanged
	}
	return nil, err
}

// wait returns a piece when it is there. Its user is the reader then, until that is
// closed.
func (c *cached) wait(ctx context.Context, p *piece) (io.ReadCloser, error) {
	select {
	case <-p.done:
	case <-ctx.Done():
		c.release(p)
		return nil, context.Cause(ctx)
	}
	if p.err != nil {
		c.release(p)
		return nil, p.err
	}
	return &held{Reader: bytes.NewReader(p.data), release: sync.OnceFunc(func() { c.release(p) })}, nil
}

// held reads a piece.
type held struct {
	*bytes.Reader
	release func()
}

// Close ends the use of the piece.
func (h *held) Close() error {
	h.release()
	return nil
}

// find returns the piece for what is wanted, nil if there is none, and makes the caller
// its user.
func (c *cached) find(w want) *piece {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.use(w)
}

// use is find, for who holds the lock.
func (c *cached) use(w want) *piece {
	p := c.held[w]
	if p == nil {
		return nil
	}
	p.users++
	if p.place != nil {
		c.order.Remove(p.place)
		p.place = nil
	}
	return p
}

// take returns the piece for what is wanted, and whether the caller is to fill it; nil
// where there is no room for it. The caller is a user of it.
func (c *cached) take(w want, size int64) (p *piece, fresh bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.use(w); p != nil {
		return p, false
	}
	if size < 0 || size > c.limit/4 {
		return nil, false
	}
	for c.bytes+size > c.limit {
		last := c.order.Back()
		if last == nil {
			return nil, false // all of it is in use
		}
		c.evict(last.Value.(*piece))
	}
	p = &piece{want: w, size: size, done: make(chan struct{}), users: 1}
	c.held[w] = p
	c.bytes += size
	return p, true
}

// evict takes a piece that nobody uses out of the cache. The caller holds the lock.
func (c *cached) evict(p *piece) {
	c.order.Remove(p.place)
	p.place = nil
	c.bytes -= p.size
	c.remove(p)
}

// remove makes a piece one that is not found any more. The caller holds the lock.
func (c *cached) remove(p *piece) {
	if !p.gone {
		delete(c.held, p.want)
		p.gone = true
	}
}

// drop has a piece found no more.
func (c *cached) drop(p *piece) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(p)
}

// release ends a use. A piece that was dropped leaves memory with its last user.
func (c *cached) release(p *piece) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.users--; p.users > 0 {
		return
	}
	if p.gone {
		c.bytes -= p.size
		return
	}
	p.place = c.order.PushFront(p)
}

// forget drops what is kept of an object.
func (c *cached) forget(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for w, p := range c.held {
		switch {
		case w.name != name:
		case p.place != nil:
			c.evict(p)
		default:
			c.remove(p)
		}
	}
}
