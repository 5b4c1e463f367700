package retro

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"backsolve/game/games"
	"backsolve/internal/memory"
	"backsolve/partition"
	"backsolve/partition/spacetest"
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

// However a class is cut into shards, and however labels travel, the table is the same.
func TestShards(t *testing.T) {
	for _, name := range []string{"quixo:3", "quixo:4x2,both-win", "quixo:3x3,both-draw", "tictactoe:3"} {
		space := newVariant(t, name)
		path, _ := solve(t, space, Options{Threads: 2})
		want := contents(t, path)
		for _, tuning := range []tuning{
			{inShards: 2, sectionBits: 3},
			{inShards: 3, sectionBits: 1, propagation: alwaysPush},
			{inShards: 7, sectionBits: 2, partBits: 1, propagation: alwaysPull},
			{inShards: 64, sectionBits: 1},
		} {
			path, r := solveBy(t, space, tuned{Options{Threads: 3, LogPath: filepath.Join(t.TempDir(), "log")}, tuning})
			if !bytes.Equal(contents(t, path), want) {
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
	space := newVariant(t, "quixo:4x5")
	o := Options{Threads: 2, DownTo: 17}
	path, _ := solve(t, space, o)
	want := contents(t, path+tablebase.PartialSuffix)
	o.Memory = o.Plan(space).Memory() - 4<<20
	w, err := writer.Create(filepath.Join(t.TempDir(), "t.tb"), shape(space, false), false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := Solve(context.Background(), space, w, o); !errors.As(err, new(*MemoryError)) {
		t.Errorf("without a place for work files: %v", err)
	}
	o.LogPath = filepath.Join(t.TempDir(), "log")
	if need := o.Plan(space).Memory(); need > o.Memory {
		t.Errorf("%d bytes are planned with the limit %d", need, o.Memory)
	}
	path, r := solve(t, space, o)
	if shards := r.Classes[len(r.Classes)-1].Shards; shards < 2 || !bytes.Equal(contents(t, path+tablebase.PartialSuffix), want) {
		t.Errorf("with %d bytes, %d shards, and perhaps other bytes", o.Memory, shards)
	}
}

// A solve that is interrupted again and again, in shards and in memory by turns, ends with the
// same bytes.
func TestResumeShards(t *testing.T) {
	_, space := newSpace(t, "quixo", 3)
	whole, _ := solve(t, space, Options{Threads: 2})
	path := filepath.Join(t.TempDir(), "t.tb")
	for stops := 0; ; stops++ {
		w, err := writer.Create(path, shape(space, false), false)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancelCause(context.Background())
		events, limit := 0, 7+5*stops
		o := tuned{Options{Threads: 2, LogPath: filepath.Join(t.TempDir(), "log"), Progress: func(Event) {
			if events++; events == limit {
				stop(errStop)
			}
		}}, tuning{sectionBits: 1, inShards: stops % 3 * 2}}
		_, err = o.solve(ctx, space, w)
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
	if !bytes.Equal(contents(t, path), contents(t, whole)) {
		t.Error("other bytes after stops")
	}
}

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
