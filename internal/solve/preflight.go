package solve

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/dustin/go-humanize"

	"backsolve/internal/durable"
	"backsolve/internal/machine"
	"backsolve/internal/plan"
	"backsolve/retro/outofcore"
	"backsolve/tablebase"
)

// Limit is a limit of memory.
type Limit struct {
	Bytes     int64  // 0 for none
	Source    string // what sets the limit, for messages
	Available int64  // bytes that this machine has to give, or machine.Unknown
	// Elsewhere plans for another machine's limit, with the threads asked for and an unknown disk.
	Elsewhere bool
}

// MemoryError says that a solve does not fit its limit of memory.
type MemoryError struct {
	Cause string // what takes the memory
	Need  int64  // bytes
	Limit Limit
	// WithoutSteps is what the solve takes without steps, where that fits; else 0.
	WithoutSteps int64
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("%s, but no more than %s may be used (%s)", e.Cause, bytesText(e.Limit.Bytes), e.Limit.Source)
}

// DiskError says that a solve does not fit the disk.
type DiskError struct {
	Cause string // what takes the disk
	Free  int64  // bytes
	Dir   string
}

func (e *DiskError) Error() string {
	return fmt.Sprintf("%s, but only %s are free in %s", e.Cause, bytesText(e.Free), e.Dir)
}

// DirError says that nothing can be written in a directory.
type DirError struct {
	Dir    string
	Err    error
	Remedy string // what could be done about it, "" where another directory is needed
}

func (e *DirError) Error() string {
	err := e.Err
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Sprintf("no table can be written in %s: %v", e.Dir, err)
}

func (e *DirError) Unwrap() error { return e.Err }

// Refusal is the reason why a job is not begun on this machine.
type Refusal struct{ Err error }

func (r *Refusal) Error() string { return r.Err.Error() }
func (r *Refusal) Unwrap() error { return r.Err }

func newRefusal(err error) error {
	if isReadOnly(err) {
		return &Refusal{err}
	}
	return err
}

func isReadOnly(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

func bytesText(bytes int64) string { return humanize.IBytes(uint64(bytes)) }

type estimate struct {
	plan               *plan.Plan
	memory, disk, free int64 // bytes; free may be machine.Unknown
	processes          Processes
	obstacle           error // not enough memory or disk
	work               plan.Work
	// How a job that keeps no table is solved.
	o outofcore.Options
}

// freeDisk counts what an interrupted solve has written as free. It may be machine.Unknown.
func (j *Job) freeDisk() int64 {
	free := machine.FreeDisk(j.Dir())
	if free == machine.Unknown || j.Limit.Elsewhere {
		return machine.Unknown
	}
	for _, path := range j.forms() {
		free += machine.FileSize(partialPath(path))
	}
	switch {
	case !j.OutOfCore:
	case j.Sharing != nil:
		free += machine.BytesBelow(j.SharedDir())
	default:
		free += outofcore.Left(j.workPath())
	}
	return free
}

// Exceeds reports whether bytes are more than are free, unless that is machine.Unknown.
func Exceeds(bytes, free int64) bool { return free != machine.Unknown && bytes > free }

func partialPath(path string) string { return path + tablebase.PartialSuffix }

// refuse refuses a job before any work, for an error unless that is nil, or makes its directory.
func refuse(dir string, err error) error {
	if err == nil {
		_, err = checkDir(dir)
	}
	if err == nil {
		err = durable.Mkdir(dir, 0o777)
	}
	if err != nil {
		return &Refusal{err}
	}
	return nil
}

// checkDir returns a directory, or the one above it if that is still to be made. Only the last directory of a path may
// be missing, as another one is likely a mistake.
func checkDir(dir string) (in string, err error) {
	in = filepath.Clean(dir)
	info, err := os.Stat(in)
	if errors.Is(err, fs.ErrNotExist) {
		in = filepath.Dir(in)
		if info, err = os.Stat(in); errors.Is(err, fs.ErrNotExist) {
			return "", &DirError{dir, fmt.Errorf("there is no directory %s", in), "make that first"}
		}
	}
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a directory", in)
	}
	if err != nil {
		return "", &DirError{Dir: dir, Err: err}
	}
	return in, nil
}

// checkWritable refuses a directory in which no file can be made, by making one. A kill may
// leave that file, so only plans do this: a solve learns it from its lock.
func checkWritable(dir string) error {
	in, err := checkDir(dir)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(in, ".backsolve-")
	if err == nil {
		err = errors.Join(f.Close(), os.Remove(f.Name()))
	}
	if err != nil {
		return &DirError{dir, err, "make the directory writable"}
	}
	return nil
}
