package probe_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"backsolve/internal/probe"
	"backsolve/tablebase"
	"backsolve/tablebase/reader"
)

// TestOverwrittenTable overwrites a table in place, all but its first page, its end and its
// modification time. A position that was asked before has the same answer or none.
func TestOverwrittenTable(t *testing.T) {
	whole := open(t, "quixo", 3, true)
	valid, err := os.ReadFile(whole.Stored().Path())
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(11, 22))
	times := 8
	if testing.Short() {
		times = 4
	}
	for range times {
		path := filepath.Join(t.TempDir(), filepath.Base(whole.Stored().Path()))
		if err := os.WriteFile(path, valid, 0o644); err != nil {
			t.Fatal(err)
		}
		table, err := probe.OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond) // file systems have coarse clocks
		if n := ask(t, whole, table, r); n != 0 {
			t.Fatalf("%d of the positions of a whole table are refused", n)
		}
		refused := 0
		for at := 4096; at < len(valid)-4096; at += 4096 {
			noise := make([]byte, 4096)
			for i := range noise {
				noise[i] = byte(r.Uint32() & r.Uint32())
			}
			overwrite(t, path, int64(at), noise)
			refused += ask(t, whole, table, r)
		}
		if refused == 0 {
			t.Error("nothing is refused")
		}
		table.Close()
	}
	if testing.Short() {
		t.Skip("half of the times only: it takes long under the race detector")
	}
}

// overwrite writes bytes into a file in place and sets the modification time back.
func overwrite(t *testing.T, path string, offset int64, content []byte) {
	t.Helper()
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(content, offset)
	if err := errors.Join(err, f.Close(), os.Chtimes(path, time.Time{}, before.ModTime())); err != nil {
		t.Fatal(err)
	}
}

// TestOverwrittenTableBatch does so with the consistent data of another table and asks a batch.
func TestOverwrittenTableBatch(t *testing.T) {
	whole := openAfter(t, 4, true, "a1")
	path, valid := copied(t, whole)
	table, err := probe.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	table.Number()
	texts := batchTexts(table, 300)
	checkBatch(t, table, texts)
	other, err := os.ReadFile(openAfter(t, 4, true, "b2").Stored().Path())
	if err != nil || len(other) != len(valid) {
		t.Fatalf("the other table has %d bytes, not %d: %v", len(other), len(valid), err)
	}
	const page = 4096
	time.Sleep(10 * time.Millisecond) // file systems have coarse clocks
	overwrite(t, path, page, other[page:len(other)-page])
	batch, err := table.Prefetch(t.Context(), reader.WorkerPool{Workers: 2}, len(texts), func(i int) string { return texts[i] }, false)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for i, text := range texts {
		got, _, err := batch.AppendAsk(nil, i, text)
		want, _, _ := probe.AppendAsk(whole, nil, text)
		if errors.Is(err, tablebase.ErrDamaged) {
			refused++
		} else if string(got) != string(want) {
			t.Errorf("%q: %s, %v\nwant %s", text, got, err, want)
		}
	}
	if refused == 0 {
		t.Error("nothing is refused")
	}
}

// ask asks some positions; each has the answer of another table or is refused as damaged. It
// returns how many are refused.
func ask(t *testing.T, whole, table *probe.Table, r *rand.Rand) (refused int) {
	t.Helper()
	for range 100 {
		p := probe.RandomOpenPosition(whole.Rules(), r)
		want, ranked, err := whole.Rate(nil, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, moves, err := table.Rate(nil, p, nil)
		if value, failure := table.Value(p); failure == nil && value != want {
			t.Errorf("%s: %v, want %v", whole.Rules().Format(p), value, want)
		}
		switch {
		case errors.Is(err, tablebase.ErrDamaged):
			refused++
		case err != nil:
			t.Errorf("%s: %v", whole.Rules().Format(p), err)
		case got != want || len(moves) != len(ranked) || len(moves) > 0 && moves[0] != ranked[0]:
			t.Errorf("%s: %v, want %v", whole.Rules().Format(p), got, want)
		}
	}
	return refused
}
