package generic

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"backsolve/game/custom"
	"backsolve/internal/radix"
)

// Finding the states that play can reach, tier by tier: children are collected in buffers,
// which are sorted and written as runs; when a tier's turn comes, its runs are merged.

// bufferKeys is how many children a goroutine collects for a tier before it sorts them.
// rangeKeys is about how many keys are merged at once, and expandBlocks how many blocks
// of keys are a task. Tests make them small.
var (
	bufferKeys   = 1 << 18
	rangeKeys    = 1 << 18
	expandBlocks = 64
)

type collector struct {
	s       *Solution
	buffers [][]uint64
	total   int
	spare   []uint64
	scratch segment
	keys    []uint64
	found   []custom.Child
}

func (c *collector) add(child custom.Child) error {
	c.buffers[child.Tier] = append(c.buffers[child.Tier], child.Key)
	if c.total++; c.total < bufferKeys {
		return nil
	}
	largest := 0
	for t := range c.buffers {
		if len(c.buffers[t]) > len(c.buffers[largest]) {
			largest = t
		}
	}
	return c.flush(largest)
}

func (c *collector) flush(tier int) error {
	buffer := c.buffers[tier]
	if len(buffer) == 0 {
		return nil
	}
	c.total -= len(buffer)
	buffer, c.spare = radix.Keys(buffer, c.spare)
	c.scratch = encode(c.scratch, buffer)
	f, err := c.s.work.write(c.scratch)
	c.buffers[tier] = buffer[:0]
	c.s.lock.Lock()
	c.s.runs[tier] = append(c.s.runs[tier], f)
	c.s.lock.Unlock()
	return err
}

// enumerate finds the keys of all tiers from the first that the checkpoint does not have.
func (s *Solution) enumerate(ctx context.Context) error {
	for t, keys := range s.keys {
		s.report(Enumerated, t, keys.len(), 0)
	}
	for t := len(s.keys); t < s.rules.Tiers(); t++ {
		s.report(Enumerating, t, s.states, 0)
		keys, err := s.enumerateTier(ctx, t)
		if err != nil {
			return err
		}
		s.keys = append(s.keys, keys)
		s.runs[t] = nil
		s.states += keys.len()
		if err := s.save(); err != nil {
			return err
		}
		s.report(Enumerating, t, s.states, 0)
		s.report(Enumerated, t, keys.len(), 0)
	}
	return nil
}

// enumerateTier returns the keys of a tier whose runs are complete, and writes runs of
// their children.
func (s *Solution) enumerateTier(ctx context.Context, t int) (tierKeys, error) {
	keys, err := s.merge(ctx, s.runs[t], nil)
	if err != nil || !s.rules.Loops(t) {
		return keys, errors.Join(err, s.expand(ctx, t, keys))
	}
	seen, frontier := []tierKeys{keys}, keys
	for err == nil && frontier.len() > 0 {
		s.runs[t] = nil
		err = s.expand(ctx, t, frontier)
		// Merging what is at least half as long keeps the lists few, and a key is merged a
		// logarithm of times.
		for n := len(seen); err == nil && n > 1 && 2*seen[n-1].len() >= seen[n-2].len(); n = len(seen) {
			var both tierKeys
			both, err = s.merge(ctx, slices.Concat(seen[n-2].files, seen[n-1].files), nil)
			seen = append(seen[:n-2], both)
		}
		if err == nil {
			frontier, err = s.merge(ctx, s.runs[t], seen)
		}
		seen = append(seen, frontier)
	}
	if err != nil {
		return keys, err
	}
	var files []file
	for _, k := range seen {
		files = append(files, k.files...)
	}
	return s.merge(ctx, files, nil)
}

func (s *Solution) expand(ctx context.Context, t int, keys tierKeys) error {
	collectors := make([]collector, s.threads)
	tasks := keys.tasks(expandBlocks)
	err := each(ctx, s.threads, len(tasks), func(worker, i int) error {
		c := &collectors[worker]
		if c.s == nil {
			*c = collector{s: s, buffers: make([][]uint64, s.rules.Tiers())}
		}
		err := c.expand(t, tasks[i])
		s.advance(tasks[i].keys())
		return err
	})
	for _, c := range collectors {
		for tier := t; err == nil && tier < len(c.buffers); tier++ {
			err = c.flush(tier)
		}
	}
	return err
}

func (c *collector) expand(t int, task blocks) error {
	e := c.s.expander()
	defer c.s.expanders.Put(e)
	for b := task.first; b < task.end; b++ {
		c.keys = task.of.block(c.keys[:0], b)
		for _, key := range c.keys {
			at := custom.Child{Key: key, Tier: t}
			found, _, over, err := e.Expand(c.found[:0], at)
			if err != nil {
				return wrongRules(err)
			}
			if c.found = found; over {
				continue
			}
			if len(found) == 0 {
				return wrongRules(custom.FaultAt(c.s.rules, at, "it is not over and has no move"))
			}
			for _, child := range found {
				if child.Tier < t || child.Tier >= len(c.buffers) || child.Tier == t && !c.s.rules.Loops(t) {
					return badMove(c.s.rules, at, child)
				}
				if err := c.add(child); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func badMove(rules custom.Rules, from, to custom.Child) error {
	return wrongRules(custom.FaultAt(rules, from, "it is in tier %d, and a move leads to %s in tier %d", from.Tier, custom.TextOr(rules, to), to.Tier))
}

func wrongRules(fault error) error { return fmt.Errorf("%w: %w", ErrRules, fault) }

// merge returns the keys of some files, without duplicates and without the keys of minus.
// The files are dropped.
func (s *Solution) merge(ctx context.Context, files []file, minus []tierKeys) (tierKeys, error) {
	given, err := s.open(files)
	if err != nil || len(files) < 2 && len(minus) == 0 {
		return given, err
	}
	ranges := cut(given.segments, rangeKeys)
	merged := make([]file, len(ranges))
	buffers := make([]merger, s.threads)
	err = each(ctx, s.threads, len(ranges), func(worker, i int) (err error) {
		m := &buffers[worker]
		m.keys = m.keys[:0]
		for s := range given.segments {
			m.keys = given.segments[s].keysIn(m.keys, ranges[i])
		}
		m.keys, m.spare = radix.Keys(m.keys, m.spare)
		for _, k := range minus {
			m.subtract(k.segments, ranges[i])
		}
		if len(m.keys) > 0 {
			m.scratch = encode(m.scratch, m.keys)
			merged[i], err = s.work.write(m.scratch)
		}
		return err
	})
	if err != nil {
		return given, err
	}
	if err := s.work.drop(files); err != nil {
		return given, err
	}
	return s.open(slices.DeleteFunc(merged, func(f file) bool { return f.Keys == 0 }))
}

type merger struct {
	keys, spare []uint64
	scratch     segment
}

// subtract takes the keys of segments in a range away from the sorted ones.
func (m *merger) subtract(segments []segment, r keyRange) {
	for i := range segments {
		m.spare = segments[i].keysIn(m.spare[:0], r)
		n, j := 0, 0
		for _, k := range m.keys {
			for j < len(m.spare) && m.spare[j] < k {
				j++
			}
			if j == len(m.spare) || m.spare[j] != k {
				m.keys[n] = k
				n++
			}
		}
		m.keys = m.keys[:n]
	}
}
