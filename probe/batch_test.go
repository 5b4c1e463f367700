package probe_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"backsolve/game"
	"backsolve/probe"
	"backsolve/probe/probetest"
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

// sheafTexts returns the texts of positions, of which some are none of the table's and
// some cannot be read.
func sheafTexts(table *probe.Table, number int) (texts []string) {
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

// The answers of a batch are those to its texts one by one, byte for byte, with errors
// and all.
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
			texts := sheafTexts(table, n)
			checkSheaf(t, table, texts)
		}
	}
}

func checkSheaf(t *testing.T, table *probe.Table, texts []string) {
	t.Helper()
	sheaf, err := table.Prefetch(t.Context(), reader.WorkerPool{Workers: 2}, len(texts), func(i int) string { return texts[i] })
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		got, err := sheaf.AppendAsk([]byte("before "), i, text)
		want, wrong := table.AppendAsk([]byte("before "), text)
		if string(got) != string(want) || (err == nil) != (wrong == nil) || err != nil && err.Error() != wrong.Error() {
			t.Fatalf("%q: %s, %v\nwant %s, %v", text, got, err, want, wrong)
		}
	}
}

// The batch of a table that is damaged, or is closed meanwhile, has the errors of
// single questions; it ends with its context.
func TestBatchLookupOfWhatCannotBeRead(t *testing.T) {
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
	texts := sheafTexts(damaged, 500)
	checkSheaf(t, damaged, texts)
	damaged.Close()
	checkSheaf(t, damaged, texts)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := damaged.Prefetch(ctx, reader.WorkerPool{Workers: 2}, len(texts), func(i int) string { return texts[i] }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// What an opening table ends before is told alike.
func TestBatchLookupOfAnOpening(t *testing.T) {
	table, _ := probetest.Opening(t, open(t, "notakto", 4, false), 4)
	checkSheaf(t, table, sheafTexts(table, 1000))
}

var (
	tableFile = flag.String("table", "", "the packed `table` that BenchmarkSheaf asks")
	positions = flag.Int("positions", 10_000, "how many `positions` BenchmarkSheaf asks for at once")
)

// BenchmarkSheaf answers positions of a packed table in sheaves and one by one.
func BenchmarkSheaf(b *testing.B) {
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
	b.Run("sheaf", func(b *testing.B) {
		for b.Loop() {
			sheaf, err := table.Prefetch(b.Context(), reader.WorkerPool{Workers: 2}, len(texts), func(i int) string { return texts[i] })
			if err != nil {
				b.Fatal(err)
			}
			for i, text := range texts {
				if dst, err = sheaf.AppendAsk(dst[:0], i, text); err != nil {
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
				if dst, err = table.AppendAsk(dst[:0], text); err != nil {
					b.Fatal(err)
				}
			}
		}
		report(b)
	})
}
