package retro

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"backsolve/game/games"
	"backsolve/internal/memory"
	"backsolve/partition"
	"backsolve/partition/spacetest"
	"backsolve/retro/internal/plylog"
	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

func newVariant(t *testing.T, word string) *partition.Space {
	t.Helper()
	name, size, _, err := games.Named(word)
	if err != nil {
		t.Fatal(err)
	}
	_, space := spacetest.New(t, name, size)
	return space
}

// enoughOf4x3 is the last class of Quixo 4×3 that a solve in shards with steps needs. It has the
// most states, and those below it take as long as those above.
const enoughOf4x3 = 8

// written returns the path of what a solve has written.
func written(path string, o Options) string {
	if o.DownTo > 0 {
		path += tablebase.PartialSuffix
	}
	return path
}

// However a class is cut into shards, and however labels travel, the table is the same. Of the boards
// with steps, only three in a row has wins in an even number of plies: there it shows if a shard
// knows wins of the ply that another one has just done.
func TestShards(t *testing.T) {
	for board, name := range []string{"quixo:3", "quixo:4x2,both-win", "quixo:3x3,both-draw", "quixo:4", "tictactoe:3", "quixo:4x3,both-draw", "quixo:4x3,three"} {
		if testing.Short() && slices.Contains([]string{"quixo:3x3,both-draw", "quixo:4", "quixo:4x3,both-draw"}, name) {
			continue // they take long under the race detector; the others have the same threads
		}
		space := newVariant(t, name)
		o := Options{Threads: 2}
		if strings.HasPrefix(name, "quixo:4x3") { // sections with steps have at least 64 words
			o.Steps, o.DownTo = true, enoughOf4x3
		}
		if name == "quixo:4" { // units can be parts of blocks of 128 words or more
			o.DownTo = 12
		}
		path, _ := solve(t, space, o)
		want := contents(t, written(path, o))
		for i, tuning := range []tuning{
			{inShards: 2, sectionBits: 3},
			{inShards: 3, sectionBits: 1, propagation: alwaysPush},
			{inShards: 7, sectionBits: 2, partBits: 1, propagation: alwaysPull},
			{inShards: 64, sectionBits: 1},
		} {
			if board > 0 && (i+board)%2 == 0 {
				continue // each is tried on some variants
			}
			o.Threads, o.LogPath = 1+tuning.inShards%8, filepath.Join(t.TempDir(), "log")
			path, r := solveBy(t, space, tuned{o, tuning})
			if !bytes.Equal(contents(t, written(path, o)), want) {
				t.Errorf("%s: other bytes with %+v", name, tuning)
			}
			most, turns := 0, 0
			for _, c := range r.Classes {
				most, turns = max(most, c.Shards), max(turns, c.Turns)
			}
			if most < min(tuning.inShards, 5) || turns < most || name == "quixo:3" && turns == most || r.WorkWritten == 0 || r.WorkRead == 0 {
				t.Errorf("%s: at most %d shards and %d turns with %+v, %d bytes written and %d read", name, most, turns, tuning, r.WorkWritten, r.WorkRead)
			}
		}
	}
}

// With a limit of memory that is too small for whole classes, the solve takes shards, keeps the
// limit, and writes the same bytes.
func TestShardsKeepTheLimit(t *testing.T) {
	if !memory.Releases {
		t.Skip("no shards where memory cannot be given back")
	}
	if testing.Short() {
		t.Skip("it takes half a minute under the race detector, which counts other memory")
	}
	for _, steps := range []bool{false, true} {
		t.Run(fmt.Sprintf("steps=%v", steps), func(t *testing.T) { testShardsKeepTheLimit(t, steps) })
	}
}

