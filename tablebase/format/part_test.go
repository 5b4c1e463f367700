package format

import (
	"bytes"
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

func randomColumns(columns, words int, seed uint64) [][]uint64 {
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
		planes := randomColumns(columns, words, 1)

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

// TestPartRoundTrip writes parts of up to three times IOSize and reads any run of their words
// back.
func TestPartRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Part{Offset: PageSize * rapid.Int64Range(0, 3).Draw(t, "page")}
		p.Columns = rapid.IntRange(1, 7).Draw(t, "columns")
		p.Words = rapid.OneOf(rapid.Int64Range(1, 200), rapid.Int64Range(1, 3*IOSize/8/int64(p.Columns))).Draw(t, "words")
		planes := randomColumns(p.Columns, int(p.Words), 2)
		var f memory
		list, err := p.Write(&f, Held(planes))
		if err != nil {
			t.Fatal(err)
		}
		if int64(len(f.b)) != p.Offset+p.Padded() {
			t.Fatalf("%d bytes written, want %d", len(f.b), p.Offset+p.Padded())
		}
		first := rapid.Int64Range(0, p.Words-1).Draw(t, "first")
		count := rapid.Int64Range(1, p.Words-first).Draw(t, "count")
		workers := rapid.IntRange(1, 4).Draw(t, "workers")
		got := randomColumns(p.Columns, int(count), 3)
		if err := p.Read(&f, list, first, count, got, workers); err != nil {
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
	p := Part{Offset: PageSize, Columns: 3, Words: 3 * IOSize / 24}
	var f memory
	list, err := p.Write(&f, Held(randomColumns(p.Columns, int(p.Words), 2)))
	if err != nil {
		t.Fatal(err)
	}
	at := IOSize + 5*ChunkSize + 77
	f.b[PageSize+at] ^= 4
	var bad *BadChunk
	err = p.Read(&f, list, 0, p.Words, nil, 2)
	if !errors.As(err, &bad) || bad.Chunk != at/ChunkSize {
		t.Errorf("a flipped byte in chunk %d: %v", at/ChunkSize, err)
	}
	before := int64(at/ChunkSize*ChunkSize) / 24
	if err := p.Read(&f, list, 0, before, nil, 2); err != nil {
		t.Errorf("reading up to the damaged chunk: %v", err)
	}
	f.b = f.b[:len(f.b)-1]
	if err := p.Read(&f, list, p.Words-1, 1, nil, 1); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a missing byte: %v", err)
	}
}

// readerFunc is a function as a reader.
type readerFunc func(p []byte, at int64) (int, error)

func (f readerFunc) ReadAt(p []byte, at int64) (int, error) { return f(p, at) }

// ReadFull reads all or says why not.
func TestReadFull(t *testing.T) {
	lost := errors.New("no such device")
	for _, c := range []struct {
		n    int
		err  error
		want error
	}{{4, nil, nil}, {4, io.EOF, nil}, {4, lost, nil}, {3, nil, io.ErrUnexpectedEOF}, {3, io.EOF, io.ErrUnexpectedEOF}, {0, io.EOF, io.ErrUnexpectedEOF}, {3, lost, lost}, {0, lost, lost}} {
		err := ReadFull(readerFunc(func(p []byte, at int64) (int, error) {
			if len(p) != 4 || at != 7 {
				t.Errorf("%d bytes from %d on", len(p), at)
			}
			return c.n, c.err
		}), make([]byte, 4), 7)
		if err != c.want {
			t.Errorf("%d bytes, %v: %v", c.n, c.err, err)
		}
	}
}

// A part of one column is copied, too.
func TestCopyOneColumn(t *testing.T) {
	p := Part{Columns: 1, Words: 100}
	columns, got := randomColumns(1, 100, 3), randomColumns(1, 40, 4)
	var f memory
	if _, err := p.Write(&f, Held(columns)); err != nil {
		t.Fatal(err)
	}
	if err := p.Copy(&f, 30, got); err != nil || !slices.Equal(got[0], columns[0][30:70]) {
		t.Errorf("other words: %v", err)
	}
}
