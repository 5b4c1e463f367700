package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/nats-io/nats.go"

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
		parts, err := peer.Piece(i, buffer)
		if err != nil {
			return err
		}
		size := store.SealedSize(parts)
		handed.Add(size)
		err = patiently(ctx, s.o, "the store", func(ctx context.Context) error {
			return s.o.Store.Put(ctx, s.solve.handedObject(i), store.NewSealed(slices.Clone(parts)...), size)
		})
		if err == nil {
			s.conn.nc.Publish(handSubject+s.solve.ID, encoded(pieceNote{s.solve.Attempt, i}))
		}
		return err
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

// pieceNote says that a piece is in the store. It may get lost: when all pieces of a member are
// there, that is told by what does not.
type pieceNote struct {
	Attempt uint64 `json:"attempt"`
	Piece   int    `json:"piece"`
}

// led is the team as the coordinator sees it.
type led struct {
	*shift
	roll *roll
}

// Collect takes the pieces of the class, each as soon as it is there: while members put theirs,
// and so that few lie in the store at once.
func (l *led) Collect(ctx context.Context, c *retro.Collection) error {
	what := fmt.Sprintf("class %d, %d pieces", c.Class(), c.Pieces())
	t := newTaking(ctx, l, c)
	l.shift.pieces, l.shift.piece = l.roll.pieces, t.note
	err := l.await(t.ctx, func(member int, message []byte) error {
		err := l.open(t.ctx, what, [2]int{0, member}, message, func([]byte) error { return nil })
		for i := member; err == nil && i < c.Pieces(); i += len(l.solve.Members) {
			t.ask(i)
		}
		return err
	})
	if err = t.end(err); errors.Is(err, errNews) && ctx.Err() == nil {
		return l.roll.trouble(err)
	}
	return err
}

// taking is the pieces of a class that are being taken, some at once.
type taking struct {
	led     *led
	ctx     context.Context
	cancel  context.CancelCauseFunc
	asked   []bool
	pieces  chan int
	working sync.WaitGroup
}

func newTaking(ctx context.Context, l *led, c *retro.Collection) *taking {
	t := &taking{led: l, asked: make([]bool, c.Pieces()), pieces: make(chan int, c.Pieces())}
	t.ctx, t.cancel = context.WithCancelCause(ctx)
	for range handers {
		t.working.Go(func() {
			var buffer []byte
			for i := range t.pieces {
				if t.ctx.Err() != nil {
					return
				}
				if err := l.takePiece(t.ctx, c, i, &buffer); err != nil {
					t.cancel(err)
				}
			}
		})
	}
	return t
}

// note hears of a piece.
func (t *taking) note(m *nats.Msg) {
	var note pieceNote
	if json.Unmarshal(m.Data, &note) == nil && note.Attempt == t.led.solve.Attempt && note.Piece >= 0 && note.Piece < len(t.asked) {
		t.ask(note.Piece)
	}
}

// ask has a piece taken, once.
func (t *taking) ask(i int) {
	if !t.asked[i] {
		t.asked[i] = true
		t.pieces <- i
	}
}

// end waits until what was asked for is taken, or after an error until nothing is any more, and
// returns why it could not be.
func (t *taking) end(err error) error {
	if err != nil {
		t.cancel(err)
	}
	close(t.pieces)
	t.working.Wait()
	defer t.cancel(nil)
	return context.Cause(t.ctx)
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
		err = c.Take(i, (*buffer)[:max(0, len(*buffer)-sumBytes)])
		if err != nil && !errors.Is(err, retro.ErrUnwritten) {
			err = fmt.Errorf("%w: %w", errNews, err)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return patiently(ctx, l.o, "the store", func(ctx context.Context) error { return l.o.Store.Delete(ctx, name) })
}
