package durable

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
)

// LockSuffix is added to the path of a file to name its lock file.
const LockSuffix = ".lock"

// ErrHeld means that the lock is taken.
var ErrHeld = errors.New("another process is writing it")

// Locked is a lock that is held.
type Locked struct{ file *os.File }

// File returns the open lock file. A process that inherits it holds the lock, too, until it ends.
func (l *Locked) File() *os.File { return l.file }

// attempts bounds the retries when the lock file vanishes before it is locked.
const attempts = 1000

// Lock takes the advisory lock of a path, which need not exist. It does not wait:
// the error is an *Error that wraps ErrHeld if this or another process holds the
// lock. The lock is on a separate file, the path with LockSuffix. The system releases
// it when the process ends.
//
// The holder removes the lock file before it unlocks, so another process may lock a
// file that has lost its name. Lock therefore checks that the name still refers to
// the locked file, and otherwise tries again.
func Lock(path string) (*Locked, error) {
	name := path + LockSuffix
	for range attempts {
		f, err := open("lock", name, os.O_RDONLY|os.O_CREATE)
		if err != nil {
			return nil, err
		}
		got, err := tryLock(f)
		if err == nil && !got {
			f.Close()
			return nil, &Error{Path: path, Doing: "lock", Err: ErrHeld, Remedy: "wait for it, or stop it"}
		}
		var held, named fs.FileInfo
		if err == nil {
			held, err = f.Stat()
		}
		if err == nil {
			if named, err = os.Lstat(name); err == nil && os.SameFile(held, named) {
				return &Locked{f}, nil
			}
		}
		f.Close()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, failed("lock", name, err)
		}
	}
	return nil, &Error{Path: name, Doing: "lock", Err: errors.New("the file changes all the time"), Remedy: "write to a local disk"}
}

// Held reports whether a process holds the lock of a path.
func Held(path string) bool {
	f, err := open("lock", path+LockSuffix, os.O_RDONLY)
	if err != nil {
		return false
	}
	defer f.Close() // which releases the lock
	got, err := tryLock(f)
	return err == nil && !got
}

// Unlock removes the lock file and releases the lock. A second Unlock does nothing.
func (l *Locked) Unlock() error {
	if l.file == nil {
		return nil
	}
	f := l.file
	l.file = nil
	if runtime.GOOS == "windows" {
		// Windows cannot remove an open file, so this fails if the next holder has it.
		err := f.Close()
		os.Remove(f.Name())
		return failed("unlock", f.Name(), err)
	}
	os.Remove(f.Name())
	return failed("unlock", f.Name(), f.Close()) // which releases the lock
}
