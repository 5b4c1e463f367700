package durable

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// ErrNotOurs is the cause where something lies at a path that this package would not have
// put there: a link, a pipe, a device, a directory. Writing to it could change a file that
// somebody else meant to keep.
var ErrNotOurs = errors.New("not a file of this program")

// notOurs is what lies at a path instead of a file of ours.
type notOurs string

func (n notOurs) Error() string   { return "it is " + string(n) }
func (n notOurs) Is(e error) bool { return e == ErrNotOurs }

// Open opens a file that this program writes, or wrote to go on from: a regular file with
// no other name. It follows no symbolic link at the end of the path and does not wait for
// the other end of a pipe. flag is as in os.OpenFile; os.O_TRUNC takes effect after the
// file is known to be ours. The error is an *Error; it wraps ErrNotOurs for anything but
// such a file.
func Open(path string, flag int) (*os.File, error) { return open("open", path, flag) }

// open is Open for errors that say what was to be done.
func open(doing, path string, flag int) (*os.File, error) {
	if err := checkBefore(path); err != nil {
		return nil, failed(doing, path, err)
	}
	f, err := os.OpenFile(path, flag&^os.O_TRUNC|asFile, 0o644)
	if err != nil {
		return nil, failed(doing, path, whatLies(path, err))
	}
	info, err := f.Stat()
	if err == nil {
		err = ours(info)
	}
	if err == nil && flag&os.O_TRUNC != 0 {
		err = f.Truncate(0)
	}
	if err != nil {
		f.Close()
		return nil, failed(doing, path, err)
	}
	return f, nil
}

// whatLies returns what is wrong with what lies at a path that cannot be opened, or else
// the system's error: its words for a link differ, and say little.
func whatLies(path string, err error) error {
	if info, other := os.Lstat(path); other == nil {
		if wrong := ours(info); wrong != nil {
			return wrong
		}
	}
	return err
}

// ReadFile reads a regular file as os.ReadFile does. It follows links, but does not wait
// for the other end of a pipe. The error is an *Error.
func ReadFile(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|asRead, 0)
	if err != nil {
		return nil, failed("read", path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = kind(info)
	}
	var b []byte
	if err == nil {
		b, err = io.ReadAll(f)
	}
	return b, failed("read", path, err)
}

// ours returns what is wrong with a file that is about to be written.
func ours(info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return kind(info)
	case otherNames(info):
		return notOurs("a file with another name, too (a hard link)")
	}
	return nil
}

// kind names what is no regular file.
func kind(info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		return notOurs("a symbolic link")
	case mode.IsDir():
		return notOurs("a directory")
	case mode&fs.ModeNamedPipe != 0:
		return notOurs("a named pipe")
	case mode&fs.ModeSocket != 0:
		return notOurs("a socket")
	}
	return notOurs("a device, or something else that is not a file")
}
