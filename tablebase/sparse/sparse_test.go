package sparse

import (
	"errors"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"backsolve/game"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/reader"
)

// What is written is read, mapped, packed and from another machine, whatever the sizes.
func TestRoundTrip(t *testing.T) {
	for seed := range uint64(12) {
		c := random(seed, 1+int(seed%4), 1000)
		if seed%3 == 2 {
			c = append(c, nil, c[0], nil) // play does not reach every tier
		}
		path := c.write(t)
		content := read(t, path)
		small := packed(t, content)
		if err := os.WriteFile(path+".zst", small, 0o666); err != nil {
			t.Fatal(err)
		}
		var same *Table
		for form, open := range []func() (*Table, error){
			func() (*Table, error) { return Open(path) },
			func() (*Table, error) { return Open(path + ".zst") },
			func() (*Table, error) { return openBytes(content) },
			func() (*Table, error) { return openBytes(small) },
		} {
			table, err := open()
			if err != nil {
				t.Fatalf("seed %d, form %d: %v", seed, form, err)
			}
			defer table.Close()
			if err := errors.Join(c.compare(t, table), table.Verify(t.Context(), 2, nil)); err != nil {
				t.Errorf("seed %d, form %d: %v", seed, form, err)
			}
			if same == nil {
				same = table
			}
			if table.Identity() != same.Identity() || table.Bytes() != int64(len(content)) || (table.Packed() > 0) != (form%2 == 1) {
				t.Errorf("seed %d: form %d is another table", seed, form)
			}
		}
	}
}

