package writer_test

import (
	"bytes"
	"errors"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/writer"
)

// inMemory is a place for what others write of a table.
type inMemory struct{ written, table []byte }

func (m *inMemory) ReadAt(b []byte, at int64) (int, error) {
	n := copy(b, m.written[min(at, int64(len(m.written))):])
	if n < len(b) {
		return n, io.ErrUnexpectedEOF
	}
	return n, nil
}

func (m *inMemory) WriteAt(b []byte, at int64) (int, error) {
	m.written = append(m.written, make([]byte, max(0, at+int64(len(b))-int64(len(m.written))))...)
	return copy(m.written[at:], b), nil
}

func (m *inMemory) Truncate(size int64) error {
	m.written = m.written[:min(size, int64(len(m.written)))]
	return nil
}

func (m *inMemory) Complete(rest io.ReaderAt, runs []format.Extent, length int64) error {
	m.table = make([]byte, length)
	if _, err := io.ReadFull(io.NewSectionReader(rest, 0, length), m.table); err != nil {
		return err
	}
	for _, run := range runs {
		copy(m.table[run.Offset:][:run.Length], m.written[run.Offset:])
	}
	return nil
}

// elsewhere is the place as a writer takes it.
func (m *inMemory) elsewhere() *writer.Elsewhere {
	return &writer.Elsewhere{ReaderAt: m, Truncate: m.Truncate, Complete: m.Complete}
}

// seal writes a class elsewhere, in two stretches, and seals it.
func (m *inMemory) seal(t *testing.T, w *writer.Writer, c tabletest.Sealed) {
	t.Helper()
	if err := sealWritten(t, w, c, m); err != nil {
		t.Fatal(err)
	}
}

// sealWritten writes a class in two stretches, into the file of the layout unless it is to be elsewhere, and
// seals it.
func sealWritten(t *testing.T, w *writer.Writer, c tabletest.Sealed, to io.WriterAt) error {
	t.Helper()
	parts, file, err := w.Layout(c.Class, c.Counts)
	if err != nil {
		t.Fatal(err)
	}
	if to == nil {
		f, err := os.OpenFile(file, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		to = f
	}
	sums := make([][]uint32, len(parts))
	for i, columns := range [][][]uint64{format.OutcomePlanes(&c.Planes), c.Planes.Steps} {
		p := parts[i]
		var pieces []uint32
		var words []int64
		for first := int64(0); p.Columns > 0 && first < p.Words; first += words[len(words)-1] {
			words = append(words, min((p.Words+1)/2, p.Words-first))
			var run [][]uint64
			for _, column := range columns {
				run = append(run, column[first:][:words[len(words)-1]])
			}
			of, err := p.WriteStretch(to, first, run)
			if err != nil {
				t.Fatal(err)
			}
			pieces = append(pieces, of...)
		}
		sums[i] = p.JoinSums(words, pieces)
	}
	return w.SealWritten(c.Class, c.Counts, sums)
}

// Classes that other processes write are sealed into the bytes of any other table, plain or packed, and
// nothing is left beside it. What changes before it is packed is found.
func TestSealWritten(t *testing.T) {
	classes := asSolved(tabletest.QuixoShape)
	for _, name := range []string{"quixo-4x4.tb", "quixo-4x4.tb.zst"} {
		var made [2][]byte
		for i := range made {
			path := filepath.Join(t.TempDir(), name)
			w := tabletest.Create(t, path, tabletest.QuixoShape, false)
			for _, c := range classes {
				seal := func() error { return w.Seal(c.Class, c.Planes, c.Counts) }
				if i == 1 {
					seal = func() error { return sealWritten(t, w, c, nil) }
				}
				if err := seal(); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := w.Finish(); err != nil {
				t.Fatal(err)
			}
			made[i] = tabletest.ReadFile(t, path)
			if left := files(t, filepath.Dir(path)); len(left) > 2 {
				t.Errorf("%v are left", left)
			}
		}
		if !bytes.Equal(made[0], made[1]) {
			t.Errorf("%s differs", name)
		}
	}
	w := tabletest.Create(t, filepath.Join(t.TempDir(), "quixo-4x4.tb.zst"), tabletest.QuixoShape, false)
	defer w.Close()
	if err := sealWritten(t, w, classes[0], forgetful{}); !errors.Is(err, tablebase.ErrDamaged) && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("nothing was written: %v", err)
	}
}

// forgetful is a file that keeps nothing.
type forgetful struct{}

func (forgetful) WriteAt(b []byte, _ int64) (int, error) { return len(b), nil }

// asSolved returns classes as solves have them, without a digit that is 0 everywhere.
func asSolved(shape tablebase.Shape) []tabletest.Sealed {
	classes := tabletest.SmallTable(shape)
	for i := range classes {
		c := &classes[i]
		c.Planes.Steps = c.Planes.Steps[:min(len(c.Planes.Steps), bits.Len(uint(max(0, len(c.Counts.BySteps)-1))))]
	}
	return classes
}

// A table whose planes are elsewhere is completed there, with the bytes of any other; an interrupted
// solve resumes after what is whole there.
func TestElsewhere(t *testing.T) {
	classes := asSolved(tabletest.QuixoShape)
	path := filepath.Join(t.TempDir(), "quixo-4x4.tb")
	plain := filepath.Join(t.TempDir(), "quixo-4x4.tb")
	want := tabletest.Create(t, plain, tabletest.QuixoShape, false)
	for _, c := range classes {
		if err := want.Seal(c.Class, c.Planes, c.Counts); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := want.Finish(); err != nil {
		t.Fatal(err)
	}
	place := &inMemory{}
	begin := func() *writer.Writer {
		w, err := writer.CreateElsewhere(path, tabletest.QuixoShape, false, place.elsewhere())
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	w := begin()
	if err := w.Seal(classes[0].Class, classes[0].Planes, classes[0].Counts); err == nil || !strings.Contains(err.Error(), "elsewhere") {
		t.Errorf("written here: %v", err)
	}
	for i, c := range classes {
		place.seal(t, w, c)
		var got tablebase.Planes
		if err := w.LoadRun(i, 0, len(c.Class.Masks), &got); err != nil || !slices.EqualFunc(format.OutcomePlanes(&got), format.OutcomePlanes(&c.Planes), slices.Equal[[]uint64]) {
			t.Errorf("class %d reads otherwise: %v", c.Class.Class, err)
		}
		if i == 2 { // it is interrupted, and the last class damaged
			w.Close()
			place.written[len(place.written)-1] ^= 1
			if w = begin(); len(w.Sealed()) != 2 || w.Dropped() == "" {
				t.Errorf("%d classes are whole: %s", len(w.Sealed()), w.Dropped())
			}
			if int64(len(place.written)) > w.Written() {
				t.Error("what is not whole is left elsewhere")
			}
			place.seal(t, w, c)
		}
	}
	w.Close()
	w = begin() // all is there
	if n := len(w.Sealed()); n != len(classes) {
		t.Errorf("%d classes are resumed: %s", n, w.Dropped())
	}
	if _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(place.table, tabletest.ReadFile(t, plain)) {
		t.Error("the table differs")
	}
	left := slices.DeleteFunc(files(t, filepath.Dir(path)), func(name string) bool { return strings.HasSuffix(name, ".lock") })
	if len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}
