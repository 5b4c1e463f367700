package writer_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/writer"
)

// suffixes are those of the tables that a Writer writes.
var suffixes = []string{"", tablebase.PackedSuffix}

// finished returns the path of a table that was written at one go, packed afterwards if
// its name says so.
func finished(t testing.TB, s tablebase.Shape, classes []tabletest.Sealed, suffix string) string {
	path := tabletest.Write(t, s, classes)
	if suffix == tablebase.PackedSuffix {
		return tabletest.Pack(t, path)
	}
	return path
}

// appendTo adds bytes to a file.
func appendTo(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, append(tabletest.ReadFile(t, path), b...), 0o644); err != nil {
		t.Fatal(err)
	}
}

func noise(n int) []byte {
	b := make([]byte, n)
	r := rand.New(rand.NewPCG(4, 4))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// TestResumeGivesTheSameBytes interrupts a solve at drawn places, in drawn
// ways, any number of times.
func TestResumeGivesTheSameBytes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		shape := rapid.SampledFrom(tabletest.Shapes).Draw(rt, "shape")
		classes := tabletest.SmallTable(shape)
		suffix := rapid.SampledFrom(suffixes).Draw(rt, "suffix")
		once := tabletest.ReadFile(t, finished(t, shape, classes, suffix))
		path := filepath.Join(t.TempDir(), "resumed.tb"+suffix)
		overwrite := rapid.Bool().Draw(rt, "overwrite")
		kept := 0
		for rapid.Bool().Draw(rt, "interrupt") {
			w, err := writer.Create(path, shape, overwrite)
			if err != nil {
				rt.Fatal(err)
			}
			if w.Dropped() != "" || len(w.Sealed()) != kept {
				rt.Fatalf("%d classes resumed, want %d; dropped %q", len(w.Sealed()), kept, w.Dropped())
			}
			for i := range kept {
				if p, err := w.Load(i); err != nil || !tabletest.SamePlanes(p, classes[i].Planes) {
					rt.Fatalf("class %d was not kept: %v", i, err)
				}
			}
			end := rapid.IntRange(kept, len(classes)).Draw(rt, "sealed")
			for _, c := range classes[kept:end] {
				if err := w.Seal(c.Class, c.Planes, c.Counts); err != nil {
					rt.Fatal(err)
				}
			}
			kept = end
			if rapid.Bool().Draw(rt, "closed") {
				if err := w.Close(); err != nil {
					rt.Fatal(err)
				}
			} else {
				w.Kill()
				appendTo(t, path+tablebase.PartialSuffix, noise(rapid.IntRange(0, 3*format.PageSize).Draw(rt, "garbage")))
			}
		}
		tabletest.WriteAt(t, path, shape, classes, overwrite)
		if !bytes.Equal(tabletest.ReadFile(t, path), once) {
			rt.Fatal("the resumed table has other bytes")
		}
	})
}

// TestResumeAfterTheLastStep kills a solve when its partial file is complete,
// and when it is renamed already.
func TestResumeAfterTheLastStep(t *testing.T) {
	for _, suffix := range suffixes {
		t.Run("t.tb"+suffix, func(t *testing.T) { checkResumeAfterTheLastStep(t, suffix) })
	}
}

