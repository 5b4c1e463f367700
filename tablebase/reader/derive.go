package reader

import (
	"cmp"
	"errors"
	"slices"
	"sync"

	"backsolve/game"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/pack"
)

// Deriver is an archive as a source of the whole table, by the rules. It is safe for concurrent use.
type Deriver interface {
	format.Source
	// Steps returns the digits of all steps of a block of a class. They are not to be changed.
	Steps(class, block int) ([][]uint64, error)
	// After appends the places that moves lead to from the state at a place, none if that is over.
	After(p Place, places []Place) ([]Place, error)
}

// NewDeriver makes a Deriver. Package internal/probe/archive sets it, as a table knows no rules.
var NewDeriver = func(*pack.Frames, tablebase.Shape, []*format.Record) (Deriver, error) {
	return nil, errNoRules
}

var errNoRules = errors.New("this program does not know the rules that an archive needs")

// deriveEntries sets the steps of the won states among the entries that are not stored.
func (d *directReader) deriveEntries(places []Place, entries []tablebase.Entry) error {
	s := successorLists.Get().(*successors)
	defer successorLists.Put(s)
	s.list = s.list[:0]
	for i, p := range places {
		l := d.class(p.Class)
		if entries[i].Outcome != game.Win || !l.derived {
			continue
		}
		var err error
		if s.after, err = d.archive.After(p, s.after[:0]); err != nil {
			return d.classError(l.Record, err)
		}
		for _, after := range s.after {
			s.list = append(s.list, successor{after, i})
		}
		entries[i].Steps = 0 // if it is over
	}
	// In the order of the file each frame is unpacked once.
	slices.SortFunc(s.list, func(x, y successor) int {
		return cmp.Or(y.Class-x.Class, x.Block-y.Block, cmp.Compare(x.Index, y.Index))
	})
	after, values := make([]Place, len(s.list)), make([]tablebase.Entry, len(s.list))
	for i := range s.list {
		after[i] = s.list[i].Place
	}
	atOnce := maxCold
	if d.Storage != nil {
		atOnce = max(1, len(after))
	}
	for from := 0; from < len(after); from += atOnce {
		end := min(from+atOnce, len(after))
		if err := d.readEntries(after[from:end], values[from:end]); err != nil {
			return err
		}
	}
	for i, v := range values {
		if e := &entries[s.list[i].of]; v.Outcome == game.Lose && (e.Steps == 0 || v.Steps < e.Steps) {
			e.Steps = v.Steps + 1
		}
	}
	for _, of := range s.list {
		switch p, steps := places[of.of], entries[of.of].Steps; {
		case steps == 0:
			return d.Damaged("class %d, block %d, state %d is won, and no state after it is lost", p.Class, p.Block, p.Index)
		case steps>>d.class(p.Class).Digits != 0:
			return d.Damaged("class %d, block %d, state %d needs more digits than its class has", p.Class, p.Block, p.Index)
		}
	}
	return nil
}

// successor is a state that a move leads to from the state with a number.
type successor struct {
	Place
	of int
}

type successors struct {
	list  []successor
	after []Place
}

var successorLists = sync.Pool{New: func() any { return new(successors) }}
