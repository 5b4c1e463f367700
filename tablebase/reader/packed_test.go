package reader_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/pack"
	"backsolve/tablebase/reader"
)

// probePacked asks a possibly damaged packed table everything, as probeTable does.
// Some flips change nothing, since zstd has bits that no decoder looks at: so
// Verify may pass, but then all must unpack to the valid bytes.
func probePacked(t testing.TB, path string, classes []tabletest.Sealed, valid []byte) {
	t.Helper()
	table, err := reader.OpenCaching(path, reader.SmallCache)
	if err != nil {
		checkRefusal(t, path, err)
		return
	}
	defer table.Close()
	for i, c := range classes {
		probeClass(t, table, i, c)
	}
	err = table.Verify(context.Background(), 1, nil)
	if err != nil {
		checkRefusal(t, path, err)
		return
	}
	b := make([]byte, table.Bytes())
	if err := format.ReadFull(table, b, 0); err != nil || !bytes.Equal(b, valid) {
		t.Errorf("Verify passes, but it unpacks to something else: %v", err)
	}
}

// TestEveryPackedByteFlipped changes each byte of a packed table, one at a time:
// two of its bits, and then all eight at once.
func TestEveryPackedByteFlipped(t *testing.T) {
	classes := tinyTable()
	path := tabletest.Write(t, tabletest.QuixoShape, classes)
	valid := tabletest.ReadFile(t, path)
	packed := tabletest.Pack(t, path)
	f, err := os.OpenFile(packed, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for at, b := range tabletest.ReadFile(t, packed) {
		if testing.Short() && at%17 != 0 {
			continue
		}
		for i, flipped := range []byte{b ^ 1<<(at%8), ^b, b} {
			if testing.Short() && i == 1 {
				continue
			}
			if _, err := f.WriteAt([]byte{flipped}, int64(at)); err != nil {
				t.Fatal(err)
			}
			probePacked(t, packed, classes, valid)
			if t.Failed() {
				t.Fatalf("after byte %d became %#x", at, flipped)
			}
		}
	}
	if err := tabletest.Open(t, packed).Verify(context.Background(), 1, nil); err != nil {
		t.Errorf("restored, but %v", err)
	}
	if testing.Short() {
		t.Skip("a part of it only: all takes long under the race detector")
	}
}

// TestOpenRefusesEveryPackedCut cuts a packed table at every byte.
func TestOpenRefusesEveryPackedCut(t *testing.T) {
	path := tabletest.Pack(t, tabletest.Write(t, notaktoShape, tabletest.SmallTable(notaktoShape)))
	for length := len(tabletest.ReadFile(t, path)) - 1; length >= 0; length-- {
		if err := os.Truncate(path, int64(length)); err != nil {
			t.Fatal(err)
		}
		_, err := reader.Open(path)
		if checkRefusal(t, path, err); !errors.Is(err, tablebase.ErrTruncated) {
			t.Fatalf("cut to %d bytes: %v", length, err)
		}
	}
}

// frame packs pieces as they are given, in zstd's seekable format: a frame each, then a
// skippable frame with their sizes and checksums
// (https://github.com/facebook/zstd/blob/dev/contrib/seekable_format/zstd_seekable_compression_format.md).
func frame(t testing.TB, pieces ...[]byte) (packed []byte) {
	t.Helper()
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	u32 := binary.LittleEndian.AppendUint32
	var entries []byte
	for _, piece := range pieces {
		before := len(packed)
		packed = encoder.EncodeAll(piece, packed)
		entries = u32(u32(entries, uint32(len(packed)-before)), uint32(len(piece)))
		entries = u32(entries, uint32(xxhash.Sum64(piece)))
	}
	const withChecksums = 1 << 7
	footer := u32(append(u32(nil, uint32(len(pieces))), withChecksums), 0x8F92EAB1)
	packed = u32(u32(packed, 0x184D2A5E), uint32(len(entries)+len(footer)))
	return append(append(packed, entries...), footer...)
}

// frameExtent returns where the i-th frame of a packed table stands, by its seek table.
func frameExtent(b []byte, i int) (offset, packed int) {
	u32 := func(at int) int { return int(binary.LittleEndian.Uint32(b[at:])) }
	entries := len(b) - seekTableEnd - 12*u32(len(b)-seekTableEnd)
	for n := range i {
		offset += u32(entries + 12*n)
	}
	return offset, u32(entries + 12*i)
}

// cutUp returns the frames of a table as Pack cuts them.
func cutUp(t testing.TB, path string) (pieces [][]byte) {
	b, table := tabletest.ReadFile(t, path), tabletest.Open(t, path)
	for _, r := range pack.RegionsOf(table.Layout()) {
		pieces = slices.AppendSeq(pieces, slices.Chunk(b[r.Offset:r.Offset+r.Length], format.FrameSize))
	}
	return pieces
}

// TestOpenRefusesOtherFrames opens what is packed rightly but is no table, or
// not cut as one.
func TestOpenRefusesOtherFrames(t *testing.T) {
	path := tabletest.Write(t, tabletest.QuixoShape, tabletest.LargeTable(tabletest.QuixoShape))
	valid, pieces := tabletest.ReadFile(t, path), cutUp(t, path)
	changed := func(f func(p [][]byte) [][]byte) []byte { return frame(t, f(append([][]byte{}, pieces...))...) }
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		bytes []byte
		want  error
		says  string
	}{
		{"plain zstd", encoder.EncodeAll(valid, nil), tablebase.ErrTruncated, "with a seek table"},
		{"text", frame(t, bytes.Repeat([]byte("hello\n"), 1000)), tablebase.ErrForeign, ""},
		{"short text", frame(t, []byte("hello\n")), tablebase.ErrForeign, ""},
		{"packed twice", frame(t, frame(t, valid[:format.PageSize])), tablebase.ErrForeign, ""},
		{"long frames", frame(t, valid), tablebase.ErrDamaged, "as in no packed table"},
		{"other cut", frame(t, valid[:format.PageSize], valid[format.PageSize:2*format.PageSize], valid[2*format.PageSize:8*format.PageSize]), tablebase.ErrTruncated, "of"},
		{"a frame missing", changed(func(p [][]byte) [][]byte { return append(p[:3], p[4:]...) }), tablebase.ErrTruncated, "bytes"},
		{"a frame too many", changed(func(p [][]byte) [][]byte { return append(p, p[0]) }), tablebase.ErrDamaged, "bytes"},
		{"cut in halves", changed(func(p [][]byte) [][]byte {
			return append([][]byte{p[0], p[1][:100], p[1][100:]}, p[2:]...)
		}), tablebase.ErrDamaged, "frames, not"},
		{"a newer table", changed(func(p [][]byte) [][]byte {
			p[0] = bytes.Clone(p[0])
			p[0][8] = 4
			format.SealHeader(p[0])
			return p
		}), tablebase.ErrNewer, "version 4"},
		{"another's directory", changed(func(p [][]byte) [][]byte {
			last := bytes.Clone(p[len(p)-1])
			last[60] ^= 1
			return append(p[:len(p)-1], last)
		}), tablebase.ErrDamaged, "directory"},
		{"frames behind the table", append(frame(t, pieces...)[:100], frame(t, pieces...)...), tablebase.ErrDamaged, "and the file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := tabletest.Save(t, test.bytes)
			_, err := reader.Open(path)
			if checkRefusal(t, path, err); !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want %v that says %q", err, test.want, test.says)
			}
		})
	}
}

