package outofcore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"backsolve/internal/durable"
	"backsolve/partition"
)

// ErrDamaged is the cause where what an interrupted solve has left cannot be read
// back. Discard lets the solve begin again.
var ErrDamaged = errors.New("damaged work file")

// ErrBusy is the cause where another process uses the work files.
var ErrBusy = errors.New("another solve is at work")

// ErrOtherSolve is the cause where what lies here belongs to the solve of another game.
var ErrOtherSolve = errors.New("it is of another solve")

// Files are the work files of a solve: files of slices of the class in work and
// the one above, and the state, which says what is finished.
type Files struct {
	cutting
	path       string
	lock       *durable.Locked
	state      state
	sliceBytes int64
	// kept are the slices of the last finished subclasses, one for each half.
	kept []*sliceFile
}

// The names of work files: the path of the solve and what is behind it.
const (
	stateSuffix = ".state"
	classSuffix = ".class-" // and the number of the class, and setSuffix
	setSuffix   = "-set"    // of the half of a class that is solved first
)

// Open takes the lock of the work files beside path, for a space with fixed
// slices, and reads what an interrupted solve has left. Files that it did not need
// any more are removed. With force, what another solve has left is removed too.
func Open(path string, space *partition.Space, force bool) (*Files, error) {
	if space.Kind != partition.FixedSlice {
		return nil, fmt.Errorf("%s cannot be solved class by class from files: its classes need memory; solve it as a table", space.Game)
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

// Check returns the error with which Open would refuse a solve, nil where it would begin, and
// whether everything is solved. It changes nothing but takes the lock for a moment.
func Check(path string, space *partition.Space, force bool) (done bool, err error) {
	f, err := openFiles(path, space, force)
	if err != nil {
		return false, err
	}
	return f.Done(), f.Close()
}

// openFiles takes the lock and reads what an interrupted solve has left.
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

// StatePath is where it is written what is finished.
func (f *Files) StatePath() string { return f.path + stateSuffix }

// subclassPath is the path of the slices of a subclass.
func (f *Files) subclassPath(s Subclass) string {
	path := fmt.Sprintf("%s%s%02d", f.path, classSuffix, s.Class)
	if !s.Last {
		path += setSuffix
	}
	return path
}

// of returns the slices of a finished subclass, nil where they are not kept.
func (f *Files) of(number int) *sliceFile {
	first := len(f.state.Stages) - len(f.kept)
	if number < first {
		return nil
	}
	return f.kept[number-first]
}

// Begun reports whether anything is solved.
func (f *Files) Begun() bool { return len(f.state.Stages) > 0 }

// Done reports whether everything is solved.
func (f *Files) Done() bool { return len(f.state.Stages) == f.subclasses() }

// take makes a finished subclass, whose file is flushed, one of those that are kept,
// and lets go of the file that nothing is read from any more.
func (f *Files) take(c ClassCounts, values []FirstValue, slices *sliceFile) error {
	kept, gone := append(f.kept[:len(f.kept):len(f.kept)], slices), (*sliceFile)(nil)
	if len(kept) > len(f.spaces) {
		kept, gone = kept[1:], kept[0]
	}
	f.state.Stages = append(f.state.Stages, c)
	f.state.First = append(f.state.First, values...)
	f.state.Kept = nil
	for _, k := range kept {
		f.state.Kept = append(f.state.Kept, k.table)
	}
	f.kept = kept
	if err := f.save(); err != nil {
		return err
	}
	if gone != nil {
		gone.file.Close()
		os.Remove(gone.file.Name()) // one that cannot be removed now is stray later
	}
	return nil
}

// Discard lets the solve begin again from nothing.
func (f *Files) Discard() error {
	f.closeKept()
	f.state = f.begun()
	return f.Remove()
}

// Remove removes the work files: of a solve that is done, once what came of it is
// saved. The state goes first, since without it the others are known to be stray.
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

// Left returns the bytes of the class files that a solve has left beside path.
func Left(path string) (bytes int64) {
	files, _ := filepath.Glob(path + classSuffix + "*")
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			bytes += info.Size()
		}
	}
	return bytes
}

// removeStray removes the files of classes but those that are kept, and what
// writing the state left.
func (f *Files) removeStray() error {
	dir := filepath.Dir(f.path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("cannot look for work files: %w; see to the directory", err)
	}
	base := filepath.Base(f.path)
	for _, e := range entries {
		number, ofClass := strings.CutPrefix(e.Name(), base+classSuffix)
		number = strings.TrimSuffix(number, setSuffix)
		ofClass = ofClass && len(number) == 2 && strings.Trim(number, "0123456789") == ""
		path := filepath.Join(dir, e.Name())
		// The solve's own lock is held, so nobody else is writing the state.
		ofState := e.Name() == base+stateSuffix+durable.NewSuffix || e.Name() == base+stateSuffix+durable.LockSuffix
		if !ofClass && !ofState || f.isKept(path) {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot remove a work file that is not needed: %w; remove it yourself", err)
		}
	}
	return nil
}

func (f *Files) isKept(path string) bool {
	for _, k := range f.kept {
		if filepath.Clean(k.file.Name()) == path {
			return true
		}
	}
	return false
}

func (f *Files) closeKept() {
	for _, k := range f.kept {
		k.file.Close()
	}
	f.kept = nil
}

// Close lets go of the lock and keeps the files for a later solve.
func (f *Files) Close() error {
	f.closeKept()
	return f.lock.Unlock()
}
