package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"backsolve/cluster/store"
	"backsolve/retro"
)

// When a class with moves inside is solved all members have all of it. Each puts some of its
// pieces into the store, every so many-th, and tells the coordinator, who takes them.

// handers is how many pieces a member puts, or the coordinator reads, at once.
const handers = 2

// each has something done for every so many-th of some pieces from one on, some at once, with a
// buffer that is used again. It ends with the first error.
func each(ctx context.Context, first, step, pieces int, do func(ctx context.Context, piece int, buffer *[]byte) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var working sync.WaitGroup
	for range handers {
		working.Go(func() {
			var buffer []byte
			for ctx.Err() == nil {
				piece := first + step*int(next.Add(1)-1)
				if piece >= pieces {
					return
				}
				if err := do(ctx, piece, &buffer); err != nil {
					cancel(err)
				}
			}
		})
	}
	working.Wait()
	return context.Cause(ctx)
}

// hand puts this member's pieces of the class, which is solved, into the store, and tells the
// coordinator.
func (s *shift) hand(ctx context.Context, peer *retro.Peer) error {
	var handed atomic.Int64
	err := each(ctx, s.place, len(s.solve.Members), peer.Pieces(), func(ctx context.Context, i int, buffer *[]byte) error {
		piece, err := peer.AppendPiece((*buffer)[:0], i)
		if err != nil {
			return err
		}
		piece = sealed(piece)
		*buffer = piece
		handed.Add(int64(len(piece)))
		return patiently(ctx, s.o, "the store", func(ctx context.Context) error {
			return s.o.Store.Put(ctx, s.solve.handedObject(i), store.NewMemory(piece), int64(len(piece)))
		})
	})
	s.account.Written += handed.Load()
	if err != nil {
		return err
	}
	if s.conn.isOver(ctx, &s.solve) {
		// The worker slept, and nobody will clear up after it.
		return each(ctx, s.place, len(s.solve.Members), peer.Pieces(), func(ctx context.Context, i int, _ *[]byte) error {
			return s.o.Store.Delete(ctx, s.solve.handedObject(i))
		})
	}
	return s.publish(ctx, 0, newsHead{What: fmt.Sprintf("class %d, %d pieces", s.solve.Class, peer.Pieces()), Sum: sumOf(nil)}, nil)
}

// led is the team as the coordinator sees it.
type led struct {
	*shift
	roll *roll
}

// Collect takes the pieces of the class as the members hand them in.
func (l *led) Collect(ctx context.Context, c *retro.Collection) error {
	what := fmt.Sprintf("class %d, %d pieces", c.Class(), c.Pieces())
	err := l.await(ctx, func(member int, message []byte) error {
		if err := l.open(ctx, what, [2]int{0, member}, message, func([]byte) error { return nil }); err != nil {
			return err
		}
		return each(ctx, member, len(l.solve.Members), c.Pieces(), func(ctx context.Context, i int, buffer *[]byte) error {
			return l.takePiece(ctx, c, i, buffer)
		})
	})
	if errors.Is(err, errNews) && ctx.Err() == nil {
		return l.roll.trouble(err)
	}
	return err
}

// takePiece reads a piece and takes it. It goes then.
func (l *led) takePiece(ctx context.Context, c *retro.Collection, i int, buffer *[]byte) error {
	name := l.solve.handedObject(i)
	err := patiently(ctx, l.o, "the store", func(ctx context.Context) error {
		object, err := l.o.Store.Get(ctx, name)
		if err != nil {
			return lost(err)
		}
		defer object.Close()
		read, from := bytes.NewBuffer((*buffer)[:0]), newSumming(object)
		_, err = read.ReadFrom(from)
		*buffer = read.Bytes()
		if err == nil && !from.isWhole() {
			err = &final{fmt.Errorf("%w: the checksum of a piece of a class is another one", errNews)}
		}
		return lost(err)
	})
	if err == nil {
		if err = c.Take(i, (*buffer)[:max(0, len(*buffer)-sumBytes)]); err != nil {
			err = fmt.Errorf("%w: %w", errNews, err)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return patiently(ctx, l.o, "the store", func(ctx context.Context) error { return l.o.Store.Delete(ctx, name) })
}
