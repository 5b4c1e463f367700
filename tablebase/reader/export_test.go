package reader

import (
	"os"

	"backsolve/tablebase/container"
	"backsolve/tablebase/format"
	"backsolve/tablebase/pack"
)

// SmallCache keeps eight frames unpacked.
const SmallCache = 8 * format.FrameSize

// OpenCaching is Open with another bound for the unpacked frames of a packed table.
func OpenCaching(path string, cache int) (*Table, error) {
	return container.Open(path, func(path string, raw format.Source) (*Table, error) { return openSource(path, raw, cache) })
}

// ReplaceMap puts a function in the place of the one that maps files, until restore is called.
func ReplaceMap(f func(*os.File, int64) ([]byte, error)) (restore func()) {
	before := container.MapFile
	container.MapFile = f
	return func() { container.MapFile = before }
}

// WithoutMapping calls f while the table is read instead of mapped.
func (t *Table) WithoutMapping(f func()) {
	m := t.inMemory
	t.inMemory = nil
	defer func() { t.inMemory = m }()
	f()
}

func (t *Table) SetChecked(class, part, chunk int) { t.setChecked(t.class(class), part, chunk) }

func (t *Table) direct() *directReader { return &directReader{contents: t.contents, allCores: true} }

func (t *Table) IsCold(part int, p Place) bool { return t.direct().isCold(part, p) }

func (t *Table) UnpackAll(part int, places []Place) { t.direct().unpackAll(part, places, nil) }

func (t *Table) Wanted(class, part int, word uint64) []format.Extent {
	return t.direct().appendWanted(nil, t.class(class), part, word)
}

// Frames returns the frames of a packed table.
func (t *Table) PackedFrames() *pack.Frames { return t.Frames }
