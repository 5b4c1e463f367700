package cluster

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"backsolve/bitslice"
	"backsolve/retro"
)

// tabler settles the groups of a solve into a table: it holds what it needs of the class above.
type tabler struct {
	*service
	hand    *retro.Hand
	buffers chan []byte // for parts that are put, mostPuts of them
}

func newTabler(ctx context.Context, s *service) (*tabler, error) {
	o := s.solve.options()
	o.Threads, o.Memory = s.o.Threads, s.o.Memory
	hand, err := retro.NewHand(ctx, s.space, o)
	if err != nil {
		return nil, err
	}
	t := &tabler{service: s, hand: hand, buffers: make(chan []byte, mostPuts)}
	for range mostPuts {
		t.buffers <- nil
	}
	return t, nil
}

func (s *tabler) eager() bool { return true }

func (s *tabler) close() { s.hand.Close() }

func (s *tabler) settle(ctx context.Context, g group) (put putting, err error) {
	if s.hand.Class() != g.class {
		if err := s.hand.Begin(g.class); err != nil {
			return nil, err
		}
	}
	began, before := time.Now(), s.account().Read
	err = s.load(ctx, g)
	s.spend(began, reading)
	if err != nil {
		return nil, err
	}
	defer s.spend(time.Now(), settling)
	settled, err := s.hand.Settle(g.first, g.blocks)
	if err != nil {
		return nil, err
	}
	part := appendPart((<-s.buffers)[:0], s.solve, settled)
	bytes := moved{s.account().Read - before, int64(len(part))}
	return func(ctx context.Context) (moved, error) {
		defer func() { s.buffers <- part }()
		return bytes, putPart(ctx, s.o.Store, s.solve, g, part)
	}, nil
}

func (s *tabler) discard(ctx context.Context, g group) error {
	return s.o.Store.Delete(ctx, s.solve.object(g))
}

// loaded is a part that was read, or why it could not be.
type loaded struct {
	group int
	part  *retro.Part
	err   error
}

// load reads those groups of the class above that are needed, some at once.
func (s *tabler) load(ctx context.Context, g group) error {
	groups, err := s.missing(g)
	if err != nil || len(groups) == 0 {
		return err
	}
	words := bitslice.Words(s.space.IndexBits[g.class+1])
	ctx, cancel := context.WithCancel(ctx)
	var reading sync.WaitGroup
	defer reading.Wait()
	defer cancel()
	var next atomic.Int64
	parts := make(chan loaded)
	for range min(loaders, len(groups)) {
		reading.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(groups) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				part, err := s.part(ctx, groups[i], words)
				select {
				case parts <- loaded{i, part, err}:
				case <-ctx.Done():
				}
			}
		})
	}
	for range groups {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case l := <-parts:
			if l.err != nil {
				return l.err
			}
			if err := s.hand.Take(l.part); err != nil {
				return err
			}
			s.set(func(w *WorkerStatus) { w.Read += planeBytes(l.part) })
			reuse(l.part)
		}
	}
	return nil
}

// missing returns those groups of the class above that a group needs and that are not here.
func (s *tabler) missing(g group) (missing []group, err error) {
	needs, err := s.hand.Needs(g.first, g.blocks)
	if err != nil || len(needs) == 0 {
		return nil, err
	}
	above := g.class + 1
	for _, of := range s.solve.groups(s.space, above, s.hand.Len(above)) {
		if len(needs) > 0 && needs[0] < of.first+of.blocks {
			missing = append(missing, of)
		}
		for len(needs) > 0 && needs[0] < of.first+of.blocks {
			needs = needs[1:]
		}
	}
	return missing, nil
}

// part reads a group of the class above.
func (s *tabler) part(ctx context.Context, g group, words int) (part *retro.Part, err error) {
	err = s.insist(ctx, g, func() error {
		part, err = getPart(ctx, s.o.Store, s.solve, g, words)
		return err
	})
	return part, err
}
