package tablebase

import (
	"errors"
	"fmt"
	"math"
	"os"
)

// Unfinished is how far the solve of a table was when it was interrupted, or is where
// it goes on.
type Unfinished struct {
	// Shape is what is being solved.
	Shape Shape
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
	if u.Shape, err = manifestShape(b, w.magic()); err != nil {
		return u, fmt.Errorf("%s: %w", w.manifestPath(), err)
	}
	for rest := b[preambleSize:]; ; u.Classes++ {
		frame, err := nextFrame(rest)
		if frame == nil || err != nil {
			return u, nil // what follows was not sealed
		}
		rest = rest[len(frame):]
	}
}

// Of the frames of a manifest.
var (
	errFrameCut  = errors.New("the manifest ends within a class")
	errFrameTorn = errors.New("a checksum in the manifest does not hold")
)

// nextFrame returns the frame that a part of a manifest begins with, nil at its end.
func nextFrame(b []byte) ([]byte, error) {
	if len(b) == 0 {
		return nil, nil
	}
	if len(b) < frameHead || int64(le.Uint32(b)) > int64(len(b)-frameHead) {
		return nil, errFrameCut
	}
	frame := b[:frameHead+int(le.Uint32(b))]
	if frameSum(frame) != le.Uint32(frame[4:]) {
		return nil, errFrameTorn
	}
	return frame, nil
}
