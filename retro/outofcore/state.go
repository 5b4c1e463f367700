package outofcore

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"backsolve/game"
	"backsolve/internal/durable"
	"backsolve/internal/sealed"
)

// state is the part of a solve that survives an interruption.
type state struct {
	Version int
	Game    string
	Size    game.Size
	Taken   uint64
	// Stages are the counts of the finished stages. Kept locates the slices of the last ones.
	Stages []ClassCounts
	Kept   []sliceTable
	// First are the known values of noted positions.
	First []FirstValue
	// SHA256 is the sum of the state as JSON with this field empty.
	SHA256 string
}

const (
	stateVersion = 2
	maxState     = 1 << 30 // bytes of the file
)

func (f *Files) begun() state {
	return state{Version: stateVersion, Game: f.space.Game, Size: game.Size(f.space.Size), Taken: f.space.Taken}
}

// load reads the state file. Without one the solve starts from nothing. A damaged one, or a
// missing class file, is an error that wraps ErrDamaged: the other files may be worth hours, so
// only force starts over and removes them.
func (f *Files) load(force bool) error {
	f.state = f.begun()
	text, err := durable.ReadOwn(f.StatePath(), maxState)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return readError(err)
	}
	var found state
	if json.Unmarshal(text, &found) != nil || found.SHA256 != found.sum() || found.Version != stateVersion {
		return f.damaged(f.StatePath(), force)
	}
	if found.Game != f.state.Game || found.Size != f.state.Size || found.Taken != f.state.Taken {
		if force {
			return nil
		}
		return fmt.Errorf("%s: %w", f.StatePath(), ErrOtherSolve)
	}
	if !f.sound(&found) {
		return f.damaged(f.StatePath(), force)
	}
	missing, err := f.openKept(&found)
	if err != nil {
		return err
	}
	if missing != "" && len(found.Stages) < f.stages() { // the last slices need not be there
		return f.damaged(missing, force)
	}
	f.state = found
	return nil
}

// sound reports whether the numbers of a state fit each other and the space.
func (f *Files) sound(s *state) bool {
	for i, c := range s.Stages {
		if at := f.stage(i); i >= f.stages() || c.Class != at.Class || c.IndexBits != f.spaces[at.Half].IndexBits[at.Class] || len(c.Counts.ByWeight) != c.IndexBits+1 {
			return false
		}
	}
	before := len(s.Stages) - len(s.Kept)
	for i, k := range s.Kept {
		if before < 0 || len(k.Sums) != s.Stages[before+i].Blocks || !k.sound(f.sliceBytes) {
			return false
		}
	}
	return len(s.Kept) <= len(f.spaces)
}

// damaged returns the error of a file that resuming needs, nil with force.
func (f *Files) damaged(path string, force bool) error {
	if force {
		return nil
	}
	return fmt.Errorf("cannot resume the solve: %w %s", ErrDamaged, path)
}

// openKept opens the slice files that the state names. It returns the path of one that is
// missing or truncated, or "". A file that exists and cannot be opened is an error, as it may be
// readable later.
func (f *Files) openKept(found *state) (missing string, err error) {
	for i, table := range found.Kept {
		path := stagePath(f.path, f.stage(len(found.Stages)-len(found.Kept)+i))
		file, err := durable.Open(path, os.O_RDONLY)
		var info fs.FileInfo
		if err == nil {
			f.kept = append(f.kept, &sliceFile{file, table, f.sliceBytes})
			info, err = file.Stat()
		}
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() != table.size(f.sliceBytes) {
			f.closeKept()
			return path, nil
		}
		if err != nil {
			return "", readError(err)
		}
	}
	return "", nil
}

// readError adds the remedy to an error of reading the files of an interrupted solve.
func readError(err error) error {
	if on := (*durable.Error)(nil); errors.As(err, &on) {
		return err
	}
	return fmt.Errorf("cannot read what an interrupted solve left: %w; check the disk, or solve in another directory", err)
}

func (v state) sum() string {
	v.SHA256 = ""
	return sealed.SumJSON(v)
}

func (f *Files) save() error {
	f.state.SHA256 = f.state.sum()
	return durable.Write(f.StatePath(), func(file *os.File) error { return json.NewEncoder(file).Encode(f.state) })
}
