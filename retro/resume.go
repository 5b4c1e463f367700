package retro

import (
	"fmt"
	"sync"

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
	e.previous = newLevel(e.cut.Class(sealed[len(sealed)-1].Class), e.ledger)
	if e.elsewhere { // workers have it, or get it run by run
		return nil
	}
	return e.readPrevious(e.previous, len(sealed)-1)
}

// readPrevious reads the i-th sealed class as the one above, run by run of its blocks, with outcomes in
// memory or in a file. It writes the logs again.
func (e *engine) readPrevious(l *level, i int) error {
	if err := e.makePrevious(l, e.table.Sealed()[i]); err != nil {
		return err
	}
	run, blocks := max(1, e.sectionWords(l.class)/l.words), len(l.class.Masks)
	if l.won != nil {
		run = max(run, l.won.SectionWords()/l.words)
	}
	return e.pool.Run(0, (blocks+run-1)/run, func(worker *work.Worker, n int) {
		r := logReplays.Get().(*logReplay)
		defer logReplays.Put(r)
		first := n * run
		err := e.table.LoadRun(i, first, min(run, blocks-first), &r.planes)
		if err == nil {
			err = r.take(l, first*l.words, &worker.Log)
		}
		e.pool.Fail(err)
	}, nil)
}

func (e *engine) makePrevious(l *level, sealed tablebase.ClassInfo) (err error) {
	planes := []*[]uint64{&l.win, &l.lose}[:e.cut.Planes()]
	if class := sealed.Class; class > e.o.DownTo && e.shards(class-1) > 1 {
		if l.file, err = e.newPlaneFile(l.class, outcomePlanes); err != nil {
			return err
		}
		planes = nil
	}
	if err = allocate(e.ledger.Plane, l.planeWords(), planes...); err != nil {
		return err
	}
	if e.cut.Kind == partition.FixedSlice {
		return l.addDigits(sealed.Digits)
	}
	if e.o.Steps {
		if err = e.newLogs(l.class, e.sectionBits, &l.won, &l.lost); err != nil {
			return err
		}
		l.beginPlies(sealed.Counts)
	}
	return nil
}

// logReplay writes a run of blocks that was read back to the logs.
type logReplay struct {
	planes tablebase.Planes
	plies  []plylog.Sparse // of a section, by ply
}

var logReplays = sync.Pool{New: func() any { return new(logReplay) }}

// take copies the planes, which begin with word first of the class, to its level.
func (r *logReplay) take(l *level, first int, b *plylog.Buffer) error {
	win, lose := r.planes.Win, r.planes.Lose
	if l.file != nil {
		if err := l.write(first, win, lose); err != nil {
			return err
		}
	} else {
		copy(l.win[first:], win)
		copy(l.lose[min(first, len(l.lose)):], lose) // none of fixed slices
		for d, plane := range l.digits {
			copy(plane[first:], r.planes.Steps[d])
		}
	}
	if l.won == nil {
		return nil
	}
	section := l.won.SectionWords()
	for from := 0; from < len(win); from += section {
		end := min(from+section, len(win))
		for i, states := range [...][]uint64{win, lose} {
			log := l.both()[i]
			for ply := range r.plies { // also clear leftovers of an error
				r.plies[ply].Reset()
			}
			for k, x := range states[from:end] {
				r.plies = plylog.Sort(r.plies, r.planes.Steps, from+k, uint32(k), x)
			}
			for ply := range r.plies {
				p := &r.plies[ply]
				if len(p.At) == 0 {
					continue
				}
				if !log.Any(ply) {
					return fmt.Errorf("%w: class %d has states with %d steps, but its counts have none", ErrUnusable, l.class.Class, ply)
				}
				if err := log.AppendSparse(ply, (first+from)/section, p, b); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
