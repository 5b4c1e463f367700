package pack

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
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

// Seek tables and indices whose fields do not fit the file or each other are refused, though their
// checksums hold.
func TestSeekTableRefuses(t *testing.T) {
	const frames = 2*pieceFrames + 3
	entry := func(packed, length uint32) []byte {
		return le.AppendUint32(le.AppendUint32(le.AppendUint32(nil, packed), length), 7)
	}
	entries := bytes.Repeat(entry(10, 100), frames)
	const end, total = 10 * frames, 100 * frames
	index := indexHead + 3*indexEntrySize + indexEnd
	seal := func(b []byte) {
		le.PutUint32(b[end+index-12:], format.Checksum(b[end:end+index-12]))
	}
	for name, change := range map[string]func(b []byte) []byte{
		"":                              func(b []byte) []byte { return b },
		"no bytes":                      func(b []byte) []byte { le.PutUint64(b[end+index-20:], 0); return b },
		"more than frames hold":         func(b []byte) []byte { le.PutUint64(b[end+index-20:], frames*format.FrameSize+1); return b },
		"a piece before the first":      func(b []byte) []byte { le.PutUint64(b[end+indexHead:], 1); return b },
		"a piece where the one before":  func(b []byte) []byte { le.PutUint64(b[end+indexHead+indexEntrySize:], 0); return b },
		"a piece behind the frames":     func(b []byte) []byte { le.PutUint64(b[end+indexHead+2*indexEntrySize:], end); return b },
		"a piece a byte off":            func(b []byte) []byte { b[end+indexHead+indexEntrySize]++; return b },
		"another piece's checksum":      func(b []byte) []byte { b[end+indexHead+8]++; return b },
		"an index of another kind":      func(b []byte) []byte { b[end]++; return b },
		"an index of another length":    func(b []byte) []byte { b[end+4]++; return b },
		"a byte among the frames":       func(b []byte) []byte { return append([]byte{1}, b...) },
		"without an index":              func(b []byte) []byte { return append(b[:end:end], b[end+index:]...) },
		"without it, a byte among them": func(b []byte) []byte { return append(append(b[:end:end], 1), b[end+index:]...) },
	} {
		b := change(appendSeekTable(make([]byte, end), entries, total, Numbers))
		if bytes.HasSuffix(b[:min(len(b), end+index)], []byte(levelMagics[Numbers])) {
			seal(b)
		}
		s, err := readSeekTable(bytes.NewReader(b), int64(len(b)), frames)
		for i := 0; i < frames && err == nil; i += pieceFrames {
			_, err = s.frame(i)
		}
		if fine := name == "" || name == "without an index"; fine != (err == nil) || err != nil && !errors.Is(err, format.ErrSeekTable) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && (s.total != total || s.end != end) {
			t.Errorf("%s: %d bytes in %d", name, s.total, s.end)
		}
	}
	for _, test := range []struct {
		packed, length uint32
		ok             bool
	}{{1, 1, true}, {maxPackedBytes, maxNumberBytes, true}, {0, 1, false}, {1, 0, false}, {maxPackedBytes + 1, 1, false}, {1, maxNumberBytes + 1, false}} {
		b := appendSeekTable(make([]byte, 5+test.packed), append(entry(5, 5), entry(test.packed, test.length)...), 6, Words)
		s, err := readSeekTable(bytes.NewReader(b), int64(len(b)), 2)
		if err == nil {
			_, err = s.frame(1)
		}
		if (err == nil) != test.ok {
			t.Errorf("a frame of %d bytes, unpacked %d: %v", test.packed, test.length, err)
		}
	}
	b := appendSeekTable(make([]byte, 5), entry(5, 6), 6, Words)
	for n, ok := range map[int64]bool{0: false, 1: true, 2: false, 1 << 40: false} {
		if _, err := readSeekTable(bytes.NewReader(b), int64(len(b)), n); (err == nil) != ok {
			t.Errorf("%d frames of one: %v", n, err)
		}
	}
	s, err := readSeekTable(bytes.NewReader(appendSeekTable(make([]byte, end), entries, total, Words)), int64(end+index+len(entries)+seekTableFixed), frames)
	if err != nil {
		t.Fatal(err)
	}
	frame := []int{0, 1, pieceFrames - 1, pieceFrames, 2*pieceFrames + 2, frames}
	piece := func(i, entries int) format.Extent {
		return format.Extent{Offset: s.start + int64(i)*pieceBytes, Length: int64(entries) * SeekEntrySize}
	}
	if got := s.unread(frame); !slices.Equal(got, []format.Extent{piece(0, pieceFrames), piece(1, pieceFrames), piece(2, 3)}) {
		t.Errorf("unread are %v", got)
	}
	if _, err := s.frame(pieceFrames); err != nil {
		t.Fatal(err)
	}
	if got := s.unread(frame); !slices.Equal(got, []format.Extent{piece(0, pieceFrames), piece(2, 3)}) {
		t.Errorf("after one was read, unread are %v", got)
	}
}

// A zipped frame has the two bits of each state side by side.
func TestZip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 6))
	for _, size := range []int{0, 8, 16, 24, 4096, format.FrameSize} {
		plain := make([]byte, size)
		for i := range plain {
			plain[i] = byte(r.Uint32())
		}
		zipped := bytes.Clone(plain)
		zip(zipped)
		for state := range len(plain) / 16 * 64 {
			bit := func(b []byte, n int) byte { return b[n/8] >> (n % 8) & 1 }
			at := state/64*128 + state%64
			pair := state/64*128 + 2*(state%64)
			if bit(plain, at) != bit(zipped, pair) || bit(plain, at+64) != bit(zipped, pair+1) {
				t.Fatalf("%d bytes: state %d is not where it should be", size, state)
			}
		}
		if unzip(zipped); !bytes.Equal(zipped, plain) {
			t.Errorf("%d bytes: other ones after unzipping", size)
		}
	}
}
