package tablebase

import (
	"bytes"
	"errors"
	"io"
	"os"
)

// source is where the bytes of a table come from: its file, or the frames of a
// packed one. Whether they are the right ones, the table's checksums tell.
type source interface {
	io.ReaderAt
	io.Closer
	// size returns the number of bytes there are now.
	size() (int64, error)
}

// plainFile is the file of a table that is not packed.
type plainFile struct{ *os.File }

func (f plainFile) size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// newSource takes a file over, unless it fails, as what its first bytes say it
// is.
func newSource(path string, file *os.File) (source, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, failed(path, "read the table", err, "")
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		return nil, &Error{Path: path, Err: ErrForeign, Detail: "it is a directory", Remedy: pickTable}
	case !mode.IsRegular():
		return nil, &Error{Path: path, Err: ErrForeign, Detail: "it is no regular file", Remedy: pickTable}
	}
	magic := make([]byte, len(zstdMagic))
	n, err := file.ReadAt(magic, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, failed(path, "read the table", err, "")
	}
	if n > 0 && bytes.HasPrefix([]byte(zstdMagic), magic[:n]) {
		return openFrames(path, file, info.Size())
	}
	return plainFile{file}, nil
}
