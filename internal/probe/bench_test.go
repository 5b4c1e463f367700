package probe_test

import (
	"math/rand/v2"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
)

// randomPositions returns positions of a board, the same ones each time.
func randomPositions(table *probe.Table, number int) []game.Position {
	r := rand.New(rand.NewPCG(1, 2))
	positions := make([]game.Position, number)
	for i := range positions {
		positions[i] = probe.RandomPosition(table.Rules(), r)
	}
	return positions
}

func BenchmarkLookup(b *testing.B) {
	for _, board := range []struct {
		game string
		n    int
	}{{"quixo", 4}, {"notakto", 5}} {
		b.Run(board.game, func(b *testing.B) {
			table := open(b, board.game, board.n, true)
			positions := randomPositions(table, 1<<16)
			for _, p := range positions {
				if _, err := table.Value(p); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				table.Value(positions[i&(1<<16-1)])
				i++
			}
		})
	}
}

// TestAppendAnswerDoesNotAllocate appends answers to a buffer with room.
func TestAppendAnswerDoesNotAllocate(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector makes pools forget")
	}
	table := open(t, "quixo", 3, true)
	positions := randomPositions(table, 100)
	dst := make([]byte, 0, 1<<14)
	allocations := testing.AllocsPerRun(100, func() {
		for _, p := range positions {
			if _, err := table.AppendAnswer(dst, p); err != nil {
				t.Fatal(err)
			}
		}
	})
	if allocations > 1 {
		t.Errorf("%v allocations for %d answers", allocations, len(positions))
	}
}

func BenchmarkAnswer(b *testing.B) {
	table := open(b, "quixo", 4, true)
	positions := randomPositions(table, 1<<10)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if _, err := table.Answer(positions[i&(1<<10-1)]); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

// BenchmarkAppendAsk goes from the text of a position to the JSON of its answer, with and
// without numbered blocks.
func BenchmarkAppendAsk(b *testing.B) {
	table := open(b, "quixo", 4, true)
	var texts []string
	for _, p := range randomPositions(table, 1<<10) {
		texts = append(texts, table.Rules().Format(p))
	}
	ask := func(b *testing.B) {
		var dst []byte
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			var err error
			if dst, _, err = probe.AppendAsk(table, dst[:0], texts[i&(1<<10-1)]); err != nil {
				b.Fatal(err)
			}
			i++
		}
	}
	b.Run("searched", ask)
	table.Number()
	b.Run("numbered", ask)
}

func BenchmarkOpen(b *testing.B) {
	for _, name := range []string{"quixo", "notakto"} {
		b.Run(name, func(b *testing.B) {
			rules := newRules(b, name, 4)
			dir := solvedIn(b, rules, true)
			for b.Loop() {
				table, err := probe.Open(dir, rules)
				if err != nil {
					b.Fatal(err)
				}
				table.Close()
			}
		})
	}
}
