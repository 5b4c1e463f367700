package generic

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/game/wasm"
	"backsolve/internal/durable"
	"backsolve/tablebase"
	"backsolve/tablebase/sparse"
)

// made returns the bytes of the table that Make writes.
func made(t *testing.T, g custom.Rules, o Options) (content []byte, table *sparse.Table) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table.tb")
	if err := Make(t.Context(), path, "test", g, o); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("beside the table lies something else: %v, %v", entries, err)
	}
	if table, err = sparse.Open(path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return content, table
}

// often has every tier make a checkpoint.
func often(t *testing.T) {
	old := saveEvery
	saveEvery = 0
	t.Cleanup(func() { saveEvery = old })
}

// A table has the same bytes whatever the threads and buffers.
func TestMake(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 6))
		g := newGraph(r, 1+r.IntN(4), 2+r.IntN(2000))
		want, table := made(t, g, Options{Threads: 1})
		for at, v := range slowly(g) {
			if got, err := table.Lookup(at.Tier, at.Key); err != nil || got != v {
				t.Fatalf("seed %d: state %v is %v, %v, want %v", seed, at, got, err, v)
			}
		}
		t.Run("", func(t *testing.T) {
			small(t)
			for _, memory := range []int64{0, 6 * table.States(), 30 * table.States()} {
				if got, _ := made(t, g, Options{Threads: 3, Memory: memory}); string(got) != string(want) {
					t.Errorf("seed %d: other bytes with other threads, buffers and memory %d", seed, memory)
				}
			}
		})
	}
}

// What a solve left that was killed after it had named its table is removed, unless the table is
// damaged or of other rules.
func TestCleanUp(t *testing.T) {
	g := newGraph(rand.New(rand.NewPCG(1, 6)), 3, 500)
	_, table := made(t, g, Options{})
	path := table.Path()
	leave := func(rules custom.Rules) {
		s, err := Solve(t.Context(), path+WorkSuffix, rules, Options{})
		if err == nil {
			err = s.Close()
		}
		if err == nil {
			err = os.WriteFile(path+WorkSuffix+durable.LockSuffix, nil, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	cleaned := func(table *sparse.Table) bool {
		t.Helper()
		if err := CleanUp(t.Context(), path, table, g); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path + WorkSuffix + durable.LockSuffix); err == nil {
			t.Error("the lock file stays")
		}
		_, err := os.Stat(path + WorkSuffix)
		return errors.Is(err, fs.ErrNotExist)
	}
	leave(g)
	if !cleaned(table) {
		t.Error("the work of a finished table stays")
	}
	often(t) // so that a checkpoint says whose work it is
	leave(newGraph(rand.New(rand.NewPCG(2, 6)), 4, 500))
	if cleaned(table) {
		t.Error("the work of other rules is removed")
	}
	if err := os.RemoveAll(path + WorkSuffix); err != nil {
		t.Fatal(err)
	}
	leave(g)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)/2] ^= 1
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	damaged, err := sparse.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer damaged.Close()
	if cleaned(damaged) {
		t.Error("the work beside a damaged table is removed")
	}
}

