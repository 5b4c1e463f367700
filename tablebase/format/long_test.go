package format

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"backsolve/tablebase"
)

// The parts of Quixo 4×7, in a file of terabytes that is nearly all hole, are read where they were
// written, around the words at which narrower numbers would wrap.
func TestLongParts(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("the file is longer than 32 bits address")
	}
	shape := tablebase.Shape{Game: "quixo", Size: 7, Planes: 2, Steps: true}
	r, err := NewRecord(shape, 18, 18, 3_284_490, 9, 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "table"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(r.End()); err != nil {
		t.Skipf("no file of %d bytes here: %v", r.End(), err)
	}
	hole := Checksum(make([]byte, ChunkSize))
	for _, p := range []Part{r.Parts[Outcomes], r.Parts[Masks]} {
		sums := slices.Repeat([]uint32{hole}, p.Chunks())
		_, last := p.Chunk(p.Chunks() - 1)
		sums[p.Chunks()-1] = Checksum(make([]byte, last))
		words := []int64{0, p.Words - 1}
		for at := int64(1) << 20; at < p.Words; at <<= 1 {
			words = append(words, at-1, at)
		}
		for _, word := range words {
			for column := range p.Columns {
				if _, err := f.WriteAt(le.AppendUint64(nil, uint64(word)<<8|uint64(column)|1<<63), int64(p.WordOffset(uint64(word)))+int64(8*column)); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, word := range words {
			chunk := int(word * int64(8*p.Columns) / ChunkSize)
			at, length := p.Chunk(chunk)
			buf := make([]byte, length)
			if err := ReadFull(f, buf, at); err != nil {
				t.Fatal(err)
			}
			sums[chunk] = Checksum(buf)
		}
		read := func(word int64) ([]uint64, error) {
			dst := make([][]uint64, p.Columns)
			for i := range dst {
				dst[i] = make([]uint64, 1)
			}
			err := p.Read(f, sums, word, 1, dst, 1)
			copied := slices.Concat(dst...)
			if err == nil {
				err = p.Copy(f, word, dst)
			}
			if !slices.Equal(copied, slices.Concat(dst...)) {
				t.Errorf("word %d is read as %x, and copied as %x", word, copied, dst)
			}
			return copied, err
		}
		for _, word := range words {
			got, err := read(word)
			for column, x := range got {
				if err != nil || x != uint64(word)<<8|uint64(column)|1<<63 {
					t.Errorf("word %d of column %d is %#x, %v", word, column, x, err)
				}
			}
		}
		chunk := p.Chunks() - 1
		sums[chunk]++
		var bad *BadChunk
		if _, err := read(p.Words - 1); !errors.As(err, &bad) || bad.Chunk != chunk {
			t.Errorf("with another checksum of chunk %d: %v", chunk, err)
		}
	}
}
