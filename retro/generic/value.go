package generic

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"
	"time"

	"backsolve/game/custom"
	"backsolve/internal/bitslice"
	"backsolve/internal/radix"
	"backsolve/tablebase"
)

// parentBlocks is how many blocks of a tier are solved at once. Tests make it small.
var parentBlocks = 512

// solveTiers finds the values of all tiers by solve, from the last that the checkpoint does not have.
func (s *Solution) solveTiers(size func(t int) int, solve func(t int) (file, error)) error {
	last, done := s.rules.Tiers()-1, 0
	for t := last; t >= 0; t-- {
		n := size(t)
		if last-t == len(s.solved) {
			s.report(tablebase.Solving, t, done, s.states)
			f := file{}
			if n > 0 {
				var err error
				if f, err = solve(t); err != nil {
					return err
				}
			}
			if s.solved = append(s.solved, f); s.begun != (begun{}) {
				s.begun, s.saved = begun{}, time.Time{} // the cells go now
			}
			if err := s.save(); err != nil {
				return err
			}
			s.report(tablebase.Solving, t, done+n, s.states)
		}
		if n > 0 {
			f := s.solved[last-t]
			m, err := s.work.mapFile(f)
			if err != nil {
				return err
			}
			if f.Outcomes {
				s.outcomes[t] = numbersOf[uint32](m)
			} else {
				s.values[t] = numbersOf[score](m)[:n]
			}
		}
		done += n
	}
	return nil
}

func (s *Solution) solveAll(ctx context.Context) error {
	return s.solveTiers(func(t int) int { return s.keys[t].len() }, func(t int) (file, error) {
		return s.writeValues(s.keys[t].len(), func(out *os.File) error {
			if s.rules.Loops(t) {
				return solveLoops(ctx, s, t, out)
			}
			return s.solveAcyclic(ctx, t, out)
		})
	})
}

func (s *Solution) writeValues(n int, fill func(out *os.File) error) (file, error) {
	out, name, err := s.work.create("values")
	if err != nil {
		return file{}, err
	}
	f := file{Name: name, Keys: n}
	if err = fill(out); err == nil {
		f.CRC, f.Bytes, err = checksum(out)
	}
	return f, errors.Join(err, out.Close())
}

func (s *Solution) solveAcyclic(ctx context.Context, t int, out *os.File) error {
	return s.families(ctx, t, nil, func(_ int, f *family, base int) error {
		for tier := range f.edges {
			values := s.values[tier]
			err := s.rank(f, tier, func(parent uint32, rank int) {
				f.scores[parent] = max(f.scores[parent], values[rank].before())
			})
			if err != nil {
				return err
			}
		}
		if s.o.Outcomes {
			for i, v := range f.scores {
				f.scores[i] = v.capped()
			}
		} else if slices.ContainsFunc(f.scores, func(v score) bool { return v.value().Steps >= mostSteps }) {
			return errTooLong
		}
		s.advance(len(f.scores))
		_, err := out.WriteAt(bitslice.Bytes(f.scores), 2*int64(base))
		return err
	})
}

// ErrTooLong is the cause if a value has more steps than a score can hold.
var ErrTooLong = errors.New("too many for the steps of a table")

var errTooLong = fmt.Errorf("a line of best play has %d plies or more, %w", MostPlies, ErrTooLong)

// MayLoop reports whether a game has tiers that loop. Only such games can be too long.
func MayLoop(rules custom.Rules) bool {
	for t := range rules.Tiers() {
		if rules.Loops(t) {
			return true
		}
	}
	return false
}

// family is some states of a tier with the moves from them, and the buffers of the
// goroutine that looks at them.
type family struct {
	scores []score         // by parent; 0 where it is not over
	edges  [][]radix.Entry // by the tier they lead to; the value is the parent
	spare  []radix.Entry
	keys   []uint64
	found  []custom.Child
}

