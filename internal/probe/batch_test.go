package probe_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
	"backsolve/tablebase/reader"
	"backsolve/tablebase/writer"
)

// packedCopy opens a packed copy of a table.
func packedCopy(t testing.TB, rules game.Grid, taken uint64, steps bool) *probe.Table {
	t.Helper()
	name := probe.FileNameAfter(rules.Info(), taken)
	data, err := os.ReadFile(filepath.Join(tables.Dir(t, rules, taken, steps), name))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	packed, err := writer.Pack(t.Context(), path, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	table, err := probe.OpenFile(packed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}

// batchTexts returns the texts of positions. Some are not of the table, and some cannot be
// read.
func batchTexts(table *probe.Table, number int) (texts []string) {
	for i, p := range randomPositions(table, number) {
		if p.X |= table.Start().X; i%50 == 7 {
			p.X &^= 1
		}
		texts = append(texts, table.Rules().Format(p))
		if i%31 == 5 {
			texts = append(texts, "nonsense", "")
		}
	}
	return texts
}

// TestBatchLookup compares the answers of a batch, errors included, with single ones, byte for
// byte.
func TestBatchLookup(t *testing.T) {
	for _, b := range []struct {
		game  string
		n     int
		taken []string
		steps bool
	}{{"quixo", 3, nil, true}, {"quixo", 3, nil, false}, {"notakto", 4, nil, true}, {"notakto", 4, []string{"a4"}, true}, {"tictactoe", 3, nil, false}} {
		rules := newRules(t, b.game, b.n)
		taken := uint64(0)
		if b.taken != nil {
			taken = mask(t, rules, b.taken...)
		}
		table := packedCopy(t, rules, taken, b.steps)
		for _, n := range []int{0, 1, 5, 1000} {
			texts := batchTexts(table, n)
			checkBatch(t, table, texts)
		}
	}
}

func checkBatch(t *testing.T, table *probe.Table, texts []string) {
	t.Helper()
	batch, err := table.Prefetch(t.Context(), reader.WorkerPool{Workers: 2}, len(texts), func(i int) string { return texts[i] }, false)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		got, moves, err := batch.AppendAsk([]byte("before "), i, text)
		want, wantMoves, wrong := probe.AppendAsk(table, []byte("before "), text)
		if string(got) != string(want) || moves != wantMoves || (err == nil) != (wrong == nil) || err != nil && err.Error() != wrong.Error() {
			t.Fatalf("%q: %s, %v\nwant %s, %v", text, got, err, want, wrong)
		}
	}
}

// TestBatchLookupUnreadable compares the errors of a table that is damaged or closed with those
// of single questions, and cancels a batch.
func TestBatchLookupUnreadable(t *testing.T) {
	table := packedCopy(t, newRules(t, "quixo", 3), 0, true)
	path := table.Stored().Path()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const header = 4200 // bytes, at most
	for at := header; at < (header+len(data))/2; at += 50 {
		data[at] ^= 1
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	table.Close()
	damaged, err := probe.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	texts := batchTexts(damaged, 500)
	checkBatch(t, damaged, texts)
	damaged.Close()
	checkBatch(t, damaged, texts)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := damaged.Prefetch(ctx, reader.WorkerPool{Workers: 2}, len(texts), func(i int) string { return texts[i] }, false); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestBatchLookupOpening compares a batch of an opening table with single answers.
func TestBatchLookupOpening(t *testing.T) {
	table, _ := probetest.Opening(t, open(t, "notakto", 4, false), 4)
	checkBatch(t, table, batchTexts(table, 1000))
}

var (
	tableFile = flag.String("table", "", "the packed `table` that BenchmarkBatch asks")
	positions = flag.Int("positions", 10_000, "how many `positions` BenchmarkBatch asks for at once")
)

// BenchmarkBatch answers positions of a packed table in batches and one by one.
func BenchmarkBatch(b *testing.B) {
	table, err := probe.OpenFile(*tableFile)
	if *tableFile == "" {
		table, err = packedCopy(b, newRules(b, "quixo", 4), 0, true), nil
	}
	if err != nil {
		b.Fatal(err)
	}
	defer table.Close()
	rules := table.Rules()
	var texts []string
	for _, p := range randomPositions(table, *positions) {
		texts = append(texts, rules.Format(p))
	}
	report := func(b *testing.B) {
		b.ReportMetric(float64(b.N)*float64(len(texts))/b.Elapsed().Seconds(), "positions/s")
	}
	var dst []byte
	b.Run("batch", func(b *testing.B) {
		for b.Loop() {
			batch, err := table.Prefetch(b.Context(), reader.WorkerPool{Workers: 2}, len(texts), func(i int) string { return texts[i] }, false)
			if err != nil {
				b.Fatal(err)
			}
			for i, text := range texts {
				if dst, _, err = batch.AppendAsk(dst[:0], i, text); err != nil {
					b.Fatal(err)
				}
			}
		}
		report(b)
	})
	b.Run("single", func(b *testing.B) {
		for b.Loop() {
			for _, text := range texts {
				var err error
				if dst, _, err = probe.AppendAsk(table, dst[:0], text); err != nil {
					b.Fatal(err)
				}
			}
		}
		report(b)
	})
}
