package outofcore

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"backsolve/bitslice"
	"backsolve/internal/durable"
	"backsolve/partition"
)

// ErrDamaged is the cause where what an interrupted solve has left cannot be read
// back. Discard lets the solve begin again.
var ErrDamaged = errors.New("damaged work file")

// Files are the work files of a solve: a file of slices for each of the two
// classes in work, and the state, which says what is finished.
type Files struct {
	path       string
	space      partition.Space
	lock       *durable.Locked
	state      state
	sliceBytes int64
	above      *os.File // slices of the last finished class; nil before the first
}

// state is what must survive an interruption.
type state struct {
	Version int
	Game    string
	Size    int
	Taken   uint64
	Classes []ClassCounts
	// Sums are the CRC-32C of the slices of the last of the classes.
	Sums []uint32
	// Won is the outcome of the state with all index bits clear in the first block
	// of the last class: in the end, the state that play begins with.
	Won bool
	// SHA256 is over the state as JSON, with this field empty.
	SHA256 string
}

const stateVersion = 1

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// The names of work files: the path of the solve and what is behind it.
const (
	stateSuffix = ".state"
	classSuffix = ".class-" // and the number of the class
)

// Open takes the lock of the work files beside path, for a space with fixed
// slices, and reads what an interrupted solve has left. Files that it did not need
// any more are removed. With force, what another solve has left is removed too.
func Open(path string, space partition.Space, force bool) (*Files, error) {
	if !space.FixedSlice {
		return nil, fmt.Errorf("%s cannot be solved class by class from files: its classes need memory; solve it as a table", space.Game)
	}
	if err := durable.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	lock, err := durable.Lock(path)
	if errors.Is(err, durable.ErrHeld) {
		return nil, fmt.Errorf("another solve is at work on %s; wait for it or give another --dir", path)
	}
	if err != nil {
		return nil, err
	}
	f := &Files{path: path, space: space, lock: lock, sliceBytes: sliceBytes(space)}
	if err := f.load(force); err != nil {
		f.Close()
		return nil, err
	}
	return f, f.removeStray()
}

func (f *Files) statePath() string { return f.path + stateSuffix }
func (f *Files) classPath(class int) string {
	return fmt.Sprintf("%s%s%02d", f.path, classSuffix, class)
}

// begun is the state of a solve of which nothing is finished.
func (f *Files) begun() state {
	return state{Version: stateVersion, Game: f.space.Game, Size: f.space.Size, Taken: f.space.Taken}
}

// load reads the state file. One that is missing or damaged means a fresh start:
// only time is lost.
func (f *Files) load(force bool) error {
	f.state = f.begun()
	text, err := os.ReadFile(f.statePath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot read what an interrupted solve left: %w; see to the disk, or choose another --dir", err)
	}
	var found state
	if json.Unmarshal(text, &found) != nil || found.SHA256 != found.sum() || found.Version != stateVersion {
		return nil
	}
	if found.Game != f.state.Game || found.Size != f.state.Size || found.Taken != f.state.Taken {
		if force {
			return nil
		}
		return fmt.Errorf("%s is of another solve; finish that one, or start over with --force", f.statePath())
	}
	classes := len(found.Classes)
	if classes == 0 {
		return nil
	}
	if classes == f.space.MaskBits+1 {
		f.state = found // the slices of the last class are of no use any more
		return nil
	}
	file, err := os.Open(f.classPath(found.Classes[classes-1].Class))
	if err != nil {
		return nil // without its slices the state is worth nothing
	}
	if info, err := file.Stat(); err != nil || info.Size() != int64(len(found.Sums))*f.sliceBytes {
		return file.Close()
	}
	f.state, f.above = found, file
	return nil
}

func (v state) sum() string {
	v.SHA256 = ""
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // numbers and strings alone
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// save writes the state durably.
func (f *Files) save() error {
	f.state.SHA256 = f.state.sum()
	return durable.Write(f.statePath(), func(file *os.File) error { return json.NewEncoder(file).Encode(f.state) })
}

// take makes a finished class, whose file is flushed, the one above.
func (f *Files) take(c ClassCounts, file *os.File, sums []uint32, won bool) error {
	f.state.Classes = append(f.state.Classes, c)
	f.state.Sums, f.state.Won = sums, won
	if err := f.save(); err != nil {
		file.Close()
		return err
	}
	if f.above != nil {
		f.above.Close()
		os.Remove(f.above.Name()) // one that cannot be removed now is stray later
	}
	f.above = file
	return nil
}

// readSlice reads a slice of the class above and checks it.
func (s *solver) readSlice(block int, dst []uint64) error {
	f, b := s.files, bitslice.Bytes(dst)
	if _, err := f.above.ReadAt(b, int64(block)*f.sliceBytes); errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: %s ends within block %d; start over with --force", ErrDamaged, f.above.Name(), block)
	} else if err != nil {
		return fmt.Errorf("%w: block %d of %s: %w; see to the disk, or start over with --force", ErrDamaged, block, f.above.Name(), err)
	}
	s.read.Add(int64(len(b)))
	if crc32.Checksum(b, castagnoli) != f.state.Sums[block] {
		return fmt.Errorf("%w: block %d of %s is not what was written; start over with --force", ErrDamaged, block, f.above.Name())
	}
	return nil
}

// Discard lets the solve begin again from nothing.
func (f *Files) Discard() error {
	f.closeAbove()
	f.state = f.begun()
	return f.Remove()
}

// Remove removes the work files: of a solve that is done, once what came of it is
// saved. The state goes first, since without it the others are known to be stray.
func (f *Files) Remove() error {
	f.closeAbove()
	err := os.Remove(f.statePath())
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

// Clear removes what an interrupted solve has left beside path, where no other is at
// work on it: for a solve whose result is there already.
func Clear(path string) error {
	lock, err := durable.Lock(path)
	if errors.Is(err, durable.ErrHeld) {
		return nil
	}
	if err != nil {
		return err
	}
	f := &Files{path: path, lock: lock}
	if err := f.Remove(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// removeStray removes the files of classes but that of the class above, and what
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
		ofClass = ofClass && len(number) == 2 && strings.Trim(number, "0123456789") == ""
		path := filepath.Join(dir, e.Name())
		// The solve's own lock is held, so nobody else is writing the state.
		ofState := e.Name() == base+stateSuffix+durable.NewSuffix || e.Name() == base+stateSuffix+durable.LockSuffix
		if !ofClass && !ofState || f.above != nil && path == filepath.Clean(f.above.Name()) {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot remove a work file that is not needed: %w; remove it yourself", err)
		}
	}
	return nil
}

func (f *Files) closeAbove() {
	if f.above != nil {
		f.above.Close()
		f.above = nil
	}
}

// Close lets go of the lock and keeps the files for a later solve.
func (f *Files) Close() error {
	f.closeAbove()
	return f.lock.Unlock()
}
