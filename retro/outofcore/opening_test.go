package outofcore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"backsolve/internal/plan"
	"backsolve/partition"
	"backsolve/retro"
	"backsolve/tablebase"
	"backsolve/tablebase/reader"
	"backsolve/tablebase/writer"
)

// beginOpening creates or resumes the opening table of a space.
func beginOpening(t *testing.T, path string, space *partition.Space, classes int) *Opening {
	t.Helper()
	shape := tablebase.Shape{Game: space.Game, Size: space.Size, Planes: 1, Opening: classes <= space.MaskBits}
	w, err := writer.Create(path, shape, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return &Opening{w, classes}
}

// compareOpening compares the classes of an opening table with those of the whole table.
func compareOpening(t *testing.T, path string, classes int, whole *reader.Table) {
	t.Helper()
	opening, err := reader.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer opening.Close()
	got, want := opening.Classes(), whole.Classes()
	skipped := len(want) - classes
	if !reflect.DeepEqual(got, want[skipped:]) {
		t.Fatalf("classes %+v, not %+v", got, want[skipped:])
	}
	for i, c := range got {
		var a, b tablebase.Planes
		if err := errors.Join(opening.Planes(i, 0, c.Blocks, &a), whole.Planes(skipped+i, 0, c.Blocks, &b)); err != nil {
			t.Fatal(err)
		}
		m, err := opening.Masks(i)
		n, err2 := whole.Masks(skipped + i)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(a, b) || !reflect.DeepEqual(m, n) {
			t.Fatalf("class %d differs from that of the whole table", c.Class)
		}
	}
}

// The opening table has the bits and counts of the whole table, with and without halves. With all
// classes it is that table.
func TestOpeningIsOfTheTable(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5} {
		space := spaceAfter(t, n, 0)
		whole := table(t, space)
		for _, classes := range []int{1, min(4, space.MaskBits+1), space.MaskBits + 1} {
			path := filepath.Join(t.TempDir(), "table.tb")
			f := open(t, path+".work", space, false)
			o := beginOpening(t, path, space, classes)
			if _, err := f.Solve(t.Context(), Options{Packed: n%2 == 1, Opening: o}); err != nil {
				t.Fatal(err)
			}
			if _, err := o.Writer.Finish(); err != nil {
				t.Fatal(err)
			}
			compareOpening(t, path, classes, whole)
			if classes == space.MaskBits+1 {
				made, err := reader.Open(path)
				if err != nil || made.Identity() != whole.Identity() {
					t.Errorf("n = %d: all classes are another table: %v", n, err)
				}
				made.Close()
			}
			f.Close()
		}
	}
}

// A solve that is interrupted again and again ends with the same opening table.
func TestOpeningResumes(t *testing.T) {
	for _, n := range []int{4, 5} {
		space := spaceAfter(t, n, 0)
		whole := table(t, space)
		path := filepath.Join(t.TempDir(), "table.tb")
		done := false
		for i := 0; !done; i++ {
			if i > 300 {
				t.Fatal("the solve does not get on")
			}
			f := open(t, path+".work", space, false)
			o := beginOpening(t, path, space, 6)
			ctx, stop := context.WithCancelCause(t.Context())
			events := 0
			_, err := f.Solve(ctx, Options{Packed: true, Opening: o, Options: retro.Options{Threads: 2, Progress: func(tablebase.Event) {
				if events++; events == 25+i {
					stop(errStop)
				}
			}}})
			stop(nil)
			if err != nil && !errors.Is(err, errStop) {
				t.Fatal(err)
			}
			if done = err == nil; done {
				if _, err := o.Writer.Finish(); err != nil {
					t.Fatal(err)
				}
			}
			o.Writer.Close()
			f.Close()
		}
		compareOpening(t, path, 6, whole)
	}
}

// Solved classes whose slices are gone are an error, not left out.
func TestOpeningThatComesTooLate(t *testing.T) {
	for _, n := range []int{4, 5} {
		space := spaceAfter(t, n, 0)
		dir := t.TempDir()
		path := filepath.Join(dir, "table.tb")
		half(t, path+".work", space, false)
		f := open(t, path+".work", space, false)
		for _, c := range []struct {
			classes int
			err     error
		}{{7, ErrGone}, {5, nil}} {
			_, err := f.Solve(t.Context(), Options{Opening: beginOpening(t, filepath.Join(dir, fmt.Sprint(c.classes)), space, c.classes)})
			if !errors.Is(err, c.err) {
				t.Errorf("n = %d, %d classes: %v, want %v", n, c.classes, err, c.err)
			}
		}
		// All is solved now; the slices of the last class are there.
		if _, err := f.Solve(t.Context(), Options{Opening: beginOpening(t, filepath.Join(dir, "last"), space, 1)}); err != nil {
			t.Errorf("n = %d: the last class is still there: %v", n, err)
		}
		if _, err := f.Solve(t.Context(), Options{Opening: beginOpening(t, filepath.Join(dir, "late"), space, 2)}); !errors.Is(err, ErrGone) {
			t.Errorf("n = %d: class 1 is gone: %v", n, err)
		}
		f.Close()
		for _, file := range []string{".class-00", ".class-00-set"} {
			os.Remove(path + ".work" + file)
		}
		f = open(t, path+".work", space, false)
		if _, err := f.Solve(t.Context(), Options{Opening: beginOpening(t, filepath.Join(dir, "later"), space, 1)}); !errors.Is(err, ErrGone) {
			t.Errorf("n = %d: class 0 is gone: %v", n, err)
		}
		f.Close()
	}
}

// An opening table with other classes is refused.
func TestOpeningOfOtherClasses(t *testing.T) {
	space := spaceAfter(t, 4, 0)
	path := filepath.Join(t.TempDir(), "table.tb")
	f := open(t, path+".work", space, false)
	o := beginOpening(t, path, space, 3)
	if _, err := f.Solve(t.Context(), Options{Opening: o}); err != nil {
		t.Fatal(err)
	}
	if err := f.Discard(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Solve(t.Context(), Options{Opening: &Opening{o.Writer, 5}}); !errors.Is(err, ErrGone) {
		t.Errorf("classes 2 to 0 are taken for some of five: %v", err)
	}
	if _, err := os.Stat(path + ".partial"); err != nil {
		t.Error("what was sealed is gone")
	}
}

// The number of classes that fit is estimated from the size of the table.
func TestOpeningClasses(t *testing.T) {
	space := spaceAfter(t, 7, 0)
	if got := plan.OpeningClasses(space, 6<<30); got != 7 {
		t.Errorf("%d classes of 7×7 fit in 6 GiB, not 7", got)
	}
	for classes := range space.MaskBits + 1 {
		bytes := plan.OpeningBytes(space, classes+1)
		if got, less := plan.OpeningClasses(space, bytes), plan.OpeningClasses(space, bytes-1); got != classes+1 || less != classes {
			t.Errorf("%d bytes are taken for %d classes, one less for %d", bytes, got, less)
		}
	}
}
