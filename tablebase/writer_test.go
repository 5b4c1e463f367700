package tablebase

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// create begins a table that is closed at the end of the test.
func create(t testing.TB, path string, s Shape, overwrite bool) *Writer {
	t.Helper()
	w, err := Create(path, s, overwrite)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// files lists a directory.
func files(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestFinishLeavesOnlyTheTable(t *testing.T) {
	classes := smallTable(quixoShape)
	path := filepath.Join(t.TempDir(), "quixo-4x4.tb")
	w := create(t, path, quixoShape, false)
	for _, c := range classes {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("before Finish there is a table: %v", err)
		}
		if err := w.Seal(c.class, c.planes, c.counts); err != nil {
			t.Fatal(err)
		}
	}
	summary, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	table := open(t, path)
	if summary != (Summary{table.Identity(), table.Bytes()}) || summary.Bytes != int64(len(read(t, path))) {
		t.Errorf("summary %v of %d bytes", summary, len(read(t, path)))
	}
	left := slices.DeleteFunc(files(t, filepath.Dir(path)), func(name string) bool {
		return name == "quixo-4x4.tb.lock" // Windows keeps it
	})
	if !slices.Equal(left, []string{"quixo-4x4.tb"}) {
		t.Errorf("Finish leaves %v", left)
	}
	if err := w.Close(); err != nil {
		t.Errorf("Close after Finish: %v", err)
	}
	c := classes[0]
	_, load := w.Load(0)
	_, finish := w.Finish()
	for _, err := range []error{w.Seal(c.class, c.planes, c.counts), load, finish} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("after Finish: %v", err)
		}
	}
}

func TestCreateRefuses(t *testing.T) {
	dir := t.TempDir()
	finished := filepath.Join(dir, "finished.tb")
	writeAt(t, finished, quixoShape, smallTable(quixoShape), false)
	busy := filepath.Join(dir, "busy.tb")
	create(t, busy, quixoShape, false)
	begun := filepath.Join(dir, "begun.tb")
	create(t, begun, quixoShape, false).Close()
	newer := filepath.Join(dir, "newer.tb")
	create(t, newer, quixoShape, false).Close()
	manifest := read(t, newer+manifestSuffix)
	manifest[8] = 4
	sealHeader(manifest)
	if err := os.WriteFile(newer+manifestSuffix, manifest, 0o644); err != nil {
		t.Fatal(err)
	}
	outcomesOnly := Shape{Game: "quixo", Size: 4, Planes: 2}
	for _, test := range []struct {
		name, path string
		shape      Shape
		overwrite  bool
		want       error
		says       string
	}{
		{"finished", finished, quixoShape, false, ErrExists, "exists already"},
		{"busy", busy, quixoShape, false, ErrBusy, "another process is writing"},
		{"busy, overwrite", busy, quixoShape, true, ErrBusy, "wait for it"},
		{"other shape", begun, outcomesOnly, false, ErrOtherSolve, "quixo 4×4 with steps"},
		{"other version", newer, quixoShape, false, ErrOtherSolve, "version 4"},
		{"a directory", dir, quixoShape, true, ErrExists, "directory"},
		{"no such directory", filepath.Join(dir, "none", "t.tb"), quixoShape, false, fs.ErrNotExist, "choose another one"},
		{"below a file", filepath.Join(finished, "t.tb"), quixoShape, false, nil, "choose another one"},
		{"no name", busy, Shape{Size: 4, Planes: 2}, false, ErrInput, "0 characters"},
		{"bad name", busy, Shape{Game: "Quixo", Size: 4, Planes: 2}, false, ErrInput, "a-z"},
		{"size 0", busy, Shape{Game: "quixo", Planes: 2}, false, ErrInput, "0×0"},
		{"no planes", busy, Shape{Game: "quixo", Size: 4}, false, ErrInput, "planes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			checked := Check(test.path, test.shape, test.overwrite)
			w, err := Create(test.path, test.shape, test.overwrite)
			if err == nil {
				w.Close()
				t.Fatal("Create succeeds")
			}
			if checked == nil || checked.Error() != err.Error() {
				t.Errorf("Check says %v, Create %v", checked, err)
			}
			if test.want != nil && !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.path) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want %v that names the path and says %q", err, test.want, test.says)
			}
		})
	}
	if err := Check(begun, quixoShape, false); err != nil {
		t.Errorf("Check of a solve that would go on: %v", err)
	}
	for _, path := range []string{begun, newer} {
		before := read(t, path+manifestSuffix)
		if err := Check(path, outcomesOnly, true); err != nil || !bytes.Equal(before, read(t, path+manifestSuffix)) {
			t.Errorf("Check: %v", err)
		}
		w := create(t, path, outcomesOnly, true)
		if len(w.Sealed()) != 0 || w.Dropped() != "" {
			t.Errorf("starting over by force: %v, %q", w.Sealed(), w.Dropped())
		}
		w.Close()
	}
}

