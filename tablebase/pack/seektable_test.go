package pack

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"backsolve/tablebase/format"
)

// TestSeekTableInPieces reads frames of a seek table of several pieces, with and without an
// index.
func TestSeekTableInPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 13))
	const frames = 3*pieceFrames + 77
	var entries []byte
	want := make([]packedFrame, frames)
	var offset, total int64
	for i := range want {
		want[i] = packedFrame{offset, 1 + r.Int64N(50), 1 + r.Int64N(format.FrameSize), r.Uint32()}
		entries = le.AppendUint32(entries, uint32(want[i].packed))
		entries = le.AppendUint32(entries, uint32(want[i].length))
		entries = le.AppendUint32(entries, want[i].checksum)
		offset += want[i].packed
		total += want[i].length
	}
	whole := appendSeekTable(make([]byte, offset), entries, total, Words)
	index := indexHead + (len(entries)+pieceBytes-1)/pieceBytes*indexEntrySize + indexEnd
	for name, b := range map[string][]byte{"indexed": whole, "not indexed": append(bytes.Clone(whole[:offset]), whole[int(offset)+index:]...)} {
		s, err := readSeekTable(bytes.NewReader(b), int64(len(b)), frames)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if s.total != total || s.indexed != (name == "indexed") {
			t.Errorf("%s: %d bytes, indexed: %v", name, s.total, s.indexed)
		}
		for _, i := range r.Perm(frames) {
			if got, err := s.frame(i); err != nil || got != want[i] {
				t.Fatalf("%s: frame %d is %v, want %v: %v", name, i, got, want[i], err)
			}
		}
	}
	for range 300 {
		b := bytes.Clone(whole)
		at := int(offset) + r.IntN(len(b)-int(offset)-seekTableEnd)
		b[at] ^= 1 << r.IntN(8)
		s, err := readSeekTable(bytes.NewReader(b), int64(len(b)), frames)
		for i := 0; i < frames && err == nil; i += pieceFrames {
			_, err = s.frame(i)
		}
		if err == nil && at != int(offset)+index && at > int(offset)+index+seekTableHead {
			t.Fatalf("a flip in byte %d of %d was not noticed", at-int(offset), len(b)-int(offset))
		}
	}
}
