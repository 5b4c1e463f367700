package durable

import (
	"errors"
	"io/fs"
	"os"
	"runtime"

	"github.com/gofrs/flock"
)

// LockSuffix is behind the path of a file in the name of its lock file.
const LockSuffix = ".lock"

// ErrHeld is the cause when somebody else has a lock.
var ErrHeld = errors.New("another process is writing it")

// Locked is a lock that is held.
type Locked struct{ file *flock.Flock }

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
		if err := checkBefore(name); err != nil {
			return nil, failed("lock", name, err)
		}
		l := flock.New(name, flock.SetPermissions(0o644), flock.SetFlag(lockFlag))
		got, err := l.TryLock()
		if err != nil {
			return nil, failed("lock", name, whatLies(name, err))
		}
		if !got {
			return nil, &Error{Path: path, Doing: "lock", Err: ErrHeld, Remedy: "wait for it, or stop it"}
		}
		held, err := l.Stat()
		if err == nil {
			err = ours(held)
		}
		if err == nil {
			var named fs.FileInfo
			if named, err = os.Lstat(name); err == nil && os.SameFile(held, named) {
				return &Locked{l}, nil
			}
		}
		l.Unlock()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, failed("lock", name, err)
		}
	}
	return nil, &Error{Path: name, Doing: "lock", Err: errors.New("the file changes all the time"), Remedy: "write to a local disk"}
}

// Unlock removes the lock file and lets go. A second Unlock does nothing. The
// error is an *Error.
func (l *Locked) Unlock() error {
	if !l.file.Locked() {
		return nil
	}
	name := l.file.Path()
	if runtime.GOOS == "windows" {
		// What is open cannot be removed there, be it open to the next holder.
		err := l.file.Unlock()
		os.Remove(name)
		return failed("unlock", name, err)
	}
	os.Remove(name)
	return failed("unlock", name, l.file.Unlock())
}
