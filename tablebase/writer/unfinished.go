package writer

import (
	"fmt"
	"math"
	"os"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// Unfinished is how far the solve of a table was when it was interrupted, or is where
// it goes on.
type Unfinished struct {
	// Shape is what is being solved.
	Shape tablebase.Shape
	// Classes are sealed.
	Classes int
	// Bytes are the length of the data so far.
	Bytes int64
}

// FindUnfinished returns how far the table of a path is that is not finished, by what
// its manifest lists; Create finds out whether that holds. The error is fs.ErrNotExist
// where nothing was begun, and else says why it cannot be told.
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