// Files that no checkpoint names are removed as soon as they are merged.
func TestMergedRemoved(t *testing.T) {
	g := &graph{tiers: 1, loops: []bool{true}, nodes: map[custom.Child]node{}, start: custom.Child{Key: 1}}
	for key := range uint64(200) {
		g.nodes[custom.Child{Key: key}] = node{children: []custom.Child{{Key: key + 1}}}
	}
	g.nodes[custom.Child{Key: 200}] = node{over: true}
	dir := filepath.Join(t.TempDir(), "work")
	s, err := Solve(t.Context(), dir, g, Options{Progress: func(p tablebase.Event) {
		if files, err := os.ReadDir(dir); p.Stage == tablebase.Solving && p.Done == 0 && (err != nil || len(files) > 3) {
			t.Errorf("%d states are in %d files, %v", p.Done, len(files), err)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(); err != nil {
		t.Error(err)
	}
}

// A limit below what passes need is refused, and what was found stays.
func TestMemoryRefused(t *testing.T) {
	often(t)
	g := &graph{tiers: 1, loops: []bool{true}, nodes: map[custom.Child]node{{Key: 1}: {children: []custom.Child{{Key: 2}}}, {Key: 2}: {children: []custom.Child{{Key: 1}}}}, start: custom.Child{Key: 1}}
	dir := filepath.Join(t.TempDir(), "work")
	if _, err := Solve(t.Context(), dir, g, Options{Memory: 11}); !errors.Is(err, ErrMemory) {
		t.Errorf("11 bytes for 2 states: %v", err)
	}
	s, err := Solve(t.Context(), dir, g, Options{Memory: 12})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(); err != nil {
		t.Error(err)
	}
}

// stopping ends its context after a number of positions.
type stopping struct {
	*graph
	left   int
	cancel context.CancelFunc
}

func (s *stopping) NewExpander() custom.Expander { return s }

func (s *stopping) Expand(dst []custom.Child, from custom.Child) ([]custom.Child, game.Outcome, bool, error) {
	if s.left--; s.left == 0 {
		s.cancel()
	}
	return s.graph.Expand(dst, from)
}

// A solve that is stopped anywhere resumes at its last checkpoint, with the same bytes.
func TestResume(t *testing.T) {
	small(t)
	often(t)
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 8))
		g := newGraph(r, 4, 600)
		want, _ := made(t, g, Options{})
		path := filepath.Join(t.TempDir(), "table.tb")
		stops := 0
		for {
			ctx, cancel := context.WithCancel(t.Context())
			err := Make(ctx, path, "test", &stopping{g, 200 + r.IntN(600) + 20*stops, cancel}, Options{Threads: 1})
			cancel()
			if err == nil {
				break
			}
			if stops++; !errors.Is(err, context.Canceled) || stops > 1000 {
				t.Fatalf("seed %d, stop %d: %v", seed, stops, err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != string(want) {
			t.Errorf("seed %d: other bytes after %d stops: %v", seed, stops, err)
		}
	}
}

// A solve by a file of rules is resumed by these bytes alone.
func TestOtherFile(t *testing.T) {
	often(t)
	source, err := os.ReadFile("../../game/wasm/testdata/take21.wasm")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "work")
	solve := func(source []byte) error {
		l, err := wasm.New(source)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Solve(t.Context(), dir, l.Numbers(), Options{})
		if err == nil {
			err = s.Close()
		}
		return err
	}
	for i, c := range []struct {
		source []byte
		want   error
	}{{source, nil}, {append(slices.Clone(source), 0, 2, 1, 'x'), ErrWork}, {source, nil}} { // a section that says nothing
		if err := solve(c.source); !errors.Is(err, c.want) {
			t.Errorf("solve %d: %v, want %v", i, err, c.want)
		}
	}
}

// What is of another solve, or damaged, is refused and kept.
func TestForeignWork(t *testing.T) {
	often(t)
	g := newGraph(rand.New(rand.NewPCG(3, 9)), 3, 600)
	dir := filepath.Join(t.TempDir(), "work")
	s, err := Solve(t.Context(), dir, g, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	other := *g
	other.start.Key++
	if _, err := Solve(t.Context(), dir, &other, Options{}); !errors.Is(err, ErrWork) {
		t.Errorf("another game: %v", err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.*s"))
	if err != nil || len(files) < 3 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range files {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		bad := append([]byte(nil), content...)
		bad[len(bad)/2] ^= 1
		for _, spoiled := range [][]byte{bad, content[:len(content)-1]} {
			if err := os.WriteFile(path, spoiled, 0o666); err != nil {
				t.Fatal(err)
			}
			if _, err := Solve(t.Context(), dir, g, Options{}); !errors.Is(err, ErrWork) {
				t.Errorf("a damaged %s: %v", filepath.Base(path), err)
			}
		}
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if s, err = Solve(t.Context(), dir, g, Options{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(); err != nil {
		t.Error(err)
	}
}