// TestForeignFrame has a frame in a packed table that is whole but from another place: only the
// checksum of the chunk shows it.
func TestForeignFrame(t *testing.T) {
	classes := tabletest.LargeTable(tabletest.QuixoShape)
	path := tabletest.Write(t, tabletest.QuixoShape, classes)
	pieces := cutUp(t, path)
	pieces[4], pieces[5] = pieces[5], pieces[4] // the header is 0, two frames are a chunk
	table := tabletest.Open(t, tabletest.Save(t, frame(t, pieces...)))
	checkDamage(t, table, classes[0], 16, 48)
	var e *tablebase.Error
	offset := records(table)[0].Parts[format.Outcomes].Offset + format.ChunkSize
	want := tablebase.Range{Class: 7, Part: "outcomes", Offset: offset, Length: 2 * format.ChunkSize}
	if err := table.Verify(context.Background(), 1, nil); !errors.As(err, &e) || len(e.Damaged) != 1 || e.Damaged[0] != want {
		t.Errorf("Verify: %v, want %v", err, want)
	}
}

// checkDamage wants lookups to fail in blocks [from, to) and to be right in all
// others. 64 KiB of two planes are 16 slices of 256 words.
func checkDamage(t *testing.T, table *reader.Table, c tabletest.Sealed, from, to int) {
	t.Helper()
	for block := range len(c.Class.Masks) {
		entry, err := table.Lookup(c.Class.Class, block, 12345)
		if isDamaged := block >= from && block < to; isDamaged != errors.Is(err, tablebase.ErrDamaged) {
			t.Errorf("Lookup in block %d: %v", block, err)
		} else if !isDamaged && entry != entryOf(c, tabletest.QuixoShape, block, 12345) {
			t.Errorf("Lookup in block %d = %v", block, entry)
		}
	}
}

