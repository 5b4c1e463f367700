package reader_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/reader"
	"backsolve/tablebase/writer"
)

// benchTable is about as large as Quixo 4×4: 101 blocks of 2^k states in each
// of a few classes, with five digits of steps.
func benchTable(b *testing.B) (*reader.Table, []tabletest.Sealed) {
	r := rand.New(rand.NewPCG(3, 3))
	classes := []tabletest.Sealed{
		tabletest.RandomClass(r, tabletest.QuixoShape, 16, 16, 1, 5),
		tabletest.RandomClass(r, tabletest.QuixoShape, 12, 12, 252, 5),
		tabletest.RandomClass(r, tabletest.QuixoShape, 8, 8, 1674, 5),
	}
	return tabletest.Open(b, tabletest.Write(b, tabletest.QuixoShape, classes)), classes
}

func BenchmarkLookup(b *testing.B) {
	table, classes := benchTable(b)
	c := classes[1].Class
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		r := rand.New(rand.NewPCG(rand.Uint64(), 5))
		for pb.Next() {
			x := r.Uint64()
			if _, err := table.Lookup(c.Class, int(x%252), x>>52); err != nil {
				b.Error(err)
			}
		}
	})
}

func BenchmarkFindAndLookup(b *testing.B) {
	table, classes := benchTable(b)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		r := rand.New(rand.NewPCG(rand.Uint64(), 5))
		for pb.Next() {
			x := r.Uint64()
			c := classes[x%3].Class
			block, found, err := table.Find(c.Class, c.Masks[x>>8%uint64(len(c.Masks))])
			if err != nil || !found {
				b.Error(found, err)
			}
			if _, err := table.Lookup(c.Class, block, x>>(64-c.IndexBits)); err != nil {
				b.Error(err)
			}
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	_, classes := benchTable(b)
	path := tabletest.Write(b, tabletest.QuixoShape, classes)
	for b.Loop() {
		table, err := reader.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := table.Lookup(12, 5, 77); err != nil {
			b.Fatal(err)
		}
		table.Close()
	}
}

// BenchmarkSeal seals a class of 16 MiB a plane into an empty file.
func BenchmarkSeal(b *testing.B) {
	for _, digits := range []int{0, 5} {
		b.Run(fmt.Sprintf("digits=%d", digits), func(b *testing.B) {
			c := tabletest.RandomClass(rand.New(rand.NewPCG(3, 3)), tabletest.QuixoShape, 12, 17, 1024, digits)
			path := filepath.Join(b.TempDir(), "seal.tb")
			b.SetBytes(int64(2+digits) * int64(len(c.Planes.Win)) * 8)
			for b.Loop() {
				b.StopTimer()
				w, err := writer.Create(path, tabletest.QuixoShape, true)
				if err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				if err := w.Seal(c.Class, c.Planes, c.Counts); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				w.Close()
				os.Remove(path + tablebase.PartialSuffix)
				b.StartTimer()
			}
		})
	}
}

// BenchmarkSealSmall seals a table of many tiny classes.
func BenchmarkSealSmall(b *testing.B) {
	c := tabletest.RandomClass(rand.New(rand.NewPCG(3, 3)), tabletest.QuixoShape, 0, 6, 10, 5)
	dir := b.TempDir()
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		w, err := writer.Create(filepath.Join(dir, fmt.Sprint(i)), tabletest.QuixoShape, false)
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		for class := range format.MaxClass {
			c.Class.Class = class
			if err := w.Seal(c.Class, c.Planes, c.Counts); err != nil {
				b.Fatal(err)
			}
		}
		b.StopTimer()
		w.Close()
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/format.MaxClass, "ns/class")
}

func BenchmarkVerify(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 3))
	table := tabletest.Open(b, tabletest.Write(b, tabletest.QuixoShape, []tabletest.Sealed{tabletest.RandomClass(r, tabletest.QuixoShape, 12, 17, 1024, 0)}))
	b.SetBytes(table.Bytes())
	for b.Loop() {
		if err := table.Verify(b.Context(), 1, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkWriteTable writes 47 MB in 25 classes, about as Notakto 6×6 has
// them, with what Finish waits for shown apart.
func BenchmarkWriteTable(b *testing.B) {
	shape := tablebase.Shape{Game: "notakto", Size: 6, Planes: 1}
	r := rand.New(rand.NewPCG(3, 3))
	var classes []tabletest.Sealed
	for class := range 25 {
		classes = append(classes, tabletest.RandomClass(r, shape, 24-class, 12, 1+600*min(class, 24-class)+25*class, 0))
	}
	path := filepath.Join(b.TempDir(), "t.tb")
	b.ResetTimer()
	finish := time.Duration(0)
	for b.Loop() {
		w, err := writer.Create(path, shape, true)
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range classes {
			if err := w.Seal(c.Class, c.Planes, c.Counts); err != nil {
				b.Fatal(err)
			}
		}
		start := time.Now()
		summary, err := w.Finish()
		if err != nil {
			b.Fatal(err)
		}
		finish += time.Since(start)
		b.SetBytes(summary.Bytes)
	}
	b.ReportMetric(float64(finish.Milliseconds())/float64(b.N), "ms-in-finish")
}
