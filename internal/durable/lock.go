package durable

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
)

// LockSuffix is behind the path of a file in the name of its lock file.
const LockSuffix = ".lock"

// ErrHeld is the cause when somebody else has a lock.
var ErrHeld = errors.New("another process is writing it")

// Locked is a lock that is held.
type Locked struct{ file *os.File }

// attempts bounds how often a lock file is opened that is gone when it is locked.
const attempts = 1000

// Lock takes the advisory lock of a path, which need not be there, without
// waiting: the error is an *Error and wraps ErrHeld where somebody else has it,
// be it in this process. The lock lies on a file of its own, the path with
// LockSuffix, and dies with its process.
//
// Its holder removes the file before letting go, so one that opened it earlier may
// get the lock of a file that nobody else can see any more. Whoever got a lock
// therefore looks whether the name still leads to the locked file, and else tries
// again.
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

// Unlock removes the lock file and lets go. A second Unlock does nothing. The
// error is an *Error.
func (l *Locked) Unlock() error {
	if l.file == nil {
		return nil
	}
	f := l.file
	l.file = nil
	if runtime.GOOS == "windows" {
		// What is open cannot be removed there, be it open to the next holder.
		err := f.Close()
		os.Remove(f.Name())
		return failed("unlock", f.Name(), err)
	}
	os.Remove(f.Name())
	return failed("unlock", f.Name(), f.Close()) // which lets go of the lock
}