func testShardsKeepTheLimit(t *testing.T, steps bool) {
	space := newVariant(t, "quixo:4x5")
	o := Options{Threads: 2, DownTo: 17, Steps: steps}
	if steps {
		o.DownTo = 18
	}
	path, _ := solve(t, space, o)
	want := contents(t, written(path, o))
	o.Memory = o.Plan(space).Memory() - 4<<20
	w, err := writer.Create(filepath.Join(t.TempDir(), "t.tb"), shape(space, steps), false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := Solve(context.Background(), space, w, o); !steps && !errors.As(err, new(*MemoryError)) { // the plan of steps has room for logs
		t.Errorf("without a place for work files: %v", err)
	}
	o.LogPath = filepath.Join(t.TempDir(), "log")
	if need := o.Plan(space).Memory(); need > o.Memory {
		t.Errorf("%d bytes are planned with the limit %d", need, o.Memory)
	}
	path, r := solve(t, space, o)
	if shards := r.Classes[len(r.Classes)-1].Shards; shards < 2 || !bytes.Equal(contents(t, written(path, o)), want) {
		t.Errorf("with %d bytes, %d shards, and perhaps other bytes", o.Memory, shards)
	}
}

// A solve that is interrupted again and again, in shards and in memory by turns, ends with the
// same bytes.
func TestResumeShards(t *testing.T) {
	testResumeShards(t, "quixo:3", Options{Threads: 2})
	if testing.Short() {
		return // it takes long under the race detector; TestShards has steps
	}
	testResumeShards(t, "quixo:4x3", Options{Threads: 2, Steps: true, DownTo: enoughOf4x3})
}

func testResumeShards(t *testing.T, name string, o Options) {
	space := newVariant(t, name)
	whole, _ := solve(t, space, o)
	path := filepath.Join(t.TempDir(), "t.tb")
	for stops := 0; ; stops++ {
		w, err := writer.Create(path, shape(space, o.Steps), false)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancelCause(context.Background())
		events, limit := 0, 7+5*stops
		resumed := tuned{o, tuning{sectionBits: 1, inShards: stops % 3 * 2}}
		resumed.LogPath, resumed.Progress = filepath.Join(t.TempDir(), "log"), func(tablebase.Event) {
			if events++; events == limit {
				stop(errStop)
			}
		}
		_, err = resumed.solve(ctx, space, w)
		stop(nil)
		w.Close()
		if err == nil {
			if stops < 3 {
				t.Errorf("only %d stops", stops)
			}
			break
		}
		if !errors.Is(err, errStop) {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(contents(t, written(path, o)), contents(t, written(whole, o))) {
		t.Error("other bytes after stops")
	}
}

// A full disk, here a limit of the size of files, ends a solve in shards with one sentence. With
// more room the solve resumes and ends with the same bytes.
func TestShardsOnAFullDisk(t *testing.T) {
	for name, room := range map[string]int{"quixo:3": 200, "quixo:4x3": 4000} {
		space, o := newVariant(t, name), tuned{Options{Threads: 2}, tuning{sectionBits: 1, inShards: 4}}
		if name == "quixo:4x3" {
			o.Steps, o.DownTo = true, enoughOf4x3
		}
		whole, _ := solve(t, space, o.Options)
		path, log := filepath.Join(t.TempDir(), "t.tb"), filepath.Join(t.TempDir(), "log")
		o.LogPath = log
		attempt := func(most int) (sealed int, err error) {
			w, err := writer.Create(path, shape(space, o.Steps), false)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			newWorkFile = func(path string) (plylog.Store, error) {
				store, err := plylog.NewFile(path)
				return &fullDisk{store, most}, err
			}
			defer func() { newWorkFile = plylog.NewFile }()
			_, err = o.solve(context.Background(), space, w)
			return len(w.Sealed()), err
		}
		sealed, err := attempt(room)
		if !errors.Is(err, syscall.ENOSPC) || strings.Count(err.Error(), "check the disk and solve again") != 1 || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: a full disk: %v", name, err)
		}
		if sealed == 0 {
			t.Errorf("%s: nothing was sealed", name)
		}
		if left, _ := filepath.Glob(log + "*"); len(left) > 0 {
			t.Errorf("%s: left are %v", name, left)
		}
		if _, err = attempt(1 << 30); err != nil || !bytes.Equal(contents(t, written(path, o.Options)), contents(t, written(whole, o.Options))) {
			t.Errorf("%s: with room again: %v, or other bytes", name, err)
		}
	}
}

// fullDisk is a store whose disk has room for a number of bytes.
type fullDisk struct {
	plylog.Store
	most int
}

func (d *fullDisk) WriteAt(p []byte, at int64) (int, error) {
	if int(at)+len(p) > d.most {
		return 0, syscall.ENOSPC
	}
	return d.Store.WriteAt(p, at)
}

func (d *fullDisk) Close() error { return d.Store.(io.Closer).Close() }

// What a damaged work file has is never taken for the planes of a class.
func TestDamagedPlaneFile(t *testing.T) {
	_, space := newSpace(t, "quixo", 3)
	e := newEngine(space, Options{LogPath: filepath.Join(t.TempDir(), "log")}.WithDefaults(), standard)
	e.sectionBits = 1
	if err := e.begin(context.Background(), space); err != nil {
		t.Fatal(err)
	}
	defer e.cut.Free()
	f, err := e.newPlaneFile(e.cut.Class(5), outcomePlanes)
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	for plane := range outcomePlanes {
		for section := range f.sections() {
			if err := f.write(plane, section, []uint64{uint64(plane), uint64(section)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := make([]uint64, 2)
	if err := f.take(losePlane, 1, got); err != nil || fmt.Sprint(got) != "[1 1]" {
		t.Errorf("read %v: %v", got, err)
	}
	if _, err := f.store.WriteAt([]byte{3}, f.offset(losePlane, 1)+9); err != nil {
		t.Fatal(err)
	}
	if err := f.take(losePlane, 1, got); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged section: %v", err)
	}
	if err := f.take(losePlane, 2, got); err != nil {
		t.Error(err)
	}
}
