package retro

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"backsolve/partition"
	"backsolve/retro/internal/plylog"
	"backsolve/retro/internal/work"
	"backsolve/tablebase/writer"
)

// With any limit a solve either keeps it and writes the same bytes, or reports that it is too
// small, wherever it allocates memory.
func TestEveryMemoryLimit(t *testing.T) {
	_, space := newSpace(t, "quixo", 3)
	for _, steps := range []bool{false, true} {
		o := Options{Steps: steps, Threads: 2}
		path, _ := solve(t, space, o)
		want := contents(t, path)
		least := o.Plan(space).Fixed() + o.Plan(space).Writing()
		refused, solved := 0, 0
		step := int64(1500)
		if testing.Short() {
			step *= 3 // each takes long under the race detector
		}
		for limit := least - 1; solved < 3; limit += step {
			o.Memory = limit
			path := filepath.Join(t.TempDir(), "t.tb")
			w, err := writer.Create(path, shape(space, steps), false)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Solve(context.Background(), space, w, o)
			w.Close()
			var tooSmall *MemoryError
			switch {
			case errors.As(err, &tooSmall):
				refused++
				if solved > 0 || tooSmall.Limit != limit || tooSmall.Need <= limit {
					t.Errorf("steps %v, limit %d, after %d that sufficed: %v", steps, limit, solved, err)
				}
			case err != nil:
				t.Fatal(err)
			default:
				solved++
				if !bytes.Equal(contents(t, path), want) {
					t.Errorf("steps %v: other bytes with the limit %d", steps, limit)
				}
			}
		}
		if refused < 8 {
			t.Errorf("steps %v: only %d limits were too small", steps, refused)
		}
	}
}

// The memory for writing a table is reserved and part of the estimate.
func TestWritingIsBooked(t *testing.T) {
	_, space := newSpace(t, "quixo", 4)
	for _, steps := range []bool{false, true} {
		o := Options{Steps: steps, Threads: 2}.WithDefaults()
		p := o.Plan(space)
		writing := p.Writing()
		if least := p.Fixed() + writing; p.Memory() <= least {
			t.Errorf("steps %v: %d bytes are needed, and %d before any class", steps, p.Memory(), least)
		}
		w, err := writer.Create(filepath.Join(t.TempDir(), "t.tb"), shape(space, steps), false)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		o.Memory = writing - 1
		var tooSmall *MemoryError
		if _, err := Solve(context.Background(), space, w, o); !errors.As(err, &tooSmall) || tooSmall.Need != writing {
			t.Errorf("steps %v, with %d bytes: %v", steps, o.Memory, err)
		}
	}
}

// Quixo 5×5 with steps, the largest board so far, fits 16 GiB without shards: the class above is then graded
// in parts. Writing its table takes a good part of what the planes leave.
func TestQuixo5FitsItsMachine(t *testing.T) {
	_, space := newSpace(t, "quixo", 5)
	o := Options{Steps: true, Threads: 2, Memory: 16 << 30, LogPath: "log"}.WithDefaults()
	p := o.Plan(space)
	if need := p.Memory(); need > o.Memory || need < 13<<30 {
		t.Errorf("%d bytes are needed", need)
	}
	for _, c := range p.Classes {
		if c.Shards > 0 {
			t.Errorf("class %d is solved in %d shards", c.Class, c.Shards)
		}
	}
	// 134,034,760,848 bytes in frames of 32 KiB, with 12 bytes each.
	if writing, entries := p.Writing(), int64(134_034_760_848/(32<<10)*12); writing < 2*entries || writing > 512<<20 {
		t.Errorf("%d bytes while it is written, with entries of %d", writing, entries)
	}
}

// The estimate has scratch memory for numbers.
func TestScratchOfSteps(t *testing.T) {
	for _, name := range []string{"quixo", "notakto"} {
		_, space := newSpace(t, name, 4)
		o := Options{Threads: 1}.WithDefaults()
		without := o.Plan(space).Fixed()
		o.Steps = true
		if with := o.Plan(space).Fixed(); with <= without {
			t.Errorf("%s: %d bytes with steps, %d without", name, with, without)
		}
	}
}

// addressSpace returns the size of the address space of the process in bytes.
func addressSpace(t *testing.T) int64 {
	t.Helper()
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("no /proc/self/statm")
	}
	pages := int64(0)
	for _, c := range b {
		if c < '0' || c > '9' {
			break
		}
		pages = pages*10 + int64(c-'0')
	}
	return pages * int64(os.Getpagesize())
}

