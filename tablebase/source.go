package tablebase

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"os"
	"slices"
)

// source is where the bytes of a table come from: its file, a Storage, or the frames
// of a packed one in either. Whether they are the right ones, the table's checksums
// tell.
type source interface {
	io.ReaderAt
	io.Closer
	// size returns the number of bytes there are now.
	size() (int64, error)
	// fetch brings what will be read next all at once, where one reading after the other
	// takes long.
	fetch(wanted []Extent) error
}

// plainFile is a file of this machine.
type plainFile struct{ *os.File }

func (f plainFile) size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// fetch tells the system, which need not have brought it when it returns.
func (f plainFile) fetch(wanted []Extent) error {
	slices.SortFunc(wanted, func(a, b Extent) int { return cmp.Compare(a.Offset, b.Offset) })
	for len(wanted) > 0 {
		w, n := wanted[0], 1
		for ; n < len(wanted) && wanted[n].Offset <= w.Offset+w.Length; n++ {
			w.Length = max(w.Length, wanted[n].Offset+wanted[n].Length-w.Offset)
		}
		adviseSoon(f.File, w)
		wanted = wanted[n:]
	}
	return nil
}

// checkRegular refuses what is no regular file.
func checkRegular(path string, file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return failed(path, "read the table", err, "")
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		return &Error{Path: path, Err: ErrForeign, Detail: "it is a directory"}
	case !mode.IsRegular():
		return &Error{Path: path, Err: ErrForeign, Detail: "it is no regular file"}
	}
	return nil
}

// unpackedSource returns a source of the table's bytes: the one given, or its frames if
// its first bytes say that it is packed.
func unpackedSource(path string, raw source) (source, error) {
	size, err := raw.size()
	if err != nil {
		return nil, failed(path, "read the table", err, "")
	}
	magic := make([]byte, len(zstdMagic))
	n, err := raw.ReadAt(magic, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, failed(path, "read the table", err, "")
	}
	if n > 0 && bytes.HasPrefix([]byte(zstdMagic), magic[:n]) {
		return openFrames(path, raw, size)
	}
	return raw, nil
}
