// Package durable protects files from other processes, kills and power cuts. Writes
// are atomic, renames are durable, and locks are exclusive. Errors are of type *Error.
package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// NewSuffix ends the name of a file that is being written. The next writer replaces a leftover.
const NewSuffix = ".new"

// Error reports which operation on which file failed, why, and the remedy.
type Error struct {
	// Path is the file.
	Path string
	// Doing is what failed: "write", "lock", …
	Doing string
	// Err is the system's cause or one of this package.
	Err error
	// Remedy is what the user can do, never "". A caller may know a better one.
	Remedy string
}

// Error returns the sentence: what failed, cause, remedy.
func (e *Error) Error() string {
	return fmt.Sprintf("cannot %s %s: %v; %s", e.Doing, e.Path, e.Err, e.Remedy)
}

// Unwrap returns the cause, for errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Err }

// failed wraps a system error; nil stays nil. It drops the path, which Error names.
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

// MoreFiles is the remedy for TooManyFiles.
const MoreFiles = "raise the limit of open files (ulimit -n), and try again"

// TooManyFiles reports whether an error says that no more files can be opened.
func TooManyFiles(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

func remedy(cause error) string {
	switch {
	case TooManyFiles(cause):
		return MoreFiles
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

// system holds the calls that reach the disk. Tests replace them with failing ones.
var system = struct {
	sync    func(*os.File) error
	rename  func(from, to string) error
	syncDir func(dir string) error
}{(*os.File).Sync, os.Rename, syncDir}

// Write calls write with a new file, syncs it, renames it to path and syncs the
// directory. It replaces an existing file. The error is an *Error, or what write
// returned if that is not an error of the file. A failure before the rename leaves
// path as it was, and no other file.
//
// Write holds the lock of the path. The error wraps ErrHeld if another process, or
// another call in this one, is writing the file.
func Write(path string, write func(*os.File) error) error {
	l, err := Lock(path)
	if err != nil {
		return err
	}
	defer l.Unlock()
	// A link is replaced; its target stays as it is.
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0 {
		return &Error{Path: path, Doing: "write", Err: kind(info), Remedy: "remove it, or choose another name"}
	}
	made := path + NewSuffix
	if info, err := os.Lstat(made); err == nil && !info.IsDir() {
		os.Remove(made) // not opened, as it could be a link to another file
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

// WriteFile is Write for a file with the given content.
func WriteFile(path string, content []byte) error {
	return Write(path, func(f *os.File) error {
		_, err := f.Write(content)
		return err
	})
}

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

// Rename renames a synced file within its directory, over an existing one, and syncs the directory.
func Rename(from, to string) error {
	if err := system.rename(from, to); err != nil {
		return failed("write", to, err)
	}
	return SyncDir(filepath.Dir(to))
}

// SyncDir makes creations, renames and removals in a directory durable.
func SyncDir(dir string) error { return failed("write to", dir, system.syncDir(dir)) }

// Mkdir makes a directory durably if there is none. Its parent must exist.
func Mkdir(dir string, mode fs.FileMode) error {
	if err := os.Mkdir(dir, mode); err != nil {
		switch info, missing := os.Stat(dir); {
		case missing != nil:
		case info.IsDir():
			return nil
		default:
			err = syscall.ENOTDIR
		}
		return failed("make the directory", dir, err)
	}
	return SyncDir(filepath.Dir(filepath.Clean(dir)))
}

// MkdirOwn is MkdirAll for a directory whose files this program makes and removes. It does not follow
// links: the error wraps ErrNotOurs if something other than a directory is there.
func MkdirOwn(dir string, mode fs.FileMode) error {
	if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
		return failed("make the directory", dir, kind(info))
	}
	return MkdirAll(dir, mode)
}

// MkdirAll makes a directory and its missing parents durably.
func MkdirAll(dir string, mode fs.FileMode) error {
	above := filepath.Dir(filepath.Clean(dir))
	if _, err := os.Stat(above); errors.Is(err, fs.ErrNotExist) && above != dir {
		if err := MkdirAll(above, mode); err != nil {
			return err
		}
	}
	return Mkdir(dir, mode)
}
