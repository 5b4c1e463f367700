package outofcore

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/durable"
	"backsolve/partition"
	"backsolve/partition/spacetest"
	"backsolve/retro"
	"backsolve/tablebase"
	"backsolve/tablebase/reader"
	"backsolve/tablebase/writer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// spaceAfter returns the space of Notakto after taken cells.
func spaceAfter(t *testing.T, n int, taken uint64) *partition.Space {
	t.Helper()
	_, space := spacetest.After(t, "notakto", n, taken)
	return space
}

// open opens work files and closes them at the end of the test.
func open(t *testing.T, path string, space *partition.Space, force bool) *Files {
	t.Helper()
	f, err := Open(path, space, force)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// table solves a space into a table.
func table(t *testing.T, space *partition.Space) *reader.Table {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table.tb")
	w, err := writer.Create(path, tablebase.Shape{Game: space.Game, Size: space.Size, Planes: 1}, false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := retro.Solve(t.Context(), space, w, retro.Options{}); err != nil {
		t.Fatal(err)
	}
	table, err := reader.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}

// afterBoards are games of Notakto after given moves.
var afterBoards = []struct {
	n     int
	taken uint64
}{{1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}, {4, 1 << 5}, {5, 1 << 12}, {5, 1 << 3}, {5, 1<<0 | 1<<13}}

// streamed solves a space with memory for the given number of blocks.
func streamed(t *testing.T, space *partition.Space, path string, blocks int64, o Options) *Result {
	t.Helper()
	least := o.Plan(space).Least()
	o.Memory = least + blocks*(o.Plan(space).BlockMemory())
	f := open(t, path, space, false)
	r, err := f.Solve(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Remove(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return r
}

// A solve out of core has the counts of a solve in memory, however few blocks fit.
func TestStreamAgreesWithSolve(t *testing.T) {
	for _, b := range append(afterBoards, struct {
		n     int
		taken uint64
	}{6, 1 << 0}) {
		if b.n == 6 && os.Getenv("BACKSOLVE_LONG") == "" { // it takes two minutes
			continue
		}
		t.Run(fmt.Sprintf("%d-%x", b.n, b.taken), func(t *testing.T) {
			space := spaceAfter(t, b.n, b.taken)
			table := table(t, space)
			want := classCounts(table.Classes())
			at := space.Locate(game.Position{X: b.taken})
			entry, err := table.Lookup(at.Class, 0, uint64(at.Index))
			if err != nil {
				t.Fatal(err)
			}
			memories := []int64{0, 3, 100_000}
			if b.n == 6 {
				memories = []int64{500, 100_000}
			}
			for i, blocks := range memories {
				dir := t.TempDir()
				o := Options{Options: retro.Options{Threads: 3}, Packed: i != 1}
				got := streamed(t, space, filepath.Join(dir, "s"), blocks, o)
				if !reflect.DeepEqual(got.Classes, want) {
					t.Errorf("memory for %d blocks more: other counts than those of the table", blocks)
				}
				if got.Start.Won != (entry.Outcome == game.Win) {
					t.Errorf("the start is won: %v, the table says %v", got.Start.Won, entry.Outcome)
				}
				checkFirst(t, space, table, got)
				if left, _ := os.ReadDir(dir); len(left) != 0 {
					t.Errorf("work files are left: %v", left)
				}
			}
		})
	}
}

// checkFirst compares the values of the first moves with those of a table.
func checkFirst(t *testing.T, space *partition.Space, table *reader.Table, got *Result) {
	t.Helper()
	moves := space.Size*space.Size - bits.OnesCount64(space.Taken)
	if len(got.First) != moves {
		t.Errorf("%d first moves, not %d", len(got.First), moves)
	}
	for _, v := range got.First {
		at := space.Locate(v.Position)
		block, found, err := table.Find(at.Class, at.Mask)
		if err != nil || !found || bits.OnesCount64(v.Position.X&^space.Taken) != 1 {
			t.Fatalf("%#x: %v", v.Position.X, err)
		}
		entry, err := table.Lookup(at.Class, block, uint64(at.Index))
		if err != nil {
			t.Fatal(err)
		}
		if v.Won != (entry.Outcome == game.Win) {
			t.Errorf("%#x is won: %v, the table says %v", v.Position.X, v.Won, entry.Outcome)
		}
	}
}

func classCounts(infos []tablebase.ClassInfo) (c []ClassCounts) {
	for _, i := range infos {
		c = append(c, ClassCounts{i.Class, i.IndexBits, i.Blocks, i.Counts})
	}
	return c
}

var errStop = errors.New("stopped by the test")

// interrupted cancels a solve at the n-th event. It reports whether the solve was done before.
func interrupted(t *testing.T, f *Files, n int) (*Result, bool) {
	t.Helper()
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	events := 0
	r, err := f.Solve(ctx, Options{Options: retro.Options{Threads: 2, Progress: func(tablebase.Event) {
		if events++; events == n {
			stop(errStop)
		}
	}}, Packed: n%3 == 0})
	if err != nil && !errors.Is(err, errStop) {
		t.Fatal(err)
	}
	return r, err == nil
}

// An interrupted solve resumes, ends with the same counts, and leaves no files.
func TestResume(t *testing.T) {
	for _, taken := range []uint64{1 << 12, 0} { // without and with halves
		resume(t, spaceAfter(t, 5, taken))
	}
}

func resume(t *testing.T, space *partition.Space) {
	want := streamed(t, space, filepath.Join(t.TempDir(), "s"), 1000, Options{})
	dir := t.TempDir()
	path := filepath.Join(dir, "s")
	for n := 0; ; n++ {
		if n > 300 {
			t.Fatal("the solve makes no progress")
		}
		f := open(t, path, space, false)
		got, done := interrupted(t, f, 40+n)
		if done {
			if n == 0 || got.Resumed == 0 {
				t.Errorf("interrupted %d times, resumed after %d classes", n, got.Resumed)
			}
			if !reflect.DeepEqual(got.Classes, want.Classes) || got.Start != want.Start || !reflect.DeepEqual(got.First, want.First) {
				t.Error("other counts after interruptions")
			}
			if err := f.Remove(); err != nil {
				t.Error(err)
			}
		}
		f.Close()
		if done {
			break
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("work files are left: %v", left)
	}
}

// The result of a finished solve stays until it is removed, with or without the slices of the last
// class.
func TestNothingIsLostBeforeItIsSaved(t *testing.T) {
	space := spaceAfter(t, 5, 1<<12)
	dir := t.TempDir()
	path := filepath.Join(dir, "s")
	f := open(t, path, space, false)
	want, err := f.Solve(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	for range 2 { // the second time the slices are gone
		f = open(t, path, space, false)
		began := false
		got, err := f.Solve(t.Context(), Options{Options: retro.Options{Progress: func(tablebase.Event) { began = true }}})
		if err != nil {
			t.Fatal(err)
		}
		if began || got.Resumed != space.MaskBits+1 || got.Start != want.Start || !reflect.DeepEqual(got.First, want.First) || !reflect.DeepEqual(got.Classes, want.Classes) {
			t.Errorf("solved again: %v; after %d classes", began, got.Resumed)
		}
		f.Close()
	}
	f = open(t, path, space, false)
	if err := f.Remove(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("work files are left: %v", left)
	}
}

// half solves about half of the classes and returns the file of the last one.
func half(t *testing.T, path string, space *partition.Space, packed bool) string {
	t.Helper()
	f := open(t, path, space, false)
	defer f.Close()
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	_, err := f.Solve(ctx, Options{Options: retro.Options{Progress: func(e tablebase.Event) {
		if e.At == 4 && e.Stage != tablebase.Sealed {
			stop(errStop)
		}
	}}, Packed: packed})
	if !errors.Is(err, errStop) {
		t.Fatal(err)
	}
	return path + ".class-05"
}

// Open removes stray work files and no others.
func TestStrayFiles(t *testing.T) {
	space := spaceAfter(t, 5, 1<<12)
	dir := t.TempDir()
	path := filepath.Join(dir, "s")
	half(t, path, space, true)
	stray := []string{".class-07", ".class-06", ".class-00", ".state.new"}
	others := []string{".class-7", ".class-aa", ".class-007", ".json", "2.class-07"}
	for _, suffix := range append(stray, others...) {
		if err := os.WriteFile(path+suffix, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f := open(t, path, space, false)
	for _, suffix := range stray {
		if _, err := os.Stat(path + suffix); err == nil {
			t.Errorf("%s is left", suffix)
		}
	}
	if r, err := f.Solve(t.Context(), Options{}); err != nil || r.Resumed == 0 {
		t.Errorf("resumed: %v", err)
	}
	if err := f.Remove(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	var left []string
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if len(left) != len(others) {
		t.Errorf("%v are left, want those of others: %v", left, others)
	}
}

// Damaged work files are an error, and Discard starts over.
func TestDamage(t *testing.T) {
	space := spaceAfter(t, 5, 1<<12)
	want := streamed(t, space, filepath.Join(t.TempDir(), "s"), 1000, Options{})
	for i, damage := range []func(b []byte) []byte{
		func(b []byte) []byte { b[len(b)/2] ^= 4; return b },
		func(b []byte) []byte { clear(b[len(b)/3:]); return b },
		func(b []byte) []byte { b[0] ^= 1; return b },
		func(b []byte) []byte { b[len(b)-1] ^= 128; return b },
	} {
		name := fmt.Sprint("damage ", i)
		path := filepath.Join(t.TempDir(), "s")
		class := half(t, path, space, i%2 == 0)
		b, err := os.ReadFile(class)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(class, damage(b), 0o644); err != nil {
			t.Fatal(err)
		}
		f := open(t, path, space, true)
		if _, err := f.Solve(t.Context(), Options{}); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
		if err := f.Discard(); err != nil {
			t.Fatal(err)
		}
		got, err := f.Solve(t.Context(), Options{})
		if err != nil || got.Resumed != 0 || !reflect.DeepEqual(got.Classes, want.Classes) {
			t.Errorf("%s: begun again: %v, %+v", name, err, got)
		}
		f.Close()
	}
}

// Open refuses and keeps work files if one is missing or truncated, if the state is damaged, or if
// they belong to another solve. Only force starts over.
func TestDamagedState(t *testing.T) {
	space := spaceAfter(t, 5, 1<<12)
	for name, spoil := range map[string]func(path, class string) error{
		"short class": func(_, class string) error { return os.Truncate(class, 100) },
		"no class":    func(_, class string) error { return os.Remove(class) },
		"torn state":  func(path, _ string) error { return os.Truncate(path+".state", 1000) },
	} {
		path := filepath.Join(t.TempDir(), "s")
		if err := spoil(path, half(t, path, space, true)); err != nil {
			t.Fatal(err)
		}
		before := names(t, path)
		if _, err := Open(path, space, false); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
		if after := names(t, path); !slices.Equal(after, before) {
			t.Errorf("%s: of the files %v only %v are left", name, before, after)
		}
		f := open(t, path, space, true)
		if r, err := f.Solve(t.Context(), Options{}); err != nil || r.Resumed != 0 {
			t.Errorf("%s, with force: %v", name, err)
		}
		f.Close()
	}
	path := filepath.Join(t.TempDir(), "s")
	half(t, path, space, true)
	other := spaceAfter(t, 5, 1<<3)
	if _, err := Open(path, other, false); err == nil {
		t.Error("the state of another solve was resumed")
	}
	f := open(t, path, other, true)
	if len(f.state.Stages) != 0 {
		t.Error("the state of another solve was resumed with force")
	}
}

// names returns the names of the files beside a path.
func names(t *testing.T, path string) []string {
	t.Helper()
	found, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// A class file that cannot be opened is an error, and nothing is lost.
func TestWorkThatCannotBeOpenedIsKept(t *testing.T) {
	space := spaceAfter(t, 5, 1<<12)
	path := filepath.Join(t.TempDir(), "s")
	class := half(t, path, space, true)
	if err := errors.Join(os.Rename(class, class+".away"), os.Mkdir(class, 0o755)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, space, false); !errors.Is(err, durable.ErrNotOurs) || !strings.Contains(err.Error(), class+": it is a directory; remove it") {
		t.Errorf("with a directory for a class: %v", err)
	}
	if err := errors.Join(os.Remove(class), os.Rename(class+".away", class)); err != nil {
		t.Fatal(err)
	}
	f := open(t, path, space, false)
	if r, err := f.Solve(t.Context(), Options{}); err != nil || r.Resumed == 0 {
		t.Errorf("not resumed: %v", err)
	}
}

// Two solves cannot use the same files, and spaces without fixed slices have none.
func TestRefusals(t *testing.T) {
	space := spaceAfter(t, 4, 0)
	path := filepath.Join(t.TempDir(), "s")
	f := open(t, path, space, false)
	if _, err := Open(path, space, true); err == nil {
		t.Error("work files are opened twice")
	}
	f.Close()
	rules, _ := games.NewGrid("quixo", 3)
	quixo, err := partition.New(rules)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, quixo, false); err == nil {
		t.Error("Quixo is solved without its classes in memory")
	}
}

// A directory that disappears during the solve is an error with a remedy.
func TestDirectoryThatGoesAway(t *testing.T) {
	space := spaceAfter(t, 5, 1<<12)
	dir := filepath.Join(t.TempDir(), "dir")
	f := open(t, filepath.Join(dir, "s"), space, false)
	_, err := f.Solve(t.Context(), Options{Options: retro.Options{Progress: func(e tablebase.Event) {
		if e.At == 4 && e.Stage != tablebase.Sealed {
			os.RemoveAll(dir)
		}
	}}})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	t.Log(err)
}

// ends is a space's graph with other terminal states.
type ends struct {
	partition.Graph
	change func(t *partition.Terminals)
}

func (e *ends) Terminals(mask uint64, t *partition.Terminals) {
	e.Graph.Terminals(mask, t)
	e.change(t)
}

// Terminal states may be lost. A state without a move that is not terminal is an error.
func TestOtherEnds(t *testing.T) {
	whole := spaceAfter(t, 4, 0)
	lost, err := partition.NewSpace(whole.Facts, whole.Codec, &ends{whole.Graph, func(t *partition.Terminals) { t.Win, t.Lose = t.Lose, t.Win }})
	if err != nil {
		t.Fatal(err)
	}
	got := streamed(t, lost, filepath.Join(t.TempDir(), "s"), 2, Options{Options: retro.Options{Threads: 2}})
	if want := classCounts(table(t, lost).Classes()); !reflect.DeepEqual(got.Classes, want) {
		t.Error("with lost terminal states: other counts than those of the table")
	}
	endless, err := partition.NewSpace(whole.Facts, whole.Codec, &ends{whole.Graph, (*partition.Terminals).Reset})
	if err != nil {
		t.Fatal(err)
	}
	f := open(t, filepath.Join(t.TempDir(), "s"), endless, false)
	if _, err := f.Solve(t.Context(), Options{}); err == nil || !strings.Contains(err.Error(), "without a move") || len(f.state.Stages) > 0 {
		t.Errorf("a full board without an end: %v", err)
	}
}

// Work files never take more space than estimated.
func TestEstimatedDiskIsKept(t *testing.T) {
	for _, n := range []int{4, 5} {
		for _, packed := range []bool{false, true} {
			space := spaceAfter(t, n, 0)
			path := filepath.Join(t.TempDir(), "[a-z]", "s") // no pattern
			o := Options{Packed: packed}
			estimated := o.Plan(space).Work(0)
			var most int64
			o.Progress = func(tablebase.Event) { most = max(most, Left(path)) }
			f := open(t, path, space, false)
			r, err := f.Solve(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if most == 0 || !packed && most > estimated.Disk {
				t.Errorf("n = %d, packed %v: %d bytes on the disk, estimated are %d", n, packed, most, estimated.Disk)
			}
			if !packed && (r.Written != estimated.Written || r.Read > estimated.Read) {
				t.Errorf("n = %d: %d bytes are written and %d read, estimated are %d and %d", n, r.Written, r.Read, estimated.Written, estimated.Read)
			}
			f.Close()
		}
	}
}