// A tier with several chunks of index has fences, and all keys around them are found.
func TestFences(t *testing.T) {
	const states = 3 * fenceBlocks * BlockStates / 2
	path := filepath.Join(t.TempDir(), "large.tb")
	err := Write(path, Header{Game: "large"}, 1, func(int) iter.Seq2[uint64, Value] {
		return func(yield func(uint64, Value) bool) {
			for i := range uint64(states) {
				if !yield(3*i, Value{game.Win, int(i % 5)}) {
					return
				}
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	table, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if n := len(table.header.Tiers[0].fences); n != 2 {
		t.Errorf("%d fences", n)
	}
	for i := uint64(0); i < states; i += 61 {
		if v, err := table.Lookup(0, 3*i); err != nil || v.Steps != int(i%5) {
			t.Fatalf("state %d is %v, %v", i, v, err)
		}
		if _, err := table.Lookup(0, 3*i+1); !errors.Is(err, ErrState) {
			t.Fatalf("a state that was not written: %v", err)
		}
	}
}

// The values of a tier are counted, each with the least key that has it.
func TestCounts(t *testing.T) {
	c := random(5, 2, 500)
	table, err := Open(c.write(t))
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	for i, states := range c {
		left := len(states)
		for _, count := range table.Header().Tiers[i].Values {
			n, first := int64(0), ^uint64(0)
			for key, v := range states {
				if v == count.Value {
					n, first = n+1, min(first, key)
				}
			}
			if count.States != n || count.First != first {
				t.Errorf("tier %d: %v, want %d, %d", i, count, n, first)
			}
			left -= int(n)
		}
		if left != 0 {
			t.Errorf("tier %d: %d states are not counted", i, left)
		}
	}
}

// States are counted by their values, whichever these are.
func TestTally(t *testing.T) {
	var tally Tally
	want, first := map[Value]int64{}, map[Value]uint64{}
	for key := range uint64(5000) {
		v := Value{game.Outcome(key % 3), int(key*7919%300) - 1}
		if key%5 == 0 {
			v.Steps = -1 // as in a table of outcomes
		}
		if want[v]++; want[v] == 1 {
			first[v] = key
		}
		tally.Add(key, v)
	}
	counts := tally.Counts()
	for i, c := range counts {
		if c.States != want[c.Value] || c.First != first[c.Value] || i > 0 && byValue(counts[i-1], c) >= 0 {
			t.Errorf("%+v, want %d from %d on", c, want[c.Value], first[c.Value])
		}
	}
	if len(counts) != len(want) {
		t.Errorf("%d values, want %d", len(counts), len(want))
	}
}

// A lookup in a mapped table does not allocate.
func TestLookupDoesNotAllocate(t *testing.T) {
	c := contents{{3: {game.Win, 1}, 9: {game.Lose, 2}}}
	table, err := Open(c.write(t))
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	var v [1]Value
	if n := testing.AllocsPerRun(100, func() { err = table.LookupAll([]Ref{{0, 9}}, v[:]) }); n > 0 || err != nil || v[0].Steps != 2 {
		t.Errorf("%v allocations, %v, %v", n, v, err)
	}
}

// What cannot be a table is not written, and leaves nothing.
func TestWriteRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.tb")
	err := Write(path, Header{}, 1, func(int) iter.Seq2[uint64, Value] {
		return func(yield func(uint64, Value) bool) {
			_ = yield(5, Value{game.Win, 1}) && yield(5, Value{game.Lose, 0})
		}
	})
	if err == nil || !strings.HasSuffix(err.Error(), "tier 0: key 5 comes behind 5") {
		t.Errorf("a key is written twice: %v", err)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) > 0 {
		t.Errorf("%v is left, %v", entries, err)
	}
}

// A file that changes while it is written does not get its name.
func TestReadBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.tb")
	passes := 0
	err := Write(path, Header{}, 1, func(int) iter.Seq2[uint64, Value] {
		return func(yield func(uint64, Value) bool) {
			if passes++; passes == 2 { // most keys lie in the file
				f, err := os.OpenFile(path+".new", os.O_WRONLY, 0)
				if err == nil {
					_, err = f.WriteAt([]byte{0x55, 0xaa, 0x55}, 100)
				}
				if err = errors.Join(err, f.Close()); err != nil {
					t.Error(err)
				}
			}
			for i := uint64(0); i < 300000 && yield(i<<40, Value{game.Win, int(i % 5)}); i++ {
			}
		}
	})
	refused(t, "overwritten", err)
	if _, err := os.Stat(path); err == nil {
		t.Error("it has its name")
	}
}

// A planted link in place of the table, or of the file that becomes it, is replaced, and what
// it leads to stays.
func TestPlantedLinks(t *testing.T) {
	c := random(2, 1, 100)
	for _, suffix := range []string{"", ".new"} {
		dir := t.TempDir()
		target := filepath.Join(dir, "target")
		if err := os.WriteFile(target, []byte("precious"), 0o666); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "table.tb")
		if err := os.Symlink(target, path+suffix); err != nil {
			t.Skip(err)
		}
		if err := Write(path, Header{}, 1, c.states); err != nil {
			t.Error(err)
		}
		if got := read(t, target); string(got) != "precious" {
			t.Errorf("%q is written through the link", suffix)
		}
		table, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(c.compare(t, table), table.Close()); err != nil {
			t.Error(err)
		}
	}
}

// A killed writer leaves no table, and the next one writes it.
func TestKilledWriter(t *testing.T) {
	c := random(3, 2, 3000)
	if path := os.Getenv("SPARSE_TEST_WRITE"); path != "" {
		t.Error(Write(path, Header{}, 2, func(tier int) iter.Seq2[uint64, Value] {
			if tier == 1 {
				os.WriteFile(path+".begun", nil, 0o666)
				time.Sleep(time.Hour)
			}
			return c.states(tier)
		}))
		return
	}
	path := filepath.Join(t.TempDir(), "table.tb")
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledWriter$")
	cmd.Env = append(os.Environ(), "SPARSE_TEST_WRITE="+path)
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(path + ".begun"); err == nil || time.Now().After(deadline) {
			break
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
	if _, err := os.Stat(path + ".new"); err != nil {
		t.Errorf("the writer had not begun: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("there is a table")
	}
	if err := Write(path, Header{}, 2, c.states); err != nil {
		t.Fatal(err)
	}
	table, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.compare(t, table), table.Close()); err != nil {
		t.Error(err)
	}
}

// The readers of each kind of table name the other kind.
func TestOtherKind(t *testing.T) {
	path := random(4, 1, 10).write(t)
	small := path + ".zst"
	if err := os.WriteFile(small, packed(t, read(t, path)), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{path, small} {
		if _, err := reader.Open(path); !errors.Is(err, tablebase.ErrSparse) || !errors.Is(err, tablebase.ErrForeign) {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, name := range []string{"v1.tb", "v1.tb.zst", "v3.tb"} {
		if _, err := Open(filepath.Join("..", "testdata", name)); !errors.Is(err, tablebase.ErrForeign) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(t.TempDir()); !errors.Is(err, tablebase.ErrForeign) {
		t.Errorf("a directory: %v", err)
	}
	if err := os.WriteFile(path, make([]byte, format.PageSize), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); !errors.Is(err, tablebase.ErrForeign) {
		t.Errorf("zeros: %v", err)
	}
}
