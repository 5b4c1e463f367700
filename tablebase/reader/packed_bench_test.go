package reader_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"backsolve/tablebase"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/reader"
)

var tableFile = flag.String("table", "", "the `table` that BenchmarkPacked looks up; its packed copy must lie beside it")

// BenchmarkPacked compares lookups, each with the search for its block, in a
// mapped table, in a packed one, and in a packed one with room for 8 frames only,
// so that nearly every lookup unpacks: of random states, and on a walk that
// changes one bit of the index at a time and the block every hundred states.
func BenchmarkPacked(b *testing.B) {
	path := *tableFile
	if path == "" {
		_, classes := benchTable(b)
		path = tabletest.Write(b, tabletest.QuixoShape, classes)
		tabletest.Pack(b, path)
	}
	for _, form := range []struct {
		name, path string
		cache      int // bytes
	}{{"mapped", path, 64 << 20}, {"packed", path + tablebase.PackedSuffix, 64 << 20}, {"uncached", path + tablebase.PackedSuffix, reader.SmallCache}} {
		table, err := reader.OpenCaching(form.path, form.cache)
		if err != nil {
			b.Fatal(err)
		}
		defer table.Close()
		states := newStates(b, table)
		b.Run(form.name+"/random", func(b *testing.B) { states.measure(b, states.jump) })
		b.Run(form.name+"/walk", func(b *testing.B) { states.measure(b, states.step) })
	}
}

// BenchmarkPackedBatch looks up random states of a packed table of several sizes
// with two workers.
func BenchmarkPackedBatch(b *testing.B) {
	path := *tableFile
	if path == "" {
		_, classes := benchTable(b)
		path = tabletest.Write(b, tabletest.QuixoShape, classes)
		tabletest.Pack(b, path)
	}
	table := tabletest.Open(b, path+tablebase.PackedSuffix)
	states, r := newStates(b, table), rand.New(rand.NewPCG(9, 9))
	for _, size := range []int{1000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			for b.Loop() {
				batch := table.NewBatch(size)
				for i := range size {
					states.jump(r)
					if err := batch.Set(i, reader.Place{Class: records(table)[states.class].Class, Block: states.block, Index: states.index}); err != nil {
						b.Fatal(err)
					}
				}
				if err := batch.Read(b.Context(), reader.WorkerPool{Workers: 2}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*float64(size)/b.Elapsed().Seconds(), "lookups/s")
		})
	}
}

// states picks states of a table.
type states struct {
	table *reader.Table
	masks [][]uint64 // of the classes
	upTo  []uint64   // how many states the table has up to and with each class

	class, block, steps int
	index               uint64
}

func newStates(b *testing.B, table *reader.Table) *states {
	s := &states{table: table}
	sum := uint64(0)
	for i, c := range table.Classes() {
		masks, err := table.Masks(i)
		if err != nil {
			b.Fatal(err)
		}
		sum += uint64(c.Blocks) << c.IndexBits
		s.masks, s.upTo = append(s.masks, masks), append(s.upTo, sum)
	}
	return s
}

// jump goes to a random state.
func (s *states) jump(r *rand.Rand) {
	n := r.Uint64N(s.upTo[len(s.upTo)-1])
	for s.class = 0; n >= s.upTo[s.class]; s.class++ {
	}
	s.block = r.IntN(len(s.masks[s.class]))
	s.index = n & (1<<records(s.table)[s.class].IndexBits - 1)
}

// step goes to the next state of a walk.
func (s *states) step(r *rand.Rand) {
	if s.steps++; s.steps%100 == 1 {
		s.jump(r)
	} else if k := records(s.table)[s.class].IndexBits; k > 0 {
		s.index ^= 1 << r.IntN(k)
	}
}

func (s *states) measure(b *testing.B, next func(r *rand.Rand)) {
	r := rand.New(rand.NewPCG(9, 9))
	lookup := func() {
		next(r)
		class := records(s.table)[s.class].Class
		block, found, err := s.table.Find(class, s.masks[s.class][s.block])
		if err != nil || !found || block != s.block {
			b.Fatal(block, found, err)
		}
		if _, err := s.table.Lookup(class, block, s.index); err != nil {
			b.Fatal(err)
		}
	}
	for range 10_000 {
		lookup() // checks the checksums of what is small enough to be met again
	}
	b.ReportAllocs()
	for b.Loop() {
		lookup()
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "lookups/s")
}