// TestPackedDamageIsNamed flips a byte of a frame: lookups in its chunk fail, a second time,
// too, and others do not.
func TestPackedDamageIsNamed(t *testing.T) {
	classes := tabletest.LargeTable(tabletest.QuixoShape)
	b := tabletest.ReadFile(t, tabletest.Pack(t, tabletest.Write(t, tabletest.QuixoShape, classes)))
	offset, packed := frameExtent(b, 6)
	b[offset+packed/2] ^= 0x10
	table := tabletest.Open(t, tabletest.Save(t, b))
	for range 2 {
		checkDamage(t, table, classes[0], 32, 48)
	}
	if _, err := table.Lookup(7, 40, 0); err == nil || !strings.Contains(err.Error(), "does not unpack") {
		t.Errorf("Lookup: %v", err)
	}
	if err := table.Planes(0, 0, 80, new(tablebase.Planes)); !errors.Is(err, tablebase.ErrDamaged) {
		t.Errorf("Planes: %v", err)
	}
}

// TestSmallCache looks everything up with a cache of 8 frames, from many goroutines.
func TestSmallCache(t *testing.T) {
	classes := tabletest.LargeTable(tabletest.QuixoShape)
	table := openSmall(t, tabletest.Pack(t, tabletest.Write(t, tabletest.QuixoShape, classes)))
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() { checkAll(t, table, tabletest.QuixoShape, classes) })
	}
	group.Wait()
}

func TestPackedLookupDoesNotAllocate(t *testing.T) {
	classes := tabletest.LargeTable(tabletest.QuixoShape)
	table := tabletest.Open(t, tabletest.Pack(t, tabletest.Write(t, tabletest.QuixoShape, classes)))
	mask := classes[0].Class.Masks[3]
	allocs := testing.AllocsPerRun(1000, func() {
		block, _, _ := table.Find(7, mask)
		table.Lookup(7, block, 77)
	})
	if allocs != 0 {
		t.Errorf("Find and Lookup allocate %v times", allocs)
	}
}

func TestPackedRefusesInput(t *testing.T) {
	table := tabletest.Open(t, tabletest.Pack(t, tabletest.Write(t, tabletest.QuixoShape, tabletest.SmallTable(tabletest.QuixoShape))))
	for _, state := range [][3]int{{7, 0, 0}, {9, 1, 0}, {9, 0, 512}} {
		if _, err := table.Lookup(state[0], state[1], uint64(state[2])); !errors.Is(err, tablebase.ErrInput) {
			t.Errorf("Lookup(%v): %v", state, err)
		}
	}
	for _, mask := range []uint64{0, 1<<64 - 1} {
		if b, found, err := table.Find(8, mask); found || err != nil || b != 0 {
			t.Errorf("Find of mask %d: %d, %v, %v", mask, b, found, err)
		}
	}
}

// TestPackedShrinks cuts a packed table that is open: what is in the cache may
// still be answered, rightly.
func TestPackedShrinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not let an open file be shortened")
	}
	classes := tabletest.NumbersTable(tabletest.QuixoShape)
	path := tabletest.Pack(t, tabletest.Write(t, tabletest.QuixoShape, classes))
	table := openSmall(t, path)
	checkAnswersUntil(t, table, classes, tablebase.ErrTruncated, func() error { return os.Truncate(path, 2000) })
	if err := table.Verify(context.Background(), 1, nil); !errors.Is(err, tablebase.ErrTruncated) {
		t.Errorf("Verify: %v", err)
	}
}

