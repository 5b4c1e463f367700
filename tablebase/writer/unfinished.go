package writer

import (
	"fmt"
	"math"
	"os"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// Unfinished describes the interrupted solve of a table.
type Unfinished struct {
	// Shape is what is being solved.
	Shape tablebase.Shape
	// Classes is how many classes are sealed.
	Classes int
	// Bytes is the length of the data so far.
	Bytes int64
}

// FindUnfinished describes the interrupted solve of the table at path by its manifest; Create
// checks the data. The error is fs.ErrNotExist where nothing was begun.
func FindUnfinished(path string) (u Unfinished, err error) {
	w := newWriter(path)
	info, err := os.Lstat(w.partialPath())
	if err != nil {
		return u, err
	}
	u.Bytes = info.Size()
	b, err := readUpTo(w.manifestPath(), math.MaxInt64)
	if err != nil {
		return u, err
	}
	if u.Shape, err = format.ManifestShape(b, w.magic()); err != nil {
		return u, fmt.Errorf("%s: %w", w.manifestPath(), err)
	}
	for rest := b[format.PreambleSize:]; ; u.Classes++ {
		frame, err := format.NextFrame(rest)
		if frame == nil || err != nil {
			return u, nil // what follows was not sealed
		}
		rest = rest[len(frame):]
	}
}
