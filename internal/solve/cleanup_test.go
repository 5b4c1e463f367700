package solve

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"backsolve/internal/durable"
	"backsolve/internal/machine"
	"backsolve/internal/plan"
	"backsolve/internal/probe/probetest"
	"backsolve/partition/spacetest"
	"backsolve/retro"
	"backsolve/retro/outofcore"
	"backsolve/tablebase"
)

// kill leaves the work of a job without a table as a kill does that comes before its result is named:
// with all classes, or some.
func (b *boards) kill(o Options, all bool) {
	b.t.Helper()
	j := b.job(o)
	files, err := outofcore.Open(j.workPath(), j.Space, false)
	if err != nil {
		b.t.Fatal(err)
	}
	defer files.Close()
	ctx, cancel := context.WithCancel(b.t.Context())
	defer cancel()
	events := 0
	work := outofcore.Options{Options: retro.Options{Progress: func(tablebase.Event) {
		if events++; events == 20 && !all {
			cancel()
		}
	}}}
	if _, err := files.Solve(ctx, work); err != nil && ctx.Err() == nil || !files.Begun() || files.Done() != all {
		b.t.Fatal(err)
	}
}

// copyTo copies a file into a directory.
func copyTo(t *testing.T, path, dir string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, filepath.Base(path)), content, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What a kill leaves behind a saved result is removed if the result came from it, and else kept.
func TestLeftBehindAResult(t *testing.T) {
	o := Options{Keep: KeepResult}
	other := newBoards(t, 4)
	saved := other.must(o).(*Saved)
	for name, c := range map[string]struct {
		all, partial, forged, busy bool
		kept                       bool
	}{
		"all is solved":          {all: true},
		"some is solved":         {kept: true},
		"a table was begun":      {all: true, partial: true, kept: true},
		"it is another result":   {all: true, forged: true, kept: true},
		"it is worked on, again": {all: true, busy: true},
	} {
		b := newBoards(t, 4)
		copyTo(t, saved.Path, b.dir)
		b.kill(o, c.all)
		j := b.job(o)
		if c.partial {
			if err := os.WriteFile(partialPath(j.Path), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if c.forged {
			r := *saved.Result
			r.Wins++
			r.SHA256 = r.sum()
			if err := r.save(j.resultPath()); err != nil {
				t.Fatal(err)
			}
		}
		var files *outofcore.Files
		if c.busy {
			var err error
			if files, err = outofcore.Open(j.workPath(), j.Space, false); err != nil {
				t.Fatal(err)
			}
		}
		r := b.must(o).(*Saved)
		left, err := filepath.Glob(j.workPath() + ".state")
		if err != nil || !r.Existing || (len(left) > 0) != (c.kept || c.busy) {
			t.Errorf("%s: %+v, %v is left, %v", name, r, left, err)
		}
		if c.kept != (len(b.notices) == 1) || c.kept && b.notices[0] != (Kept{Path: left[0]}) {
			t.Errorf("%s: the notices are %v", name, b.notices)
		}
		if c.busy {
			files.Close()
		}
	}
}

// A kill between finishing an opening table and saving the result costs neither.
func TestOpeningIsFinished(t *testing.T) {
	o := Options{Keep: KeepOpening, OpeningBytes: 48 << 10}
	whole := newBoards(t, 4)
	want := whole.must(o).(*Saved)
	b := newBoards(t, 4)
	copyTo(t, want.Opening.Path, b.dir)
	b.kill(o, true)
	if p := b.job(o).Plan(); !p.Possible {
		t.Errorf("%+v", p)
	}
	r := b.must(o).(*Saved)
	if r.Existing || r.Opening != nil || r.SHA256 != want.SHA256 {
		t.Errorf("%+v, want %+v", r, want)
	}
	if left, err := os.ReadDir(b.dir); err != nil || len(left) != 2 {
		t.Errorf("%v are left, %v", left, err)
	}
	b = newBoards(t, 4)
	copyTo(t, want.Opening.Path, b.dir)
	b.kill(o, false) // then it is another solve's
	if p := b.job(o).Plan(); p.Possible || !errors.Is(p.Err, tablebase.ErrExists) {
		t.Errorf("%+v", p)
	}
	if _, err := b.solve(o); !errors.Is(err, tablebase.ErrExists) {
		t.Errorf("over an opening table: %v", err)
	}
}

// What is damaged is said, or given up where that is asked for.
func TestDamagedWork(t *testing.T) {
	for _, o := range []Options{{Keep: KeepResult}, {Keep: KeepOpening, OpeningBytes: 48 << 10}} {
		b := newBoards(t, 4)
		b.kill(o, false)
		classes, err := filepath.Glob(b.job(o).workPath() + ".class-*")
		if err != nil || len(classes) == 0 {
			t.Fatal(classes, err)
		}
		for _, path := range classes {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for i := range content {
				content[i] ^= 0x55
			}
			if err := os.WriteFile(path, content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := b.solve(o); !errors.Is(err, outofcore.ErrDamaged) {
			t.Errorf("%+v: damaged: %v", o, err)
		}
		o.Force = true
		if r, err := b.solve(o); err != nil || r.(*Saved).Existing || r.(*Saved).Resumed != 0 {
			t.Errorf("%+v: by force: %+v, %v", o, r, err)
		}
	}
	b := newBoards(t, 4)
	o := Options{Engine: retro.Options{DownTo: 4}}
	b.must(o)
	manifest := b.job(o).Path + tablebase.ManifestSuffix
	content, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)-1] ^= 1
	if err := os.WriteFile(manifest, content, 0o644); err != nil {
		t.Fatal(err)
	}
	if s := b.must(Options{}).(*Summary); s.ResumedClasses != 4 || len(b.notices) != 2 || b.notices[1] != (Resumed{4, 9}) {
		t.Errorf("%+v, %v", s, b.notices)
	} else if dropped, is := b.notices[0].(Dropped); !is || !strings.Contains(string(dropped), "whole only for its first 4 classes") {
		t.Errorf("%v", b.notices)
	}
}

// A result that cannot be saved costs nothing but itself, and a finished table that is locked is used.
func TestInTheWayOfAResult(t *testing.T) {
	b := newBoards(t, 3)
	o := Options{Keep: KeepResult, Force: true}
	path := b.job(o).resultPath()
	if err := os.MkdirAll(filepath.Join(path, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := b.solve(o); err == nil || !strings.HasSuffix(err.Error(), "what was solved is kept: solve again to save it") {
		t.Errorf("a directory is in the way: %v", err)
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if r := b.must(o).(*Saved); r.Resumed == 0 {
		t.Errorf("%+v", r)
	}
	b.must(Options{})
	j := b.job(Options{})
	if err := os.MkdirAll(j.SharedDir(), 0o755); err != nil {
		t.Fatal(err)
	}
	lock, err := tablebase.Lock(j.Path)
	if err != nil {
		t.Fatal(err)
	}
	if s := b.must(Options{}).(*Summary); !s.Existing {
		t.Errorf("%+v", s)
	}
	if _, err := os.Stat(j.SharedDir()); err != nil {
		t.Error("what another process may use is removed")
	}
	lock.Unlock()
	if b.must(Options{}); !errors.Is(func() error { _, err := os.Stat(j.SharedDir()); return err }(), os.ErrNotExist) {
		t.Error("what nobody uses is left")
	}
	if durable.Held(j.Path) {
		t.Error("it stays locked")
	}
}

// A job has its classes and shards, enough processors, and a name with the moves before it.
func TestJobNumbers(t *testing.T) {
	b := newBoards(t, 4)
	b.taken, b.moves = probetest.Mask(t, b.rules, "b2", "a1"), []string{"b2", "a1"}
	for o, want := range map[*Options]string{{}: "without steps", &steps: "with steps", {Keep: KeepResult}: "without steps"} {
		j := b.job(*o)
		if j.Name() != "notakto 4×4 after b2, a1" || j.Solving() != j.Space.Board()+" "+want || j.Dir() != b.dir || len(j.Classes()) != j.Space.MaskBits+1 {
			t.Errorf("%s, %s, %d classes", j.Name(), j.Solving(), len(j.Classes()))
		}
	}
	if j := newBoards(t, 4).job(nimbers); j.Solving() != "notakto 4×4 with nimbers" || filepath.Base(j.Path) != "notakto-4x4-grundy.tb" {
		t.Errorf("%s into %s", j.Solving(), j.Path)
	}
	rules, _ := spacetest.New(t, "quixo", 5)
	for o, more := range map[*Options]int{{}: 2, {Packed: true}: 0} {
		o.Engine.Threads = 3
		j, err := New(t.TempDir(), rules, 0, nil, *o)
		if err != nil || j.Processors() != 3+more {
			t.Errorf("%d processors, %v", j.Processors(), err)
		}
	}
	small := newBoards(t, 4).job(Options{Engine: retro.Options{Threads: 3}})
	if small.Processors() != 3 {
		t.Errorf("%d processors", small.Processors())
	}
	p := Plan{Classes: []plan.Class{{}, {Shards: 3}, {Shards: 7}, {Shards: 2}}}
	if classes, most := p.Shards(); classes != 3 || most != 7 {
		t.Errorf("%d classes in shards, %d at most", classes, most)
	}
	for _, downTo := range []int{-1, 9} {
		if _, err := New(t.TempDir(), newBoards(t, 4).rules, 0, nil, Options{Engine: retro.Options{DownTo: downTo}}); err == nil || !strings.Contains(err.Error(), "go from 8 down to 0") {
			t.Errorf("down to class %d: %v", downTo, err)
		}
	}
}

// The bytes below a directory are those of its files.
func TestBytesBelow(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, n := range map[string]int{"x": 5, "a/y": 7, "a/b/z": 11} {
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, n), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "x"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if got := machine.BytesBelow(dir); got != 23 {
		t.Errorf("%d bytes, want 23", got)
	}
	if got := machine.BytesBelow(filepath.Join(dir, "none")); got != 0 {
		t.Errorf("%d bytes of nothing", got)
	}
	if got := partialPath("x"); got != "x.partial" {
		t.Error(got)
	}
}

// A plan without a table has the memory and the disk of its work files.
func TestPlanOutOfCore(t *testing.T) {
	for _, work := range []string{WorkRaw, WorkPacked} {
		pack(t, work == WorkPacked)
		j := newBoards(t, 4).job(Options{Keep: KeepResult})
		e := outOfCore{j}.estimate()
		of := e.o.Plan(j.Space)
		p := j.Plan()
		if p.Memory != of.Memory() || p.Memory == 0 || p.Disk != of.Work(0).Disk || p.Disk == 0 || p.Written == 0 || p.Read == 0 || p.Work != work || e.o.Packed != (work == WorkPacked) {
			t.Errorf("%q: %+v", work, p)
		}
	}
}
