package solving

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"backsolve/cmd/cli"
	"backsolve/internal/machine"
	"backsolve/partition"
	"backsolve/retro"
	"backsolve/tablebase"
)

// ShapeText says what is solved, whatever moves the game goes on after.
func ShapeText(space *partition.Space, o retro.Options) string {
	return fmt.Sprintf("%s %d×%d %s", space.Game, space.Size, space.Size, numbersText(o))
}

// numbersText says what a solve finds besides outcomes.
func numbersText(o retro.Options) string {
	switch {
	case o.Steps:
		return "with steps"
	case o.Nimbers:
		return "with nimbers"
	}
	return "without steps"
}

// MemorySource says where a memory limit comes from.
type MemorySource struct {
	text      string
	available int64 // bytes, or machine.Unknown
}

func (s MemorySource) String() string { return s.text }

// Remedy says how a solve that needs more than the limit can have it.
func (s MemorySource) Remedy(need int64) string {
	if s.available != machine.Unknown && need > s.available {
		return "so much is not available here: end other programs, raise the limit of the control group or of ulimit -v, or take a larger machine, and give " + cli.MemoryFlag(need)
	}
	return cli.MemoryFlag(need) + " would suffice"
}

// MemoryLimit returns the limit that a solve has to keep, 0 for none, and says
// where it comes from: of what was allowed, as much as is available, where that is
// machine.Unknown or more; else three quarters of what is available. What the
// control groups of this process do not leave it is not available.
func MemoryLimit(allowed cli.BytesValue, available int64) (limit int64, source MemorySource) {
	source.available = available
	switch {
	case available == machine.Unknown && allowed == 0:
		return 0, source
	case allowed == 0:
		source.text = "three quarters of what is available now"
		return machine.StandardMemory(available), source
	case available != machine.Unknown && available < int64(allowed):
		source.text = "--memory allows more, but that is what is available now"
		return available, source
	}
	source.text = "that is what --memory allows"
	return int64(allowed), source
}

// checkMemory refuses a solve that will not fit the limit. What it takes is
// reckoned the same way as the engine books it.
func checkMemory(space *partition.Space, o retro.Options, source MemorySource) error {
	need := o.Plan(space).Memory()
	if o.Memory == 0 || need <= o.Memory {
		return nil
	}
	err := fmt.Errorf("solving %s takes about %s of memory, but no more than %s may be used (%s); %s",
		ShapeText(space, o), cli.BytesText(need), cli.BytesText(o.Memory), source, source.Remedy(need))
	if !o.Steps {
		return err
	}
	o.Steps = false
	if need = o.Plan(space).Memory(); need <= o.Memory {
		err = fmt.Errorf("%w, and without --steps it takes about %s", err, cli.BytesText(need))
	}
	return err
}

// checkDisk refuses a solve whose table will not fit the free bytes of the
// file system of a directory.
func checkDisk(space *partition.Space, o retro.Options, packed bool, dir string, free int64) error {
	if need := o.Plan(space).Disk(packed); free != machine.Unknown && need > free {
		return fmt.Errorf("the table of %s takes about %s, but only %s are free in %s; make room there, or choose another place with --dir",
			ShapeText(space, o), cli.BytesText(need), cli.BytesText(free), dir)
	}
	return nil
}

// freeFor returns the bytes that a table can take in a directory, where what an
// interrupted solve has written counts as free, or machine.Unknown.
func freeFor(dir, path string) int64 {
	free := machine.FreeDisk(dir)
	if free == machine.Unknown {
		return free
	}
	return free + machine.FileSize(partialPath(path))
}

// partialPath is where the data of a table is until it is finished.
func partialPath(path string) string { return path + tablebase.PartialSuffix }

// checkDir refuses what is no directory for tables and cannot become one: only the last
// directory of a path is made, as one above it that is missing is mistyped. It returns the
// directory, or the one above it where that is still to be made.
func checkDir(dir string) (in string, err error) {
	in = filepath.Clean(dir)
	info, err := os.Stat(in)
	if errors.Is(err, fs.ErrNotExist) {
		in = filepath.Dir(in)
		if info, err = os.Stat(in); errors.Is(err, fs.ErrNotExist) {
			return "", unwritable(dir, fmt.Errorf("there is no directory %s", in), "make that first, or ")
		}
	}
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a directory", in)
	}
	if err != nil {
		return "", unwritable(dir, err, "")
	}
	return in, nil
}

// unwritable says why nothing can be written in a directory.
func unwritable(dir string, cause error, remedy string) error {
	if at := (*fs.PathError)(nil); errors.As(cause, &at) {
		cause = at.Err
	}
	return fmt.Errorf("no table can be written in %s: %w; %schoose another place with --dir", dir, cause, remedy)
}

// checkWritable refuses a directory in which no file can be made, by making one. A kill
// could leave that file, so it is for plans: a solve finds out by its lock.
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
		return unwritable(dir, err, "make the directory writable, or ")
	}
	return nil
}

// refused makes a *cli.RefusedError of an error that says that nothing can be written here.
func refused(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return &cli.RefusedError{Err: err}
	}
	return err
}
