package tablebase

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// memory is a file in memory that grows as it is written.
type memory struct {
	sync.Mutex
	b []byte
}

func (m *memory) WriteAt(p []byte, at int64) (int, error) {
	m.Lock()
	defer m.Unlock()
	if need := int(at) + len(p); need > len(m.b) {
		m.b = append(m.b, make([]byte, need-len(m.b))...)
	}
	return copy(m.b[at:], p), nil
}

func (m *memory) ReadAt(p []byte, at int64) (int, error) {
	return bytes.NewReader(m.b).ReadAt(p, at)
}

func randomLanes(columns, words int, seed uint64) [][]uint64 {
	r := rand.New(rand.NewPCG(seed, 1))
	all := make([][]uint64, columns)
	for l := range all {
		all[l] = make([]uint64, words)
		for w := range all[l] {
			all[l][w] = r.Uint64()
		}
	}
	return all
}

// TestInterleave compares the interleaving with its definition.
func TestInterleave(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, 6).Draw(t, "columns")
		words := rapid.IntRange(1, 40).Draw(t, "words")
		rest := rapid.IntRange(0, 20).Draw(t, "rest")
		planes := randomLanes(columns, words, 1)

		got := bytes.Repeat([]byte{0xaa}, (columns*words+rest)*8)
		interleave(got, planes)
		want := make([]byte, len(got))
		for e := range columns * words {
			le.PutUint64(want[e*8:], planes[e%columns][e/columns])
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("interleave = %x, want %x", got, want)
		}
	})
}

// TestPartRoundTrip writes parts of up to a few stretches and reads any run of
// their words back.
func TestPartRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := part{offset: pageSize * rapid.Int64Range(0, 3).Draw(t, "page")}
		p.columns = rapid.IntRange(1, 7).Draw(t, "columns")
		p.words = rapid.OneOf(rapid.Int64Range(1, 200), rapid.Int64Range(1, 3*stretchSize/8/int64(p.columns))).Draw(t, "words")
		planes := randomLanes(p.columns, int(p.words), 2)
		var f memory
		list, err := p.write(&f, held(planes))
		if err != nil {
			t.Fatal(err)
		}
		if int64(len(f.b)) != p.offset+p.padded() {
			t.Fatalf("%d bytes written, want %d", len(f.b), p.offset+p.padded())
		}
		first := rapid.Int64Range(0, p.words-1).Draw(t, "first")
		count := rapid.Int64Range(1, p.words-first).Draw(t, "count")
		workers := rapid.IntRange(1, 4).Draw(t, "workers")
		got := randomLanes(p.columns, int(count), 3)
		if err := p.read(&f, &sums{held: list}, first, count, got, workers); err != nil {
			t.Fatal(err)
		}
		for l := range planes {
			if !slices.Equal(got[l], planes[l][first:first+count]) {
				t.Fatalf("column %d: words %d to %d differ", l, first, first+count-1)
			}
		}
	})
}

// TestPartReadFails has a byte flipped, and the end cut off.
func TestPartReadFails(t *testing.T) {
	p := part{offset: pageSize, columns: 3, words: 3 * stretchSize / 24}
	var f memory
	list, err := p.write(&f, held(randomLanes(p.columns, int(p.words), 2)))
	if err != nil {
		t.Fatal(err)
	}
	at := stretchSize + 5*chunkSize + 77
	f.b[pageSize+at] ^= 4
	var bad *badChunk
	err = p.read(&f, &sums{held: list}, 0, p.words, nil, 2)
	if !errors.As(err, &bad) || bad.chunk != at/chunkSize {
		t.Errorf("a flipped byte in chunk %d: %v", at/chunkSize, err)
	}
	before := int64(at/chunkSize*chunkSize) / 24
	if err := p.read(&f, &sums{held: list}, 0, before, nil, 2); err != nil {
		t.Errorf("reading up to the damaged chunk: %v", err)
	}
	f.b = f.b[:len(f.b)-1]
	if err := p.read(&f, &sums{held: list}, p.words-1, 1, nil, 1); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a missing byte: %v", err)
	}
}

// TestLargeClass has parts of several stretches and chunks.
func TestLargeClass(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	c := randomClass(r, quixoShape, 12, 15, 70, 5)
	table := open(t, write(t, quixoShape, []sealed{c}))
	checkAll(t, table, quixoShape, []sealed{c})
	var got Planes // its memory is used again for each run
	n := c.class.Words()
	for range 50 {
		first := r.IntN(c.class.Blocks())
		blocks := r.IntN(c.class.Blocks() - first + 1)
		if err := table.Planes(0, first, blocks, &got); err != nil {
			t.Fatal(err)
		}
		want := Planes{Win: c.planes.Win[first*n : (first+blocks)*n], Lose: c.planes.Lose[first*n : (first+blocks)*n]}
		for _, digit := range c.planes.Steps {
			want.Steps = append(want.Steps, digit[first*n:(first+blocks)*n])
		}
		if !samePlanes(want, got) {
			t.Fatalf("blocks %d+%d differ", first, blocks)
		}
	}
	calls, last := 0, int64(0)
	err := table.Verify(context.Background(), func(done, total int64) {
		if done <= last || total != table.Bytes() {
			t.Errorf("progress %d after %d of %d", done, last, total)
		}
		calls, last = calls+1, done
	})
	if err != nil || last != table.Bytes() || calls < 4 {
		t.Errorf("Verify: %v, %d calls, the last with %d of %d bytes", err, calls, last, table.Bytes())
	}
}
