package survey

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"backsolve/game"
	"backsolve/probe"
	"backsolve/tablebase"
	"backsolve/tablebase/reader"
)

// nowhere is the place of a position that is not in the table, and beyond its value.
var (
	nowhere = reader.Place{Class: -1}
	beyond  = probe.Value{Steps: -2}
)

// ask is what a task wants to know: the values of positions, in the order in which it
// comes to them.
type ask struct {
	first  []uint32 // the number of each state's own position
	places []reader.Place
	values []probe.Value
}

// note returns a function that notes what it is asked for, and says nothing about it.
func (a *ask) note(t *probe.Table) func(p game.Position) (probe.Value, error) {
	return func(p game.Position) (probe.Value, error) {
		place, err := t.Place(p)
		if errors.Is(err, probe.ErrOutOfTable) {
			place, err = nowhere, nil
		}
		a.places = append(a.places, place)
		return probe.Value{}, err
	}
}

// list notes a state and all that its value is derived from.
func (a *ask) list(d *deriver, p game.Position) error {
	a.first = append(a.first, uint32(len(a.places)))
	if _, err := d.value(p); err != nil {
		return err
	}
	_, _, err := d.derive(p)
	return err
}

// wanted is a place that a task asks for.
type wanted struct {
	reader.Place
	task, number uint32
}

// lookedUp is how many places are looked up at once.
const lookedUp = 1 << 8

// lookUp finds the values of all that is asked for, in the order of the file: the
// fullest class first, block by block.
func lookUp(ctx context.Context, t *probe.Table, threads int, asked []ask) error {
	all := 0
	for i := range asked {
		asked[i].values = make([]probe.Value, len(asked[i].places))
		all += len(asked[i].places)
	}
	list := make([]wanted, 0, all)
	for i := range asked {
		for n, p := range asked[i].places {
			if p == nowhere {
				asked[i].values[n] = beyond
				continue
			}
			list = append(list, wanted{p, uint32(i), uint32(n)})
		}
		asked[i].places = nil
	}
	slices.SortFunc(list, func(a, b wanted) int {
		return cmp.Or(cmp.Compare(b.Class, a.Class), cmp.Compare(a.Block, b.Block), cmp.Compare(a.Index, b.Index))
	})
	runs, nimbers := uint64(len(list)+lookedUp-1)/lookedUp, storesNimbers(t)
	return share(ctx, threads, runs, func(tasks iter.Seq[uint64]) error {
		var places [lookedUp]reader.Place
		var entries [lookedUp]tablebase.Entry
		for run := range tasks {
			part := list[run*lookedUp : min((run+1)*lookedUp, uint64(len(list)))]
			for i, w := range part {
				places[i] = w.Place
			}
			if err := t.Stored().LookupAll(places[:len(part)], entries[:len(part)]); err != nil {
				return err
			}
			for i, w := range part {
				asked[w.task].values[w.number] = valueOf(entries[i], nimbers)
			}
		}
		return nil
	})
}