func TestPackedClosesUnderLookups(t *testing.T) {
	classes := tabletest.NumbersTable(tabletest.QuixoShape)
	path := tabletest.Pack(t, tabletest.Write(t, tabletest.QuixoShape, classes))
	for range 20 {
		table := tabletest.Open(t, path)
		checkAnswersUntil(t, table, classes, tablebase.ErrClosed, table.Close)
		if err := table.Verify(context.Background(), 1, nil); !errors.Is(err, tablebase.ErrClosed) {
			t.Errorf("Verify: %v", err)
		}
	}
}

func TestPackedReadAt(t *testing.T) {
	path := tabletest.Write(t, tabletest.QuixoShape, tabletest.NumbersTable(tabletest.QuixoShape))
	valid := tabletest.ReadFile(t, path)
	data := tabletest.Open(t, tabletest.Pack(t, path))
	r := rand.New(rand.NewPCG(8, 8))
	for range 200 {
		from := r.IntN(len(valid))
		length := r.IntN(4 * format.FrameSize)
		buf := make([]byte, length)
		n, err := data.ReadAt(buf, int64(from))
		want := valid[from:min(len(valid), from+length)]
		if !bytes.Equal(buf[:n], want) || (err == io.EOF) != (n < length) || err != nil && err != io.EOF {
			t.Fatalf("ReadAt(%d bytes, %d) = %d, %v, want %d bytes", length, from, n, err, len(want))
		}
	}
}

// FuzzPackedDamage changes bytes of a packed table and cuts it: what it still
// says must be right.
func FuzzPackedDamage(f *testing.F) {
	classes := tinyTable()
	path := tabletest.Write(f, tabletest.QuixoShape, classes)
	valid, packed := tabletest.ReadFile(f, path), tabletest.ReadFile(f, tabletest.Pack(f, path))
	f.Add([]byte{}, uint16(0))
	f.Add([]byte{0x10, 0x05, 0xff}, uint16(0))
	for back := 1; back < 64; back += 3 {
		at := len(packed) - back
		f.Add([]byte{byte(at), byte(at >> 8), 0x81}, uint16(0))
	}
	f.Fuzz(func(t *testing.T, edits []byte, cut uint16) {
		b := edit(packed, edits)
		path := tabletest.Save(t, b[:len(b)-int(cut)%len(b)])
		probePacked(t, path, classes, valid)
	})
}

// What lookups will read is unpacked before, on a table in a file, and only that; also
// where the chunks were checked before.
func TestUnpackAll(t *testing.T) {
	path := tabletest.Pack(t, tabletest.Write(t, tabletest.QuixoShape, tabletest.LargeTable(tabletest.QuixoShape)))
	places := []reader.Place{{Class: 7, Block: 0, Index: 0}, {Class: 7, Block: 40, Index: 1000}, {Class: 7, Block: 79, Index: 1<<14 - 1}, {Class: 2, Block: 0, Index: 5}}
	for _, checked := range []bool{false, true} {
		table := tabletest.Open(t, path)
		for _, part := range []int{format.Outcomes, format.Steps} {
			for _, class := range []int{7, 2} {
				record := records(table)[slices.IndexFunc(table.Classes(), func(c tablebase.ClassInfo) bool { return c.Class == class })]
				for chunk := range record.Parts[part].Chunks() {
					if checked {
						table.SetChecked(class, part, chunk)
					}
				}
			}
			for _, p := range places {
				if table.IsCold(part, p) != (part == format.Outcomes || p.Class == 7) {
					t.Fatalf("checked %t: part %d of %v is unpacked already", checked, part, p)
				}
			}
			table.UnpackAll(part, places)
			for _, p := range places {
				if table.IsCold(part, p) {
					t.Errorf("checked %t: part %d of %v is not unpacked", checked, part, p)
				}
			}
			if !table.IsCold(part, reader.Place{Class: 7, Block: 20, Index: 0}) {
				t.Errorf("checked %t: part %d of what nobody asked for is unpacked", checked, part)
			}
		}
	}
}
