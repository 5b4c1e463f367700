// Package durable keeps files from what comes between: other processes, kills
// and power cuts. A file that it writes is whole or not there, a name that it
// gives lasts, and a lock that it takes is held by nobody else.
package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// NewSuffix is behind the name of a file that is being written. One that a
// killed process left is overwritten by the next.
const NewSuffix = ".new"

// Error says which file could not be dealt with, why, and what to do about it.
type Error struct {
	// Path is the file.
	Path string
	// Doing is what failed: "write", "lock", …
	Doing string
	// Err is the system's cause or one of this package.
	Err error
	// Remedy is what the reader can do. It is never "": who knows better than the
	// cause tells puts something else there.
	Remedy string
}

// Error returns the sentence: what failed, cause, remedy.
func (e *Error) Error() string {
	return fmt.Sprintf("cannot %s %s: %v; %s", e.Doing, e.Path, e.Err, e.Remedy)
}

// Unwrap returns the cause, for errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Err }

// failed wraps what the system said, nil where that is nil. The system names the
// file, too; once is enough.
func failed(doing, path string, cause error) error {
	if cause == nil {
		return nil
	}
	var at *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(cause, &at):
		cause = at.Err
	case errors.As(cause, &link):
		cause = link.Err
	}
	return &Error{Path: path, Doing: doing, Err: cause, Remedy: remedy(cause)}
}

// remedy is what helps against a cause, as far as that tells.
func remedy(cause error) string {
	switch {
	case errors.Is(cause, syscall.ENOSPC):
		return "make room on the disk, or choose another directory"
	case errors.Is(cause, fs.ErrPermission), errors.Is(cause, syscall.EROFS):
		return "make the directory writable, or choose another one"
	case errors.Is(cause, ErrNotOurs):
		return "remove it, or choose another directory"
	case errors.Is(cause, fs.ErrNotExist):
		return "make the directory, or choose another one"
	}
	return "check the disk, or choose another directory"
}

// system is what reaches the disk; tests put failing functions in its place.
var system = struct {
	sync    func(*os.File) error
	rename  func(from, to string) error
	syncDir func(dir string) error
}{(*os.File).Sync, os.Rename, syncDir}

// Write has write fill a new file and gives it the path when all of it is on the
// disk, over a file that is there. It waits until the name is on the disk, too.
// The error is an *Error, or what write returned where that is none of the file's.
// Where anything fails before the file has its name, what was at path stays as it
// was and nothing else is left.
//
// The lock of the path is held meanwhile: the error wraps ErrHeld where another
// process, or another call of this one, writes the file.
func Write(path string, write func(*os.File) error) error {
	l, err := Lock(path)
	if err != nil {
		return err
	}
	defer l.Unlock()
	// A link gives way to the file, and what it leads to stays as it is.
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0 {
		return &Error{Path: path, Doing: "write", Err: kind(info), Remedy: "remove it, or choose another name"}
	}
	made := path + NewSuffix
	if info, err := os.Lstat(made); err == nil && !info.IsDir() {
		os.Remove(made) // and not opened, for it could be a link to something else
	}
	f, err := os.OpenFile(made, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return failed("write", made, whatLies(made, err))
	}
	if err = fill(f, write); err == nil {
		err = Rename(made, path)
	} else if at := (*fs.PathError)(nil); errors.As(err, &at) && at.Path == made {
		err = failed("write", path, err)
	}
	if err != nil {
		os.Remove(made)
	}
	return err
}

// fill has a file written, flushes and closes it. It returns the first error.
func fill(f *os.File, write func(*os.File) error) error {
	err := write(f)
	if err == nil {
		err = system.sync(f)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// Rename gives a file, which was flushed before, another name in the same
// directory, over a file that is there, and waits until the name is on the disk.
// The error is an *Error.
func Rename(from, to string) error {
	if err := system.rename(from, to); err != nil {
		return failed("write", to, err)
	}
	return SyncDir(filepath.Dir(to))
}

// SyncDir waits until the names in a directory are on the disk: those that were
// given, and those that were taken away. The error is an *Error.
func SyncDir(dir string) error { return failed("write to", dir, system.syncDir(dir)) }

// Mkdir makes a directory where there is none, but none above it, and waits until its
// name is on the disk. The error is an *Error.
func Mkdir(dir string, mode fs.FileMode) error {
	err := os.Mkdir(dir, mode)
	if info, there := os.Stat(dir); there == nil && info.IsDir() && err != nil {
		return nil
	}
	if err != nil {
		return failed("make the directory", dir, err)
	}
	return SyncDir(filepath.Dir(filepath.Clean(dir)))
}

// MkdirAll makes a directory and those above it where they are not there, and
// waits until their names are on the disk. The error is an *Error.
func MkdirAll(dir string, mode fs.FileMode) error {
	var made []string // the lowest first
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		made = append(made, at)
	}
	if err := os.MkdirAll(dir, mode); err != nil {
		return failed("make the directory", dir, err)
	}
	for _, at := range made {
		if err := SyncDir(filepath.Dir(at)); err != nil {
			return err
		}
	}
	return nil
}
