package tablebase

import (
	"errors"
	"io/fs"
	"os"
	"runtime"

	"github.com/gofrs/flock"
)

// lock takes the advisory lock that keeps two processes from writing one table;
// unwritable is what to do where no lock file can be written. The lock lies on a
// file of its own and dies with the process that holds it.
//
// Its holder removes the file before letting go, so one that waited may get the
// lock of a file that nobody else can see any more. Whoever got a lock therefore
// looks whether the name still leads to the locked file, and else tries again.
func lock(table, unwritable string) (*flock.Flock, error) {
	path := table + lockSuffix
	for range 1000 {
		l := flock.New(path, flock.SetPermissions(0o644))
		got, err := l.TryLock()
		if err != nil {
			return nil, failed(path, "lock the table", err, unwritable)
		}
		if !got {
			return nil, &Error{Path: table, Err: ErrBusy, Remedy: "wait for it, or stop it: a solver keeps what it has solved"}
		}
		held, err := l.Stat()
		if err == nil {
			var named fs.FileInfo
			if named, err = os.Stat(path); err == nil && os.SameFile(held, named) {
				return l, nil
			}
		}
		l.Unlock()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, failed(path, "lock the table", err, "")
		}
	}
	return nil, failed(path, "lock the table", errors.New("the lock file changes all the time"), "write to a local disk")
}

// unlock removes the lock file and lets go. Windows does not remove a file that
// is open; there it stays, and does no harm.
func unlock(l *flock.Flock) error {
	if runtime.GOOS != "windows" {
		os.Remove(l.Path())
	}
	return l.Unlock()
}
