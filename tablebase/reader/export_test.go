package reader

import (
	"os"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

const MostHeld = mostHeld

// SmallCache keeps eight frames unpacked.
const SmallCache = 8 * format.FrameSize

// OpenHolding is Open with other bounds for what is held of a packed table.
func OpenHolding(path string, held int64, cache int) (*Table, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return openHolding(path, plainFile{file}, held, cache)
}

// ReplaceMap puts a function in the place of the one that maps files, until restore is called.
func ReplaceMap(f func(*os.File, int64) ([]byte, error)) (restore func()) {
	before := mapTable
	mapTable = f
	return func() { mapTable = before }
}

func (t *Table) IsMapped() bool { return t.mapped.Load() != nil }

// WithoutMapping calls f while the table is read instead of mapped.
func (t *Table) WithoutMapping(f func()) {
	m := t.mapped.Swap(nil)
	defer t.mapped.Store(m) // for Close
	f()
}

func (t *Table) LookupAllChecked(places []Place, entries []tablebase.Entry) (bool, error) {
	return t.lookupAllChecked(t.mapped.Load(), places, entries)
}

func (t *Table) LookupAllMapped(places []Place, entries []tablebase.Entry) error {
	return t.lookupAllMapped(t.mapped.Load(), places, entries)
}

func (t *Table) CheckChunk(class, part, chunk int) error {
	return t.checkChunk(t.located(class), part, chunk)
}

func (t *Table) SetChecked(class, part, chunk int) { t.setChecked(t.located(class), part, chunk) }

func (t *Table) IsCold(part int, p Place) bool { return t.isCold(t.packed.Load(), part, p) }

func (t *Table) UnpackAll(part int, places []Place) { t.unpackAll(part, places, nil) }

func (t *Table) Wanted(class, part int, word uint64) []format.Extent {
	return t.appendWanted(nil, t.located(class), part, word)
}
