package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"backsolve/cluster/store"
	"backsolve/internal/bitslice"
	"backsolve/internal/plan"
	"backsolve/partition"
	"backsolve/retro"
)

// The store has these objects of a solve:
//
//	solve                                       the record; a second copy is in copies/
//	class-12/blocks-00000003-00000007           blocks 3 to 7: the won states, then the digits of the numbers
//	class-12/blocks-00000003-00000003           section 3: won and lost states, then those of each ply, packed
//	class-12/labels/round-002/of-04-shard-01/0  what shard 1 of 4 labelled in round 2: by section the won and the
//	                                            lost states, packed; objects from 0 on
//	class-12-set/blocks-00000000-00000003       slices of a solve that keeps no table, as stored
//	sealed/class-12                             the counts of a class of such a solve; a second copy is in copies/
//
// Of the four kinds of objects with solved states, a solve has one or, in shards, two.

type contents struct {
	store  store.Store
	solve  *Solve
	space  *partition.Space
	blocks []int64           // by class
	onRead func(bytes int64) // called with what was read of each object
}

func (c *contents) get(ctx context.Context, name string, take takeItem) (*head, error) {
	h, size, err := getObject(ctx, c.store, name, take)
	c.onRead(size)
	return h, err
}

var errEmpty = fmt.Errorf("%w: it has no blocks", store.ErrDamaged)

// solved reads the blocks of a shard of a solve into a table. Free their planes.
func (c *contents) solved(ctx context.Context, g shard) (*retro.SolvedBlocks, error) {
	words := bitslice.Words(c.space.IndexBits[g.Class])
	p := &retro.SolvedBlocks{Class: g.Class, First: g.First, Words: words}
	_, err := c.get(ctx, c.solve.object(g), func(_ *head, i int, r *item) error {
		if i > maxDigits {
			return fmt.Errorf("%w: it has more than %d digits", store.ErrDamaged, maxDigits)
		}
		plane := newPlane(g.Blocks * words)
		if i == 0 {
			p.Win = plane
		} else {
			p.Digits = append(p.Digits, plane)
		}
		return readWords(r, plane)
	})
	if err == nil && p.Win == nil {
		err = errEmpty
	}
	return p, err
}

// slices reads the slices of an object of a solve that keeps no table.
func (c *contents) slices(ctx context.Context, object shard, take func(block int, slice *item) error) error {
	h, err := c.get(ctx, c.solve.object(object), func(h *head, i int, slice *item) error {
		if slice.left == 0 || len(h.lengths) != object.Blocks {
			return fmt.Errorf("%w: it has %d blocks, or an empty one", store.ErrDamaged, len(h.lengths))
		}
		return take(object.First+i, slice)
	})
	if err == nil && len(h.lengths) == 0 {
		err = errEmpty
	}
	return err
}

// maxDigits is more binary digits of steps or nimbers than any solve has.
const maxDigits = 16

var planePool sync.Pool

// newPlane returns a plane with arbitrary content.
func newPlane(words int) []uint64 {
	if p, ok := planePool.Get().(*[]uint64); ok && cap(*p) >= words {
		return (*p)[:words]
	}
	return make([]uint64, words)
}

// free reuses planes, which must not be used any more.
func free(planes [][]uint64) {
	for _, plane := range planes {
		planePool.Put(&plane)
	}
}

func planes(p *retro.SolvedBlocks) [][]uint64 { return append([][]uint64{p.Win}, p.Digits...) }

func planesOf(p *retro.SolvedBlocks) (items [][]byte) {
	for _, plane := range planes(p) {
		items = append(items, bytesOf(plane))
	}
	return items
}

func sectionOf(class, section int) shard {
	return shard{stage: stage{Class: class}, First: section, Blocks: 1}
}

// sectionWords returns the words of a plane of every section of a class but the last.
func (c *contents) sectionWords(class int) int64 {
	return plan.SharedSection(c.blocks[class], int64(bitslice.Words(c.space.IndexBits[class])), c.solve.Steps)
}

func (c *contents) words(class int) int64 {
	return c.blocks[class] * int64(bitslice.Words(c.space.IndexBits[class]))
}

// unit is a run of words of the planes of a class, which one object has.
type unit struct {
	shard
	at, words int64
}

// units returns the units of a shard: its objects, its blocks, or the sections of a shard.
func (c *contents) units(g shard) (all []unit) {
	if c.solve.Stream {
		for _, object := range g.cut(c.solve.ObjectBlocks) {
			all = append(all, unit{shard: object})
		}
		return all
	}
	if g.Shards == 0 {
		words := int64(bitslice.Words(c.space.IndexBits[g.Class]))
		return []unit{{shard{stage: stage{Class: g.Class}, First: g.First, Blocks: g.Blocks}, int64(g.First) * words, int64(g.Blocks) * words}}
	}
	section := c.sectionWords(g.Class)
	n := int((c.words(g.Class) + section - 1) / section)
	for i := g.First * n / g.Shards; i < (g.First+1)*n/g.Shards; i++ {
		at := int64(i) * section
		all = append(all, unit{sectionOf(g.Class, i), at, min(section, c.words(g.Class)-at)})
	}
	return all
}