func TestReadOnlyDirectory(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o700) })
	if f, err := os.Create(filepath.Join(dir, "probe")); err == nil {
		f.Close()
		t.Skip("this user may write into a read-only directory")
	}
	path := filepath.Join(dir, "t.tb")
	if _, err := Create(path, quixoShape, false); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "make the directory writable") {
		t.Errorf("Create: %v", err)
	}
}

// TestSealRefuses hands over a class with one thing wrong at a time; the class
// can be sealed after all that.
func TestSealRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.tb")
	w := create(t, path, quixoShape, false)
	for name, spoil := range map[string]func(c *sealed){
		"masks descend":   func(c *sealed) { slices.Reverse(c.class.Masks) },
		"a mask twice":    func(c *sealed) { c.class.Masks[1] = c.class.Masks[0] },
		"a cell too many": func(c *sealed) { c.class.Masks[6] = 1 << 16 },
		"no masks":        func(c *sealed) { c.class.Masks = nil },
		"class 65":        func(c *sealed) { c.class.Class = 65 },
		"class -1":        func(c *sealed) { c.class.Class = -1 },
		"too many bits":   func(c *sealed) { c.class.IndexBits = 41 },
		"other bits":      func(c *sealed) { c.class.IndexBits = 7 },
		"Win too short":   func(c *sealed) { c.planes.Win = c.planes.Win[1:] },
		"Lose missing":    func(c *sealed) { c.planes.Lose = nil },
		"Steps too long":  func(c *sealed) { c.planes.Steps[1] = append(c.planes.Steps[1], 0) },
		"too many digits": func(c *sealed) { c.planes.Steps = make([][]uint64, maxDigits+1) },
		"won and lost":    func(c *sealed) { c.planes.Win[3] |= 4; c.planes.Lose[3] |= 4 },
		"steps of a draw": func(c *sealed) { c.planes.Win[3] &^= 4; c.planes.Lose[3] &^= 4; c.planes.Steps[1][3] |= 4 },
		"stray bits":      func(c *sealed) { c.planes.Win[2] |= 1 << 40 },
		"stray steps":     func(c *sealed) { c.planes.Steps[0][2] |= 1 << 40 },
		"too few weights": func(c *sealed) { c.counts.ByWeight = c.counts.ByWeight[1:] },
		"too many steps":  func(c *sealed) { c.counts.BySteps = make([]StepCounts, 5) },
	} {
		t.Run(name, func(t *testing.T) {
			c := randomClass(rand.New(rand.NewPCG(1, 1)), quixoShape, 5, 5, 7, 2)
			spoil(&c)
			if err := w.Seal(c.class, c.planes, c.counts); !errors.Is(err, ErrInput) {
				t.Errorf("Seal: %v", err)
			}
		})
	}
	if _, err := w.Finish(); !errors.Is(err, ErrInput) {
		t.Errorf("Finish of nothing: %v", err)
	}
	c := randomClass(rand.New(rand.NewPCG(1, 1)), quixoShape, 5, 5, 7, 2)
	if err := w.Seal(c.class, c.planes, c.counts); err != nil {
		t.Fatal(err)
	}
	if err := w.Seal(c.class, c.planes, c.counts); !errors.Is(err, ErrInput) {
		t.Errorf("sealing a class twice: %v", err)
	}
	if _, err := w.Load(1); !errors.Is(err, ErrInput) {
		t.Errorf("Load of a class that is not there: %v", err)
	}
	if _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	checkAll(t, open(t, path), quixoShape, []sealed{c})
}

// TestOneSolverAtATime has many solvers contend for a table; removing the lock
// file must let no two in.
func TestOneSolverAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.tb")
	var inside, entered atomic.Int32
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 100 {
				w, err := Create(path, quixoShape, false)
				if errors.Is(err, ErrBusy) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if n := inside.Add(1); n != 1 {
					t.Errorf("%d solvers at once", n)
				}
				entered.Add(1)
				inside.Add(-1)
				if err := w.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if entered.Load() == 0 {
		t.Error("no solver got the lock")
	}
}
