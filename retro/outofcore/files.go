package outofcore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"backsolve/internal/durable"
	"backsolve/internal/machine"
	"backsolve/partition"
)

// ErrDamaged means that an interrupted solve's work files cannot be read back. Discard starts over.
var ErrDamaged = errors.New("damaged work file")

// ErrBusy means that another process uses the work files.
var ErrBusy = errors.New("another solve is running")

// ErrOtherSolve means that the work files belong to the solve of another game.
var ErrOtherSolve = errors.New("it belongs to another solve")

// Files are the work files of a solve: the state, which has the finished stages, and the
// slice files of the class in work and the one above.
type Files struct {
	cutting
	path       string
	lock       *durable.Locked
	state      state
	sliceBytes int64
	// kept are the slices of the last finished stages, one for each half.
	kept []*sliceFile
}

// Suffixes of the names of work files.
const (
	stateSuffix = ".state"
	classSuffix = ".class-" // followed by the class
	setSuffix   = "-set"    // follows for the half that is solved first
)

// Open locks the work files beside path, for a space with fixed slices, and reads those of an
// interrupted solve. It removes work files that are not needed any more and, with force, those
// that are damaged or of another solve.
func Open(path string, space *partition.Space, force bool) (*Files, error) {
	if space.Kind != partition.FixedSlice {
		return nil, fmt.Errorf("%s cannot be solved with work files, as its classes must fit in memory; solve it as a table", space.Game)
	}
	if err := durable.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := openFiles(path, space, force)
	if err != nil {
		return nil, err
	}
	return f, f.removeStray()
}

// Check returns the error that Open would return, and whether the solve is done. It changes
// nothing, but holds the lock for a moment.
func Check(path string, space *partition.Space, force bool) (done bool, err error) {
	f, err := openFiles(path, space, force)
	if err != nil {
		return false, err
	}
	return f.Done(), f.Close()
}

func openFiles(path string, space *partition.Space, force bool) (*Files, error) {
	lock, err := durable.Lock(path)
	if errors.Is(err, durable.ErrHeld) {
		return nil, fmt.Errorf("%w on %s; wait for it, or solve in another directory", ErrBusy, path)
	}
	if err != nil {
		return nil, err
	}
	f := &Files{cutting: newCutting(space), path: path, lock: lock}
	f.sliceBytes = sliceBytes(f.spaces[0])
	if err := f.load(force); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// StatePath returns the path of the state file.
func (f *Files) StatePath() string { return f.path + stateSuffix }

func stagePath(path string, s Stage) string {
	path = fmt.Sprintf("%s%s%02d", path, classSuffix, s.Class)
	if !s.Last {
		path += setSuffix
	}
	return path
}

// stagePaths returns the paths of the slice files beside path of all stages of any space.
func stagePaths(path string) (paths []string) {
	for class := range 100 {
		paths = append(paths, stagePath(path, Stage{Class: class}), stagePath(path, Stage{Class: class, Last: true}))
	}
	return paths
}

// finished returns the slice file of a finished stage, nil where it was removed.
func (f *Files) finished(number int) *sliceFile {
	first := len(f.state.Stages) - len(f.kept)
	if number < first {
		return nil
	}
	return f.kept[number-first]
}

// Begun reports whether a stage is finished.
func (f *Files) Begun() bool { return len(f.state.Stages) > 0 }

// Done reports whether all stages are finished.
func (f *Files) Done() bool { return len(f.state.Stages) == f.stages() }

// take adds a finished, flushed stage to the state, and removes the file that is not read any more.
func (f *Files) take(c ClassCounts, values []FirstValue, slices *sliceFile) error {
	f.kept = append(f.kept, slices)
	gone := f.kept[:max(len(f.kept)-len(f.spaces), 0)]
	f.kept = f.kept[len(gone):]
	f.state.Stages = append(f.state.Stages, c)
	f.state.First = append(f.state.First, values...)
	f.state.Kept = nil
	for _, k := range f.kept {
		f.state.Kept = append(f.state.Kept, k.table)
	}
	if err := f.save(); err != nil {
		return err
	}
	for _, s := range gone {
		s.file.Close()
		os.Remove(s.file.Name()) // Open removes it if this fails
	}
	return nil
}

// Discard removes all work files, so that the solve starts from nothing.
func (f *Files) Discard() error {
	f.closeKept()
	f.state = f.begun()
	return f.Remove()
}

// Remove removes the work files. Call it once the result is saved. It removes the state first:
// without a state Open removes the others.
func (f *Files) Remove() error {
	f.closeKept()
	err := os.Remove(f.StatePath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot remove what the solve left: %w; remove it yourself", err)
	}
	if err := durable.SyncDir(filepath.Dir(f.path)); err != nil {
		return err
	}
	return f.removeStray()
}

// Left returns the bytes of the slice files beside path.
func Left(path string) (bytes int64) {
	for _, file := range stagePaths(path) {
		bytes += machine.FileSize(file)
	}
	return bytes
}

// removeStray removes slice files that the state does not name, and what writing the state left.
func (f *Files) removeStray() error {
	// The lock is held, so no other process is writing the state.
	for _, path := range append(stagePaths(f.path), f.StatePath()+durable.NewSuffix, f.StatePath()+durable.LockSuffix) {
		if slices.ContainsFunc(f.kept, func(k *sliceFile) bool { return k.file.Name() == path }) {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot remove a work file that is not needed: %w; remove it yourself", err)
		}
	}
	return nil
}

func (f *Files) closeKept() {
	for _, k := range f.kept {
		k.file.Close()
	}
	f.kept = nil
}

// Close releases the lock and keeps the files for a later solve.
func (f *Files) Close() error {
	f.closeKept()
	return f.lock.Unlock()
}