func (c *contents) section(ctx context.Context, class, section int) (s *retro.SolvedSection, err error) {
	words := min(c.sectionWords(class), c.words(class)-int64(section)*c.sectionWords(class))
	s = &retro.SolvedSection{Section: section}
	_, err = c.get(ctx, c.solve.object(sectionOf(class, section)), func(_ *head, i int, r *item) error {
		if i < 2 {
			plane := make([]uint64, words)
			*[...]*[]uint64{&s.Win, &s.Lose}[i] = plane
			return readWords(r, plane)
		}
		if r.left == 0 {
			return nil
		}
		packed, err := readItem(r, nil)
		ply := i/2 - 1
		if n := len(s.Plies); n == 0 || s.Plies[n-1].Ply != ply {
			s.Plies = append(s.Plies, retro.PlyLabels{Ply: ply})
		}
		last := &s.Plies[len(s.Plies)-1]
		*[...]*[]byte{&last.Won, &last.Lost}[i%2] = packed
		return err
	})
	if err == nil && s.Lose == nil {
		err = fmt.Errorf("%w: it is not a section", store.ErrDamaged)
	}
	return s, err
}

func putSection(ctx context.Context, to store.Store, s *Solve, class int, solved *retro.SolvedSection) (int64, error) {
	items := [][]byte{bytesOf(solved.Win), bytesOf(solved.Lose)}
	for _, p := range solved.Plies {
		for len(items) < 2+2*p.Ply {
			items = append(items, nil)
		}
		items = append(items, p.Won, p.Lost)
	}
	return putObject(ctx, to, s.object(sectionOf(class, solved.Section)), head{}, items...)
}

// columns gives the columns of the outcomes and numbers of a unit, as they are in the table. A section has
// digits digits, or as many as it needs if that is negative.
func (c *contents) columns(ctx context.Context, u unit, digits int, give func(outcomes, numbers [][]uint64) error) error {
	if !c.solve.Shards {
		p, err := c.solved(ctx, u.shard)
		if err == nil {
			err = give([][]uint64{p.Win}, p.Digits)
			free(planes(p))
		}
		return err
	}
	s, err := c.section(ctx, u.Class, u.First)
	if err != nil {
		return err
	}
	outcomes, steps, err := s.Columns(int(c.sectionWords(u.Class)), digits)
	if errors.Is(err, retro.ErrMiscounted) {
		err = fmt.Errorf("%w: %w", errWrong, err)
	}
	if err != nil {
		return err
	}
	return give(outcomes, steps)
}

// labelsBytes is from which length on an object with labels is put into the store.
const labelsBytes = 8 << 20

type labelsWriter struct {
	to      store.Store
	name    string // of the shard
	objects int
	h       head
	items   [][]byte
	held    int64 // bytes of items
	bytes   int64
}

// add adds what was labelled in a section. Sections come in ascending order.
func (w *labelsWriter) add(ctx context.Context, l retro.SectionLabels) error {
	if w.held >= labelsBytes {
		if err := w.put(ctx, false); err != nil {
			return err
		}
	}
	if len(w.items) == 0 {
		w.h.First = l.Section
	}
	for w.h.First+len(w.items)/2 < l.Section {
		w.items = append(w.items, nil, nil)
	}
	w.items = append(w.items, bytes.Clone(l.Won), bytes.Clone(l.Lost))
	w.held += int64(len(l.Won) + len(l.Lost))
	return nil
}

func (w *labelsWriter) put(ctx context.Context, last bool) error {
	w.h.Last = last
	size, err := putObject(ctx, w.to, fmt.Sprintf("%s/%d", w.name, w.objects), w.h, w.items...)
	w.bytes += size
	w.objects++
	w.h, w.items, w.held = head{}, nil, 0
	return err
}

func (c *contents) labels(ctx context.Context, g shard, take func(l retro.SectionLabels) error) error {
	for i, last := 0, false; !last; i++ {
		var won []byte
		h, err := c.get(ctx, fmt.Sprintf("%s/%d", c.solve.object(g), i), func(h *head, i int, r *item) error {
			packed, err := readItem(r, nil)
			if err != nil || i%2 == 0 {
				won = packed
				return err
			}
			if len(won)+len(packed) == 0 {
				return nil
			}
			return take(retro.SectionLabels{Section: h.First + i/2, Won: won, Lost: packed})
		})
		if err != nil {
			return err
		}
		last = h.Last
	}
	return nil
}

func (c *contents) check(ctx context.Context, g shard) error {
	if g.Shards > 0 {
		return c.labels(ctx, g, func(retro.SectionLabels) error { return nil })
	}
	_, _, err := getObject(ctx, c.store, c.solve.object(g), nil)
	return err
}
