package writer_test

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

	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/writer"
)

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
	classes := tabletest.SmallTable(tabletest.QuixoShape)
	path := filepath.Join(t.TempDir(), "quixo-4x4.tb")
	w := tabletest.Create(t, path, tabletest.QuixoShape, false)
	for _, c := range classes {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("before Finish there is a table: %v", err)
		}
		if err := w.Seal(c.Class, c.Planes, c.Counts); err != nil {
			t.Fatal(err)
		}
	}
	summary, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	table := tabletest.Open(t, path)
	if summary != (tablebase.Summary{Identity: table.Identity(), Bytes: table.Bytes()}) || summary.Bytes != int64(len(tabletest.ReadFile(t, path))) {
		t.Errorf("summary %v of %d bytes", summary, len(tabletest.ReadFile(t, path)))
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
	for _, err := range []error{w.Seal(c.Class, c.Planes, c.Counts), load, finish} {
		if !errors.Is(err, tablebase.ErrClosed) {
			t.Errorf("after Finish: %v", err)
		}
	}
}

func TestCreateRefuses(t *testing.T) {
	dir := t.TempDir()
	finished := filepath.Join(dir, "finished.tb")
	tabletest.WriteAt(t, finished, tabletest.QuixoShape, tabletest.SmallTable(tabletest.QuixoShape), false)
	busy := filepath.Join(dir, "busy.tb")
	tabletest.Create(t, busy, tabletest.QuixoShape, false)
	begun := filepath.Join(dir, "begun.tb")
	tabletest.Create(t, begun, tabletest.QuixoShape, false).Close()
	newer := filepath.Join(dir, "newer.tb")
	tabletest.Create(t, newer, tabletest.QuixoShape, false).Close()
	manifest := tabletest.ReadFile(t, newer+tablebase.ManifestSuffix)
	manifest[8] = 4
	format.SealHeader(manifest)
	if err := os.WriteFile(newer+tablebase.ManifestSuffix, manifest, 0o644); err != nil {
		t.Fatal(err)
	}
	outcomesOnly := tablebase.Shape{Game: "quixo", Size: 4, Planes: 2}
	for _, test := range []struct {
		name, path string
		shape      tablebase.Shape
		overwrite  bool
		want       error
		says       string
	}{
		{"finished", finished, tabletest.QuixoShape, false, tablebase.ErrExists, "exists already"},
		{"busy", busy, tabletest.QuixoShape, false, tablebase.ErrBusy, "another process is writing"},
		{"busy, overwrite", busy, tabletest.QuixoShape, true, tablebase.ErrBusy, "wait for it"},
		{"other shape", begun, outcomesOnly, false, tablebase.ErrOtherSolve, "quixo 4×4 with steps"},
		{"other version", newer, tabletest.QuixoShape, false, tablebase.ErrOtherSolve, "version 4"},
		{"a directory", dir, tabletest.QuixoShape, true, tablebase.ErrExists, "directory"},
		{"no such directory", filepath.Join(dir, "none", "t.tb"), tabletest.QuixoShape, false, fs.ErrNotExist, "choose another one"},
		{"below a file", filepath.Join(finished, "t.tb"), tabletest.QuixoShape, false, nil, "choose another one"},
		{"no name", busy, tablebase.Shape{Size: 4, Planes: 2}, false, tablebase.ErrInput, "0 characters"},
		{"bad name", busy, tablebase.Shape{Game: "Quixo", Size: 4, Planes: 2}, false, tablebase.ErrInput, "a-z"},
		{"size 0", busy, tablebase.Shape{Game: "quixo", Planes: 2}, false, tablebase.ErrInput, "0×0"},
		{"no planes", busy, tablebase.Shape{Game: "quixo", Size: 4}, false, tablebase.ErrInput, "planes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			checked := writer.Check(test.path, test.shape, test.overwrite)
			w, err := writer.Create(test.path, test.shape, test.overwrite)
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
	if err := writer.Check(begun, tabletest.QuixoShape, false); err != nil {
		t.Errorf("Check of a solve that would go on: %v", err)
	}
	for _, path := range []string{begun, newer} {
		before := tabletest.ReadFile(t, path+tablebase.ManifestSuffix)
		if err := writer.Check(path, outcomesOnly, true); err != nil || !bytes.Equal(before, tabletest.ReadFile(t, path+tablebase.ManifestSuffix)) {
			t.Errorf("Check: %v", err)
		}
		w := tabletest.Create(t, path, outcomesOnly, true)
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
	if _, err := writer.Create(path, tabletest.QuixoShape, false); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "make the directory writable") {
		t.Errorf("Create: %v", err)
	}
}

// TestSealRefuses hands over a class with one thing wrong at a time; the class
// can be sealed after all that.
func TestSealRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.tb")
	w := tabletest.Create(t, path, tabletest.QuixoShape, false)
	for name, spoil := range map[string]func(c *tabletest.Sealed){
		"masks descend":    func(c *tabletest.Sealed) { slices.Reverse(c.Class.Masks) },
		"a mask twice":     func(c *tabletest.Sealed) { c.Class.Masks[1] = c.Class.Masks[0] },
		"a cell too many":  func(c *tabletest.Sealed) { c.Class.Masks[6] = 1 << 16 },
		"no masks":         func(c *tabletest.Sealed) { c.Class.Masks = nil },
		"class 65":         func(c *tabletest.Sealed) { c.Class.Class = 65 },
		"class -1":         func(c *tabletest.Sealed) { c.Class.Class = -1 },
		"too many bits":    func(c *tabletest.Sealed) { c.Class.IndexBits = 41 },
		"other bits":       func(c *tabletest.Sealed) { c.Class.IndexBits = 7 },
		"Win too short":    func(c *tabletest.Sealed) { c.Planes.Win = c.Planes.Win[1:] },
		"Lose missing":     func(c *tabletest.Sealed) { c.Planes.Lose = nil },
		"Steps too long":   func(c *tabletest.Sealed) { c.Planes.Steps[1] = append(c.Planes.Steps[1], 0) },
		"too many digits":  func(c *tabletest.Sealed) { c.Planes.Steps = make([][]uint64, format.MaxDigits+1) },
		"won and lost":     func(c *tabletest.Sealed) { c.Planes.Win[3] |= 4; c.Planes.Lose[3] |= 4 },
		"steps of a draw":  func(c *tabletest.Sealed) { c.Planes.Win[3] &^= 4; c.Planes.Lose[3] &^= 4; c.Planes.Steps[1][3] |= 4 },
		"stray bits":       func(c *tabletest.Sealed) { c.Planes.Win[2] |= 1 << 40 },
		"stray steps":      func(c *tabletest.Sealed) { c.Planes.Steps[0][2] |= 1 << 40 },
		"outcomes by runs": func(c *tabletest.Sealed) { c.Planes.Outcomes = &tablebase.RunReader{Run: 64} },
		"too few weights":  func(c *tabletest.Sealed) { c.Counts.ByWeight = c.Counts.ByWeight[1:] },
		"too many steps":   func(c *tabletest.Sealed) { c.Counts.BySteps = make([]tablebase.StepCounts, 5) },
	} {
		t.Run(name, func(t *testing.T) {
			c := tabletest.RandomClass(rand.New(rand.NewPCG(1, 1)), tabletest.QuixoShape, 5, 5, 7, 2)
			spoil(&c)
			if err := w.Seal(c.Class, c.Planes, c.Counts); !errors.Is(err, tablebase.ErrInput) {
				t.Errorf("Seal: %v", err)
			}
		})
	}
	if _, err := w.Finish(); !errors.Is(err, tablebase.ErrInput) {
		t.Errorf("Finish of nothing: %v", err)
	}
	c := tabletest.RandomClass(rand.New(rand.NewPCG(1, 1)), tabletest.QuixoShape, 5, 5, 7, 2)
	if err := w.Seal(c.Class, c.Planes, c.Counts); err != nil {
		t.Fatal(err)
	}
	if err := w.Seal(c.Class, c.Planes, c.Counts); !errors.Is(err, tablebase.ErrInput) {
		t.Errorf("sealing a class twice: %v", err)
	}
	if _, err := w.Load(1); !errors.Is(err, tablebase.ErrInput) {
		t.Errorf("Load of a class that is not there: %v", err)
	}
	if _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	tabletest.CheckStored(t, tabletest.Open(t, path), []tabletest.Sealed{c})
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
				w, err := writer.Create(path, tabletest.QuixoShape, false)
				if errors.Is(err, tablebase.ErrBusy) {
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

// goldenTable returns the classes of testdata/v1.tb, as the reader's TestGolden knows them.
func goldenTable(t *testing.T) (classes []tabletest.Sealed) {
	table := tabletest.Open(t, tabletest.Golden("v1.tb"))
	for i, c := range table.Classes() {
		s := tabletest.Sealed{Class: tablebase.Class{Class: c.Class, IndexBits: c.IndexBits}, Counts: c.Counts}
		var err error
		if s.Class.Masks, err = table.Masks(i); err == nil {
			err = table.Planes(i, 0, c.Blocks, &s.Planes)
		}
		if err != nil {
			t.Fatal(err)
		}
		classes = append(classes, s)
	}
	return classes
}

// TestGolden writes the table of format version 1 that the reader's TestGolden reads.
func TestGolden(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.tb")
	w := tabletest.Create(t, path, tabletest.QuixoShape, false)
	for _, c := range goldenTable(t) {
		if err := w.SealUnchecked(c.Class, c.Planes, c.Counts); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(tabletest.ReadFile(t, path), tabletest.ReadFile(t, tabletest.Golden("v1.tb"))) {
		t.Error("the same classes are written with other bytes")
	}
}
