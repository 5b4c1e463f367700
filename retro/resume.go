package retro

import (
	"fmt"

	"backsolve/bitslice"
	"backsolve/partition"
	"backsolve/retro/internal/plylog"
	"backsolve/retro/internal/work"
	"backsolve/tablebase"
)

// resume takes up after the classes that are sealed already.
func (e *engine) resume(w *tablebase.Writer) error {
	sealed := w.Sealed()
	var err error
	for i, s := range sealed {
		if want := e.cut.Class(e.cut.MaskBits - i); s.Class != want.Class || s.Blocks != len(want.Masks) {
			return fmt.Errorf("the unfinished solve holds class %d with %d blocks where class %d with %d is due; use --force to start over",
				s.Class, s.Blocks, want.Class, len(want.Masks))
		}
		e.before += e.cut.Class(s.Class).States()
	}
	if len(sealed) == 0 || len(sealed) > e.cut.MaskBits {
		return nil
	}
	last := len(sealed) - 1
	class := e.cut.Class(sealed[last].Class)
	if e.o.Steps && !e.cut.FixedSlice {
		e.above, err = e.reload(w, last, class)
		return err
	}
	planes, err := w.Load(last)
	if err != nil {
		return err
	}
	e.above = newLevel(class, e.ledger)
	if e.above.win, err = e.adopt(planes.Win); err != nil {
		return err
	}
	if e.above.lose, err = e.adoptLose(planes); err != nil {
		return err
	}
	for _, digit := range planes.Steps {
		plane, err := e.adopt(digit)
		if err != nil {
			return err
		}
		e.above.digits = append(e.above.digits, plane)
	}
	return nil
}

// reload makes the level of a sealed class whose steps are kept in logs: it reads the
// class in runs of blocks and writes the logs anew.
func (e *engine) reload(w *tablebase.Writer, i int, class *partition.Class) (*level, error) {
	j := &job{class: work.NewClass(e.cut, class.Class, e.pool), level: newLevel(class, e.ledger), ledger: e.ledger, o: e.o}
	l, err := j.level, error(nil)
	for _, p := range []*[]uint64{&l.win, &l.lose} {
		if *p, err = e.ledger.Plane(l.words * len(class.Masks)); err != nil {
			return nil, err
		}
	}
	for _, log := range []**plylog.Log{&l.won, &l.lost} {
		if *log, err = j.newLog(); err != nil {
			return nil, err
		}
	}
	for ply, n := range w.Sealed()[i].Counts.BySteps {
		if n.Wins > 0 {
			l.won.Begin(ply)
		}
		if n.Losses > 0 {
			l.lost.Begin(ply)
		}
	}
	run := max(1, l.won.SectionWords()/l.words)
	var p tablebase.Planes
	for first := 0; first < len(class.Masks); first += run {
		if err := w.LoadRun(i, first, min(run, len(class.Masks)-first), &p); err != nil {
			return nil, err
		}
		if err := e.relog(l, first*l.words, &p); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// relog takes planes that begin with word first of a class into its level.
func (e *engine) relog(l *level, first int, p *tablebase.Planes) error {
	win, lose := l.win[first:][:len(p.Win)], l.lose[first:][:len(p.Win)]
	copy(win, p.Win)
	if p.Lose != nil {
		copy(lose, p.Lose)
	} else {
		valid := bitslice.Valid(l.class.IndexBits)
		for i, won := range win {
			lose[i] = valid &^ won
		}
	}
	section := l.won.SectionWords()
	return e.pool.Run((len(win)+section-1)/section, func(w *work.Worker, i int) {
		from := i * section
		end := min(from+section, len(win))
		steps := w.Sets[unitDigits][:0]
		for _, digit := range p.Steps {
			steps = append(steps, digit[from:end])
		}
		w.Sets[unitDigits] = steps
		for _, o := range []struct {
			log    *plylog.Log
			states []uint64
		}{{l.won, win[from:end]}, {l.lost, lose[from:end]}} {
			for ply := range o.log.Plies() {
				if o.log.Any(ply) {
					e.pool.Fail(appendPly(w, o.log, ply, (first+from)/section, o.states, steps))
				}
			}
		}
	}, nil)
}

// appendPly appends to a log those states of a section that have as many steps as the
// ply says.
func appendPly(w *work.Worker, log *plylog.Log, ply, section int, states []uint64, steps bitslice.Numbers) error {
	plane, marks := w.DirtyBuffer(readBuffer, len(states)), w.FreshMarks(len(states))
	for i, x := range states {
		if x != 0 {
			x &= steps.Equal(i, ply)
		}
		if plane[i] = x; x != 0 {
			mark(marks, i)
		}
	}
	return log.Append(ply, section, plane, marks, &w.Log)
}

// adoptLose is adopt for the lost states, where the engine keeps a plane of them.
// A table of a space without draws does not.
func (e *engine) adoptLose(p tablebase.Planes) ([]uint64, error) {
	switch {
	case e.cut.FixedSlice:
		return nil, nil
	case p.Lose != nil:
		return e.adopt(p.Lose)
	}
	lose, err := e.ledger.Plane(len(p.Win))
	if err != nil {
		return nil, err
	}
	valid := bitslice.Valid(e.above.class.IndexBits)
	for i, won := range p.Win {
		lose[i] = valid &^ won
	}
	return lose, nil
}

// adopt copies a plane into memory of the ledger's.
func (e *engine) adopt(loaded []uint64) ([]uint64, error) {
	plane, err := e.ledger.Plane(len(loaded))
	if err == nil {
		copy(plane, loaded)
	}
	return plane, err
}