// families calls f for the states of a tier, many at a time; base is the number of the
// first. States that skip reports have no moves and the score 0.
func (s *Solution) families(ctx context.Context, t int, skip func(state int) bool, f func(worker int, family *family, base int) error) error {
	tasks := s.keys[t].tasks(parentBlocks)
	families := make([]family, s.threads)
	return each(ctx, s.threads, len(tasks), func(worker, i int) error {
		for b := tasks[i].first; b < tasks[i].end; {
			base := tasks[i].base + b*blockKeys
			var err error
			if b, err = s.children(&families[worker], t, tasks[i], b, skip); err != nil {
				return err
			}
			if err := f(worker, &families[worker], base); err != nil {
				return err
			}
		}
		return nil
	})
}

// children finds the moves from the states of some blocks from b on, and the scores of
// those that are over. It returns the first block that it has left out.
func (s *Solution) children(f *family, t int, task blocks, b int, skip func(state int) bool) (next int, err error) {
	e := s.expander()
	defer s.expanders.Put(e)
	if f.edges == nil {
		f.edges = make([][]radix.Entry, s.rules.Tiers())
	}
	for tier := range f.edges {
		f.edges[tier] = f.edges[tier][:0]
	}
	f.scores = f.scores[:0]
	moves := 0
	for ; b < task.end && (s.mostMoves == 0 || moves < s.mostMoves); b++ {
		f.keys = task.of.block(f.keys[:0], b)
		for i, key := range f.keys {
			if skip != nil && skip(task.base+b*blockKeys+i) {
				f.scores = append(f.scores, 0)
				continue
			}
			found, outcome, over, err := e.Expand(f.found[:0], custom.Child{Key: key, Tier: t})
			if err != nil {
				return b, wrongRules(err)
			}
			f.found = found
			value := score(0)
			if over {
				value = scoreOf(outcome, 0)
			}
			for _, child := range found {
				f.edges[child.Tier] = append(f.edges[child.Tier], radix.Entry{Key: child.Key, Value: uint32(len(f.scores))})
			}
			f.scores = append(f.scores, value)
			moves += len(found)
		}
	}
	return b, nil
}

// rank finds the number in its tier of every state that a family's moves lead to there.
func (s *Solution) rank(f *family, tier int, found func(parent uint32, rank int)) error {
	k := &s.keys[tier]
	unfound := func(key uint64) error {
		at := custom.Child{Key: key, Tier: tier}
		return wrongRules(custom.FaultAt(s.rules, at, "a move leads here, which did not when positions were found; Moves must depend on the position alone"))
	}
	f.edges[tier], f.spare = radix.Sort(f.edges[tier], f.spare)
	segment, block, i := 0, -1, 0
	f.keys = f.keys[:0]
	for _, e := range f.edges[tier] {
		for len(f.keys) == 0 || f.keys[len(f.keys)-1] < e.Key {
			if segment, block = k.next(segment, block, e.Key); segment == len(k.segments) {
				return unfound(e.Key)
			}
			f.keys, i = k.segments[segment].block(f.keys[:0], block), 0
		}
		for f.keys[i] < e.Key {
			i++
		}
		if f.keys[i] != e.Key {
			return unfound(e.Key)
		}
		found(e.Value, k.base[segment]+block*blockKeys+i)
	}
	return nil
}

// next returns the segment and block after the given ones that have a key if any has, else len(k.segments).
func (k *tierKeys) next(segment, block int, key uint64) (int, int) {
	for block++; segment < len(k.segments); segment, block = segment+1, 0 {
		first := k.segments[segment].first
		if block >= len(first) || segment+1 < len(k.segments) && k.segments[segment+1].first[0] <= key {
			continue
		}
		// The block is near: double the stride until one begins above the key.
		step := 1
		for block+step < len(first) && first[block+step] <= key {
			block, step = block+step, 2*step
		}
		for ; step > 0; step /= 2 {
			if block+step < len(first) && first[block+step] <= key {
				block += step
			}
		}
		return segment, block
	}
	return segment, block
}

// checksum returns the checksum and the length of a file that was written at several places.
func checksum(f *os.File) (crc uint32, n int64, err error) {
	sum := crc32.New(castagnoli)
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return 0, 0, err
	}
	n, err = io.Copy(sum, f)
	return sum.Sum32(), n, err
}