// TestRootClassesFreeMemory compares the address space of the process before and after some
// solves.
func TestRootClassesFreeMemory(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("reads /proc; takes long under the race detector")
	}
	// Without symmetries and with 16 mask bits a plane has 6 MB, which is mapped by itself.
	_, space := spaceAfter(t, 6, 0x8804090e)
	const class, times = 8, 2
	once := func() {
		last, err := SolveRootClasses(context.Background(), space, class, Options{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		last.Close()
	}
	once()
	// The heap reserves address space in steps of 64 MiB. Make room, so that it reserves
	// none while the solves are measured.
	runtime.KeepAlive(make([]byte, 128<<20))
	runtime.GC()
	before := addressSpace(t)
	for range times {
		once()
	}
	if more, planes := addressSpace(t)-before, (Options{DownTo: class}).Plan(space).LongestPlane*8*2*times; more > planes/2 {
		t.Errorf("after %d solves the process has %d bytes more; their planes were %d", times, more, planes)
	}
}

// A log that cannot be written ends the solve with a clear error and without a sealed class.
func TestLogsThatCannotBeWritten(t *testing.T) {
	_, space := newSpace(t, "quixo", 3)
	w, err := writer.Create(filepath.Join(t.TempDir(), "t.tb"), shape(space, true), false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	gone := filepath.Join(t.TempDir(), "gone", "log")
	_, err = (&tuned{Options{Steps: true, LogPath: gone}, tuning{heldWords: 1}}).solve(context.Background(), space, w)
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "cannot write a work file") || !strings.Contains(err.Error(), gone) {
		t.Errorf("error %v", err)
	}
	if n := len(w.Sealed()); n > 0 {
		t.Errorf("%d classes are sealed", n)
	}
}

// Grading the class above keeps the memory limit, and leaves no memory to the class, which needs fewer planes.
func TestGradesNeedMemory(t *testing.T) {
	_, space := newSpace(t, "quixo", 3)
	o := Options{Steps: true, Threads: 1}.WithDefaults()
	last, err := SolveRootClasses(context.Background(), space, 6, o)
	if err != nil {
		t.Fatal(err)
	}
	defer last.Close()
	class := work.NewClass(last.cut, 5, work.NewPool(context.Background(), 1, 1))
	above := last.levels[0]
	planes := 8 * int64(len(above.class.Masks)*above.words)
	refused, found := 0, 0
	for limit := int64(1); found < 3; limit += planes / 2 {
		ledger := work.NewLedger(limit, int(o.Plan(space).LongestPlane))
		s := &bySteps{fixpoint: &fixpoint{job: &job{
			engine: &engine{tuning: standard, ledger: ledger, progress: work.NewProgress(nil, 0), o: o, plan: o.Plan(space), cut: last.cut},
			class:  class, above: above, level: newLevel(class.Class, ledger),
		}}}
		s.units = s.unitsOf(class.Class)
		s.endUnit = s.units.N
		err := s.newLogs(class.Class, s.sectionBits, &s.ready, &s.wonAbove)
		if err == nil {
			err = s.decideAbove()
		}
		var tooSmall *MemoryError
		switch {
		case errors.As(err, &tooSmall):
			refused++
		case err != nil:
			t.Fatal(err)
		case limit < 3*planes:
			t.Fatalf("%d bytes suffice for grades of %d a digit", limit, planes)
		case !ledger.Room(limit):
			t.Error("planes of grades stay reserved")
		default:
			found++
		}
		s.freeSteps()
		ledger.Close()
	}
	if refused < 6 {
		t.Errorf("only %d limits were too small", refused)
	}
}

// By default the sections of a log have 2^17 words. The table is written in runs of that length.
func TestSectionsOfLongPlanes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector")
	}
	_, space := newSpace(t, "quixo", 5)
	cut, err := partition.NewCut(space)
	if err != nil {
		t.Fatal(err)
	}
	defer cut.Free()
	var log *plylog.Log
	err = (&engine{tuning: standard}).newLogs(cut.Class(24), standard.sectionBits, &log)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if want := 6 << 24 / 64 / (1 << 17); log.SectionWords() != 1<<17 || log.Sections() != want {
		t.Errorf("%d sections of %d words, want %d", log.Sections(), log.SectionWords(), want)
	}
}
