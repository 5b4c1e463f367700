package retro

import (
	"fmt"
	"math/bits"
	"sync"

	"backsolve/internal/bitslice"
	"backsolve/partition"
	"backsolve/retro/internal/plylog"
	"backsolve/retro/internal/work"
	"backsolve/tablebase"
)

// resume loads the class above the first one that is not sealed.
func (e *engine) resume() error {
	sealed := e.table.Sealed()
	for i, s := range sealed {
		if class := e.cut.MaskBits - i; s.Class != class || s.Blocks != e.cut.Blocks(class) {
			return fmt.Errorf("%w: it has class %d with %d blocks instead of class %d with %d", ErrUnusable,
				s.Class, s.Blocks, class, e.cut.Blocks(class))
		}
	}
	e.before = e.cut.Stored(e.cut.MaskBits + 1 - len(sealed))
	if len(sealed) == 0 || len(sealed) > e.cut.MaskBits {
		return nil
	}
	last := len(sealed) - 1
	if e.elsewhere { // workers have it, or get it run by run
		e.previous = newLevel(e.cut.Class(sealed[last].Class), e.ledger)
		return nil
	}
	return e.readPrevious(last)
}

// readPrevious reads the i-th sealed class as the one above.
func (e *engine) readPrevious(i int) (err error) {
	class := e.cut.Class(e.table.Sealed()[i].Class)
	inShards := class.Class > e.o.DownTo && e.shards(class.Class-1) > 1
	if e.o.Steps && e.cut.Kind != partition.FixedSlice {
		e.previous, err = e.reload(i, class, inShards)
		return err
	}
	e.previous = newLevel(class, e.ledger)
	if inShards {
		return e.spool(i)
	}
	return e.load(i)
}

// spool copies the outcomes of the i-th sealed class to a work file.
func (e *engine) spool(i int) (err error) {
	l := e.previous
	if l.file, err = e.newPlaneFile(l.class, outcomePlanes); err != nil {
		return err
	}
	return e.pool.Run(l.file.sections(), func(_ *work.Worker, section int) {
		r := logReplays.Get().(*logReplay)
		defer logReplays.Put(r)
		first, end := l.file.bounds(section)
		err := e.table.LoadRun(i, first/l.words, (end-first)/l.words, &r.planes)
		if err == nil {
			err = l.write(first, r.planes.Win, r.planes.Lose)
		}
		e.pool.Fail(err)
	}, nil)
}

// load reads the planes of the i-th sealed class.
func (e *engine) load(i int) error {
	planes, err := e.table.Load(i)
	if err != nil {
		return err
	}
	if e.previous.win, err = e.adopt(planes.Win); err != nil {
		return err
	}
	if planes.Lose != nil {
		if e.previous.lose, err = e.adopt(planes.Lose); err != nil {
			return err
		}
	}
	for _, digit := range planes.Steps {
		plane, err := e.adopt(digit)
		if err != nil {
			return err
		}
		e.previous.digits = append(e.previous.digits, plane)
	}
	return nil
}

// reload restores the level of a sealed class with logs, its outcomes in memory or in a file. It
// reads the class in runs of blocks and writes the logs again.
func (e *engine) reload(i int, class *partition.Class, toFile bool) (*level, error) {
	l, err := newLevel(class, e.ledger), error(nil)
	if toFile {
		if l.file, err = e.newPlaneFile(class, outcomePlanes); err != nil {
			return nil, err
		}
	} else {
		for _, p := range []*[]uint64{&l.win, &l.lose} {
			if *p, err = e.ledger.Plane(l.words * len(class.Masks)); err != nil {
				return nil, err
			}
		}
	}
	for _, log := range []**plylog.Log{&l.won, &l.lost} {
		if *log, err = e.newLog(class); err != nil {
			return nil, err
		}
	}
	l.beginPlies(e.table.Sealed()[i].Counts)
	run := max(1, max(l.won.SectionWords(), e.sectionWords(class))/l.words)
	runs := (len(class.Masks) + run - 1) / run
	err = e.pool.Run(runs, func(worker *work.Worker, n int) {
		r := logReplays.Get().(*logReplay)
		defer logReplays.Put(r)
		first := n * run
		err := e.table.LoadRun(i, first, min(run, len(class.Masks)-first), &r.planes)
		if err == nil {
			err = r.take(l, first*l.words, &worker.Log)
		}
		e.pool.Fail(err)
	}, nil)
	return l, err
}

// logReplay writes a run of blocks that was read back to the logs.
type logReplay struct {
	planes tablebase.Planes
	plies  []plyWords
}

// plyWords are the labels of a ply in a section: non-zero words, ascending.
type plyWords struct {
	at    []uint32
	words []uint64
}

var logReplays = sync.Pool{New: func() any { return new(logReplay) }}

// take copies the planes, which begin with word first of the class, to its level.
func (r *logReplay) take(l *level, first int, b *plylog.Buffer) error {
	p := &r.planes
	win, lose := p.Win, p.Lose
	if l.file == nil {
		copy(l.win[first:], win)
		copy(l.lose[first:], lose)
	} else if err := l.write(first, win, lose); err != nil {
		return err
	}
	section := l.won.SectionWords()
	for from := 0; from < len(win); from += section {
		end := min(from+section, len(win))
		for _, o := range []struct {
			log    *plylog.Log
			states []uint64
		}{{l.won, win}, {l.lost, lose}} {
			r.sort(from, o.states[from:end])
			for ply, p := range r.plies {
				if len(p.at) == 0 {
					continue
				}
				if !o.log.Any(ply) {
					return fmt.Errorf("%w: class %d has states with %d steps, but its counts have none", ErrUnusable, l.class.Class, ply)
				}
				if err := o.log.AppendWords(ply, (first+from)/section, p.at, p.words, b); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// sort sorts the states of the words that begin with from by their steps.
func (r *logReplay) sort(from int, states []uint64) {
	for i := range r.plies {
		r.plies[i].at, r.plies[i].words = r.plies[i].at[:0], r.plies[i].words[:0]
	}
	steps := bitslice.Numbers(r.planes.Steps)
	for i, x := range states {
		for x != 0 {
			ply := steps.At(from+i, bits.TrailingZeros64(x))
			same := x & steps.Equal(from+i, ply)
			x &^= same
			for len(r.plies) <= ply {
				r.plies = append(r.plies, plyWords{})
			}
			to := &r.plies[ply]
			to.at, to.words = append(to.at, uint32(i)), append(to.words, same)
		}
	}
}

// adopt copies a plane to memory of the ledger.
func (e *engine) adopt(loaded []uint64) ([]uint64, error) {
	plane, err := e.ledger.Plane(len(loaded))
	if err == nil {
		copy(plane, loaded)
	}
	return plane, err
}
