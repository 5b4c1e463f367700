package cluster

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"backsolve/bitslice"
	"backsolve/retro"
)

// tabler settles the groups of a solve into a table: it holds what it needs of the class above.
type tabler struct {
	*service
	hand    *retro.BlockWorker
	buffers chan []byte // for parts that are put, mostPuts of them
}

func newTabler(ctx context.Context, s *service) (*tabler, error) {
	o := s.solve.options()
	o.Threads, o.Memory = s.o.Threads, s.o.Memory
	hand, err := retro.NewBlockWorker(ctx, s.space, o)
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

// make settles blocks. The part is good until the next call.
func (s *tabler) make(ctx context.Context, g group) (*retro.SolvedBlocks, error) {
	if s.hand.Class() != g.class {
		if err := s.hand.Begin(g.class); err != nil {
			return nil, err
		}
	}
	began := time.Now()
	err := s.load(ctx, g)
	s.spend(began, reading)
	if err != nil {
		return nil, err
	}
	defer s.spend(time.Now(), settling)
	return s.hand.Solve(g.first, g.blocks)
}

func (s *tabler) compare(ctx context.Context, g, blocks group) (block int, differs bool, err error) {
	words := bitslice.Words(s.space.IndexBits[g.class])
	made, err := getPart(ctx, s.o.Store, s.solve, g, words)
	if useless(err) {
		err = fmt.Errorf("%w: %w", errUnreadable, err)
	}
	if err != nil {
		return 0, false, err
	}
	defer reuse(made)
	settled, err := s.make(ctx, blocks)
	if err != nil {
		return 0, false, err
	}
	for i := range blocks.blocks {
		if !sameBlock(made, blocks.first+i-g.first, settled, i) {
			return blocks.first + i, true, nil
		}
	}
	return 0, false, nil
}

// sameBlock reports whether a block of a part and one of another are the same. Digits that a part
// lacks are zero.
func sameBlock(a *retro.SolvedBlocks, i int, b *retro.SolvedBlocks, j int) bool {
	slice := func(p *retro.SolvedBlocks, plane []uint64, i int) []uint64 { return plane[i*p.Words:][:p.Words] }
	same := slices.Equal(slice(a, a.Win, i), slice(b, b.Win, j))
	for d := range max(len(a.Digits), len(b.Digits)) {
		switch {
		case d >= len(b.Digits):
			same = same && isZero(slice(a, a.Digits[d], i))
		case d >= len(a.Digits):
			same = same && isZero(slice(b, b.Digits[d], j))
		default:
			same = same && slices.Equal(slice(a, a.Digits[d], i), slice(b, b.Digits[d], j))
		}
	}
	return same
}

func isZero(words []uint64) bool {
	return !slices.ContainsFunc(words, func(w uint64) bool { return w != 0 })
}

func (s *tabler) settle(ctx context.Context, g group) (put putting, err error) {
	before := s.account().Read
	settled, err := s.make(ctx, g)
	if err != nil {
		return nil, err
	}
	part := appendPart((<-s.buffers)[:0], s.solve, settled)
	bytes := moved{read: s.account().Read - before, written: int64(len(part))}
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
	part  *retro.SolvedBlocks
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
func (s *tabler) part(ctx context.Context, g group, words int) (part *retro.SolvedBlocks, err error) {
	err = s.insist(ctx, g, func() error {
		part, err = getPart(ctx, s.o.Store, s.solve, g, words)
		return err
	})
	return part, err
}
