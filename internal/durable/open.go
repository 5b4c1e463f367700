package durable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrNotOurs means that a path holds what this package never creates: a link, a pipe, a
// device, a directory. Writing to it could destroy another program's file.
var ErrNotOurs = errors.New("not a file of this program")

// notOurs is an ErrNotOurs that describes what the path holds.
type notOurs string

func (n notOurs) Error() string   { return "it is " + string(n) }
func (n notOurs) Is(e error) bool { return e == ErrNotOurs }

// Open opens a file to write or resume: a regular file with no other name. It does not
// follow a symbolic link at the end of the path, nor block on a pipe. flag is as in
// os.OpenFile; os.O_TRUNC takes effect after that check. The error wraps ErrNotOurs for
// any other kind of file.
func Open(path string, flag int) (*os.File, error) { return open("open", path, flag) }

// open is Open with the operation that errors name.
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

// whatLies returns why a path that failed to open is not ours, or else the system's
// error: that one differs between systems for a link, and says little.
func whatLies(path string, err error) error {
	if info, other := os.Lstat(path); other == nil {
		if wrong := ours(info); wrong != nil {
			return wrong
		}
	}
	return err
}

// ReadFile reads a regular file. It follows links, but does not block on a pipe.
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

// ReadOwn opens a file as Open does, and reads it if it has at most that many bytes.
func ReadOwn(path string, most int64) ([]byte, error) {
	f, err := open("read", path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(b)) > most {
		err = fmt.Errorf("it has more than %d bytes, the most that such a file can have", most)
	}
	return b, failed("read", path, err)
}

// ours returns an error for a file that must not be written.
func ours(info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return kind(info)
	case otherNames(info):
		return notOurs("a file with another name, too (a hard link)")
	}
	return nil
}

func kind(info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return notOurs("a file")
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