func checkResumeAfterTheLastStep(t *testing.T, suffix string) {
	classes := tabletest.SmallTable(tabletest.QuixoShape)
	once := tabletest.ReadFile(t, finished(t, tabletest.QuixoShape, classes, suffix))
	path := filepath.Join(t.TempDir(), "t.tb"+suffix)
	w := tabletest.Create(t, path, tabletest.QuixoShape, false)
	for _, c := range classes {
		if err := w.Seal(c.Class, c.Planes, c.Counts); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.WriteEnds(); err != nil {
		t.Fatal(err)
	}
	w.Kill()
	manifest := tabletest.ReadFile(t, path+tablebase.ManifestSuffix)
	tabletest.WriteAt(t, path, tabletest.QuixoShape, classes, false)
	if !bytes.Equal(tabletest.ReadFile(t, path), once) {
		t.Error("the resumed table has other bytes")
	}

	if err := os.WriteFile(path+tablebase.ManifestSuffix, manifest, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := writer.Create(path, tabletest.QuixoShape, false); !errors.Is(err, tablebase.ErrExists) {
		t.Errorf("Create: %v", err)
	}
	if err := writer.CleanUp(path); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path + tablebase.ManifestSuffix); err == nil {
		t.Error("the manifest of the finished table stays")
	}
	if err := os.WriteFile(path+tablebase.ManifestSuffix, manifest, 0o644); err != nil {
		t.Fatal(err)
	}
	w = tabletest.Create(t, path, tabletest.QuixoShape, true)
	if len(w.Sealed()) > 0 || w.Dropped() != "" {
		t.Errorf("solving again takes up %v, drops %q", w.Sealed(), w.Dropped())
	}
}

// TestOverwriteKeepsTheTableUntilFinish solves over a finished table.
func TestOverwriteKeepsTheTableUntilFinish(t *testing.T) {
	old := tabletest.SmallTable(tabletest.QuixoShape)
	path := tabletest.Write(t, tabletest.QuixoShape, old)
	r := rand.New(rand.NewPCG(9, 9))
	classes := []tabletest.Sealed{tabletest.RandomClass(r, tabletest.QuixoShape, 3, 8, 2, 1), tabletest.RandomClass(r, tabletest.QuixoShape, 2, 8, 2, 1)}
	w := tabletest.Create(t, path, tabletest.QuixoShape, true)
	if err := w.Seal(classes[0].Class, classes[0].Planes, classes[0].Counts); err != nil {
		t.Fatal(err)
	}
	w.Close()
	table := tabletest.Open(t, path)
	tabletest.CheckStored(t, table, old)
	table.Close() // Windows replaces no file that is mapped
	if w := tabletest.Create(t, path, tabletest.QuixoShape, true); len(w.Sealed()) != 1 {
		t.Errorf("an interrupted solve by force is not resumed: %v", w.Sealed())
	} else {
		w.Close()
	}
	tabletest.WriteAt(t, path, tabletest.QuixoShape, classes, true)
	tabletest.CheckStored(t, tabletest.Open(t, path), classes)
}

// A table has one lock and one interrupted solve, whether it is packed or not.
func TestOneSolveOfBothForms(t *testing.T) {
	classes := tabletest.SmallTable(tabletest.QuixoShape)
	forms := suffixes
	for i, suffix := range forms {
		dir := t.TempDir()
		path, other := filepath.Join(dir, "t.tb"+suffix), filepath.Join(dir, "t.tb"+forms[1-i])
		w := tabletest.Create(t, path, tabletest.QuixoShape, false)
		if err := w.Seal(classes[0].Class, classes[0].Planes, classes[0].Counts); err != nil {
			t.Fatal(err)
		}
		for _, overwrite := range []bool{false, true} {
			if _, err := writer.Create(other, tabletest.QuixoShape, overwrite); !errors.Is(err, tablebase.ErrBusy) {
				t.Errorf("beside %s: %v", path, err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{writer.Check(other, tabletest.QuixoShape, false), func() error { _, err := writer.Create(other, tabletest.QuixoShape, false); return err }()} {
			if e := (*tablebase.Error)(nil); !errors.As(err, &e) || e.Err != tablebase.ErrOtherSolve || e.Path != path+tablebase.PartialSuffix {
				t.Errorf("after %s: %v", path, err)
			}
		}
		again := tabletest.Create(t, other, tabletest.QuixoShape, true)
		if _, err := os.Stat(path + tablebase.PartialSuffix); err == nil || len(again.Sealed()) > 0 {
			t.Errorf("by force %s stays, or is resumed", path)
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestResumeAfterDamage spoils what an interrupted solve left, as a power cut
// may: the classes before the damage are kept, the rest is reported.
func TestResumeAfterDamage(t *testing.T) {
	classes := tabletest.SmallTable(tabletest.QuixoShape)
	once := tabletest.ReadFile(t, tabletest.Write(t, tabletest.QuixoShape, classes))
	dir := t.TempDir()
	model := filepath.Join(dir, "model.tb")
	w := tabletest.Create(t, model, tabletest.QuixoShape, false)
	var dataEnds, frameEnds []int
	for _, c := range classes[:3] {
		if err := w.Seal(c.Class, c.Planes, c.Counts); err != nil {
			t.Fatal(err)
		}
		data, listed := w.Ends()
		dataEnds, frameEnds = append(dataEnds, int(data)), append(frameEnds, int(listed))
	}
	w.Close()
	partial, manifest := tabletest.ReadFile(t, model+tablebase.PartialSuffix), tabletest.ReadFile(t, model+tablebase.ManifestSuffix)

	flip := func(at int) func(b []byte) []byte { return func(b []byte) []byte { b[at] ^= 1; return b } }
	cut := func(at int) func(b []byte) []byte { return func(b []byte) []byte { return b[:at] } }
	as := func(b []byte) []byte { return b }
	for _, test := range []struct {
		name              string
		partial, manifest func(b []byte) []byte
		kept              int
		says              string
	}{
		{"untouched", as, as, 3, ""},
		{"first class flipped", flip(format.PageSize), as, 0, "first 0 classes"},
		{"padding of the first class flipped", flip(dataEnds[0] - 1), as, 0, "class 9"},
		{"second class flipped", flip(dataEnds[0]), as, 1, "the outcomes of class 8"},
		{"masks of the third class flipped", flip(dataEnds[2] - format.PageSize), as, 2, "the masks of class 5"},
		{"data cut", cut(dataEnds[1] + 100), as, 2, "class 5"},
		{"data gone", cut(0), as, 0, "class 9"},
		{"manifest cut in a class", as, cut(frameEnds[1] - 1), 1, "ends within a class"},
		{"manifest cut in a length", as, cut(frameEnds[1] + 3), 2, "ends within a class"},
		{"manifest cut between classes", as, cut(frameEnds[1]), 2, ""},
		{"manifest record flipped", as, flip(frameEnds[0] + 30), 1, "checksum in the manifest"},
		{"manifest length flipped", as, flip(frameEnds[0]), 1, "manifest"},
		{"manifest start flipped", as, flip(20), 0, "unusable"},
		{"manifest magic flipped", as, flip(0), 0, "unusable"},
		{"manifest cut in its start", as, cut(33), 0, "unusable"},
		{"manifest emptied", as, cut(0), 0, "is gone"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "t.tb")
			if err := os.WriteFile(path+tablebase.PartialSuffix, test.partial(bytes.Clone(partial)), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path+tablebase.ManifestSuffix, test.manifest(bytes.Clone(manifest)), 0o644); err != nil {
				t.Fatal(err)
			}
			w := tabletest.Create(t, path, tabletest.QuixoShape, false)
			if len(w.Sealed()) != test.kept {
				t.Errorf("%d classes kept, want %d", len(w.Sealed()), test.kept)
			}
			if d := w.Dropped(); (d == "") != (test.says == "") || !strings.Contains(d, test.says) {
				t.Errorf("Dropped() = %q, want %q in it", d, test.says)
			}
			w.Close()
			if w := tabletest.Create(t, path, tabletest.QuixoShape, false); w.Dropped() != "" {
				t.Errorf("the second time, Dropped() = %q", w.Dropped())
			} else {
				w.Close()
			}
			tabletest.WriteAt(t, path, tabletest.QuixoShape, classes, false)
			if !bytes.Equal(tabletest.ReadFile(t, path), once) {
				t.Error("the resumed table has other bytes")
			}
		})
	}
}

// failing is a file on a disk that fills up, or breaks, after some operations.
type failing struct {
	writer.File
	left *int
}

// spend says whether this operation fails.
func (f failing) spend() bool {
	*f.left--
	return *f.left < 0
}

func (f failing) WriteAt(b []byte, at int64) (int, error) {
	if f.spend() {
		n, _ := f.File.WriteAt(b[:len(b)/2], at)
		return n, syscall.ENOSPC
	}
	return f.File.WriteAt(b, at)
}

func (f failing) Truncate(size int64) error {
	if f.spend() {
		return syscall.EIO
	}
	return f.File.Truncate(size)
}

func (f failing) Sync() error {
	if f.spend() {
		return syscall.EIO
	}
	return f.File.Sync()
}

// TestDiskFails lets every single operation on the disk fail, and goes on both
// with the same writer and with a new one.
func TestDiskFails(t *testing.T) {
	for _, suffix := range suffixes {
		t.Run("t.tb"+suffix, func(t *testing.T) { checkDiskFails(t, suffix) })
	}
}

func checkDiskFails(t *testing.T, suffix string) {
	classes := tabletest.SmallTable(tabletest.QuixoShape)
	once := tabletest.ReadFile(t, finished(t, tabletest.QuixoShape, classes, suffix))
	for _, sameWriter := range []bool{true, false} {
		for operations := 0; ; operations++ {
			path := filepath.Join(t.TempDir(), "t.tb"+suffix)
			w := tabletest.Create(t, path, tabletest.QuixoShape, false)
			*w.Synced() = w.Synced().Add(-1000 * writer.SyncEvery) // so that Seal flushes, once
			left := operations
			data, list := w.Files()
			*data, *list = failing{*data, &left}, failing{*list, &left}
			failures := 0
			check := func(err error) bool {
				if err == nil {
					return true
				}
				failures++
				if !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), path) ||
					!strings.Contains(err.Error(), "solve again") {
					t.Fatalf("operation %d: %v", operations, err)
				}
				left = 1 << 30 // there is room again
				if !sameWriter {
					w.Close()
					w = tabletest.Create(t, path, tabletest.QuixoShape, false)
				}
				return false
			}
			for len(w.Sealed()) < len(classes) {
				c := classes[len(w.Sealed())]
				check(w.Seal(c.Class, c.Planes, c.Counts))
			}
			for {
				if _, err := w.Finish(); check(err) {
					break
				}
				if sameWriter {
					continue
				}
				if len(w.Sealed()) != len(classes) {
					t.Fatalf("operation %d: Finish lost classes: %d left", operations, len(w.Sealed()))
				}
			}
			if !bytes.Equal(tabletest.ReadFile(t, path), once) {
				t.Fatalf("operation %d: the table has other bytes", operations)
			}
			if failures == 0 {
				if operations < 10 {
					t.Fatalf("only %d operations could fail", operations)
				}
				break
			}
		}
	}
}

// TestLoadFails has sealed data damaged under the writer.
func TestLoadFails(t *testing.T) {
	classes := tabletest.SmallTable(tabletest.QuixoShape)
	path := filepath.Join(t.TempDir(), "t.tb")
	w := tabletest.Create(t, path, tabletest.QuixoShape, false)
	if err := w.Seal(classes[0].Class, classes[0].Planes, classes[0].Counts); err != nil {
		t.Fatal(err)
	}
	partial, _ := w.Files()
	if _, err := (*partial).WriteAt([]byte{1, 2, 3}, format.PageSize+5); err != nil {
		t.Fatal(err)
	}
	var e *tablebase.Error
	if _, err := w.Load(0); !errors.Is(err, tablebase.ErrDamaged) || !errors.As(err, &e) || len(e.Damaged) != 1 || e.Damaged[0].Part != "outcomes" {
		t.Errorf("damaged: %v", err)
	}
	if err := (*partial).Truncate(format.PageSize + 5); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Load(0); !errors.Is(err, tablebase.ErrTruncated) || errors.Is(err, io.EOF) {
		t.Errorf("cut: %v", err)
	}
}

// TestFinishReadsBack has something else write to the partial file in the middle of
// a solve: no table gets its name, and the next run mends it.
func TestFinishReadsBack(t *testing.T) {
	t.Run("cached", checkFinishReadsBack)
	// What Seal has read back is read again, as the file is not as Seal left it.
	defer writer.EveryPartDirect()()
	t.Run("direct", checkFinishReadsBack)
}

func checkFinishReadsBack(t *testing.T) {
	classes := tabletest.SmallTable(tabletest.QuixoShape)
	once := tabletest.ReadFile(t, tabletest.Write(t, tabletest.QuixoShape, classes))
	for name, spoil := range map[string]func(t *testing.T, f *os.File, size int64) error{
		"zeroed": func(t *testing.T, f *os.File, size int64) error {
			_, err := f.WriteAt(make([]byte, size), 0)
			return err
		},
		"a bit": func(t *testing.T, f *os.File, size int64) error {
			_, err := f.WriteAt([]byte{0x55}, format.PageSize+17)
			return err
		},
		"what fills up": func(t *testing.T, f *os.File, size int64) error {
			_, err := f.WriteAt([]byte{1}, size-1)
			return err
		},
		"cut in the middle": func(t *testing.T, f *os.File, size int64) error { return f.Truncate(size / 2) },
		"cut to nothing":    func(t *testing.T, f *os.File, size int64) error { return f.Truncate(0) },
		"another file in its place": func(t *testing.T, f *os.File, size int64) error {
			if err := os.Remove(f.Name()); err != nil {
				t.Skip("an open file cannot be removed here: ", err)
			}
			return os.WriteFile(f.Name(), make([]byte, size), 0o644)
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "t.tb")
			w := tabletest.Create(t, path, tabletest.QuixoShape, false)
			var err error
			for i, c := range classes {
				// What went around the cache is read back beside the next class.
				if err = w.Seal(c.Class, c.Planes, c.Counts); err != nil {
					break
				}
				if i != 1 {
					continue
				}
				f, err := os.OpenFile(path+tablebase.PartialSuffix, os.O_RDWR, 0)
				if err != nil {
					t.Fatal(err)
				}
				data, _ := w.Ends()
				if err := spoil(t, f, data); err != nil {
					t.Fatal(err)
				}
				f.Close()
			}
			if err == nil {
				_, err = w.Finish()
			}
			if err == nil || !strings.Contains(err.Error(), path+tablebase.PartialSuffix) || !strings.Contains(err.Error(), "solve again") {
				t.Errorf("Finish: %v", err)
			}
			w.Close()
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a table has its name: %v", err)
			}
			tabletest.WriteAt(t, path, tabletest.QuixoShape, classes, false)
			if !bytes.Equal(tabletest.ReadFile(t, path), once) {
				t.Error("the next run makes other bytes")
			}
		})
	}
}
