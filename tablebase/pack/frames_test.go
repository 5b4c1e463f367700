package pack_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/pack"
	"backsolve/tablebase/reader"
)

// cacheFrames is how many frames the cache keeps in these tests.
const cacheFrames = 8

// source is a file as the source of frames.
type source struct{ *os.File }

func (s source) Size() (int64, error) {
	info, err := s.Stat()
	return info.Size(), err
}

func (source) Fetch([]format.Extent) error { return nil }

// open opens the frames of a packed table, and returns its classes.
func open(t *testing.T, path string) (*pack.Frames, []*format.Record) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	header, classes := tabletest.Open(t, path).Layout()
	unpacked, err := pack.Unpacked(path, source{file}, cacheFrames*format.FrameSize)
	if err != nil {
		t.Fatal(err)
	}
	f := unpacked.(*pack.Frames)
	if err := f.SetRegions(header, classes); err != nil {
		t.Fatal(err)
	}
	return f, classes
}

// TestGoldenNumbers reads Quixo 3×3 as it was packed before digits became numbers, and as
// it has been since.
func TestGoldenNumbers(t *testing.T) {
	before, since := tabletest.Open(t, tabletest.Golden("digits.tb"+tablebase.PackedSuffix)), tabletest.Open(t, tabletest.Golden("numbers.tb"+tablebase.PackedSuffix))
	if before.Identity() != since.Identity() || before.Packed() <= since.Packed() {
		t.Errorf("%x in %d bytes, and %x in %d", before.Identity(), before.Packed(), since.Identity(), since.Packed())
	}
	for _, c := range since.Classes() {
		for block := range c.Blocks {
			for i := range uint64(1) << c.IndexBits {
				a, err := before.Lookup(c.Class, block, i)
				b, other := since.Lookup(c.Class, block, i)
				if err != nil || other != nil || a != b {
					t.Fatalf("class %d, block %d, state %d: %v, %v and %v, %v", c.Class, block, i, a, err, b, other)
				}
			}
		}
	}
	for _, table := range []*reader.Table{before, since} {
		if err := table.Verify(context.Background(), 1, nil); err != nil {
			t.Error(err)
		}
	}
}

// TestNumbersOfWhichGames packs steps that repeat every 64 states. The encoder finds the
// repetition; Huffman's codes, for games with draws, find only how often each number is there:
// the 16,384 numbers are 32 different ones, of which each takes five bits.
func TestNumbersOfWhichGames(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	won := uint64(1<<32 - 1)
	var digits [5]uint64
	for i := range 64 {
		for d := range digits {
			digits[d] |= uint64(i>>d&1) << i
		}
	}
	for _, c := range []struct {
		shape       tablebase.Shape
		least, most int64
	}{
		{tablebase.Shape{Game: "notakto", Size: 6, Planes: 1, Steps: true}, 1, 400},
		{tabletest.QuixoShape, 16384 * 5 / 8, 16384*5/8 + 400},
	} {
		class := tabletest.RandomClass(r, c.shape, 9, 14, 1, len(digits))
		for w := range class.Planes.Win {
			class.Planes.Win[w] = won
			if class.Planes.Lose != nil {
				class.Planes.Lose[w] = ^won
			}
			for d := range digits {
				class.Planes.Steps[d][w] = digits[d]
			}
		}
		f, classes := open(t, tabletest.Pack(t, tabletest.Write(t, c.shape, []tabletest.Sealed{class})))
		_, packed, length := f.Extent(t, 1+classes[0].Parts[format.Outcomes].Frames())
		if length != 16384 || packed < c.least || packed > c.most {
			t.Errorf("%s: %d bytes are packed to %d, want %d to %d", c.shape.Game, length, packed, c.least, c.most)
		}
	}
}

// TestOutcomesAfterDamage reads outcomes for numbers: of one frame, of one that is damaged,
// and of the first again, which is no longer what was unpacked last.
func TestOutcomesAfterDamage(t *testing.T) {
	path := tabletest.Pack(t, tabletest.Write(t, tabletest.QuixoShape, tabletest.NumbersTable(tabletest.QuixoShape)))
	b := tabletest.ReadFile(t, path)
	f, _ := open(t, path)
	const first = 1 // of the outcomes: the header is 0
	offset, packed, _ := f.Extent(t, first+1)
	b[offset+packed/2] ^= 1
	f, _ = open(t, tabletest.Save(t, b))
	of := f.OutcomesReader()
	want, err := of(first)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := of(first + 1); err == nil {
		t.Error("the damaged frame is read")
	}
	if got, err := of(first); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the first frame has other outcomes than before: %v", err)
	}
}

// TestOtherNumbersAreRefused has a packed table in which a frame of numbers has one fewer,
// with all checksums that a packed table has of its own.
func TestOtherNumbersAreRefused(t *testing.T) {
	path := tabletest.Pack(t, tabletest.Write(t, tabletest.QuixoShape, tabletest.NumbersTable(tabletest.QuixoShape)))
	whole := tabletest.ReadFile(t, path)
	f, classes := open(t, path)
	changed := 1 + classes[0].Parts[format.Outcomes].Frames() + 3
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	var file, entries []byte
	for i := range f.Count() {
		offset, packed, length := f.Extent(t, i)
		frame := whole[offset : offset+packed]
		if i == changed {
			numbers := make([]byte, length)
			if err := f.DecodeBytes(i, numbers); err != nil {
				t.Fatal(err)
			}
			length--
			frame = encoder.EncodeAll(numbers[1:], nil)
		}
		entries = pack.AppendEntry(entries, frame, int(length))
		file = append(file, frame...)
	}
	path = filepath.Join(t.TempDir(), "fewer.tb"+tablebase.PackedSuffix)
	total, _ := f.Size()
	if err := os.WriteFile(path, pack.AppendSeekTable(file, entries, total, pack.Numbers), 0o644); err != nil {
		t.Fatal(err)
	}
	f, _ = open(t, path)
	if err := f.Decode(changed, make([]byte, f.LengthOf(changed))); err == nil || !strings.Contains(err.Error(), pack.ErrNumbers.Error()) {
		t.Errorf("a frame with one number fewer: %v", err)
	}
	damaged := tabletest.Open(t, path)
	if err := damaged.Verify(context.Background(), 1, nil); !errors.Is(err, tablebase.ErrDamaged) {
		t.Errorf("a table with one number fewer: %v", err)
	}
}

// TestCacheKeepsUsedFrames uses one frame again and again among all others: it is unpacked
// once.
func TestCacheKeepsUsedFrames(t *testing.T) {
	f, _ := open(t, tabletest.Pack(t, tabletest.Write(t, tabletest.QuixoShape, tabletest.LargeTable(tabletest.QuixoShape))))
	first := f.Hold(t, 1)
	for frame := range f.Count() {
		f.Hold(t, frame)
		if f.Hold(t, 1) != first {
			t.Fatalf("after frame %d the first one has moved", frame)
		}
	}
	cached := f.Cached()
	slices.Sort(cached)
	if cached = slices.Compact(cached); len(cached) != cacheFrames || cached[0] < 0 {
		t.Errorf("the cache holds %v", cached)
	}
}

// A piece of the seek table that is damaged is damage of the table, also where a lookup
// is the first to read it, as in a table of thousands of frames.
func TestDamagedPieceIsDamage(t *testing.T) {
	f, classes := open(t, tabletest.Pack(t, tabletest.Write(t, tabletest.QuixoShape, tabletest.LargeTable(tabletest.QuixoShape))))
	f.DamagePiece()
	err := f.ReadWords(1, 0, make([]uint64, 2))
	if !errors.Is(err, format.ErrSeekTable) || !errors.Is(format.ReadError("t.tb", classes[0], err, ""), tablebase.ErrDamaged) {
		t.Error(err)
	}
}

// The frame that was used least recently makes room.
func TestCacheForgetsTheOldest(t *testing.T) {
	f, _ := open(t, tabletest.Pack(t, tabletest.Write(t, tabletest.QuixoShape, tabletest.LargeTable(tabletest.QuixoShape))))
	for frame := range cacheFrames {
		f.Hold(t, frame)
	}
	f.Hold(t, 0)
	f.Hold(t, cacheFrames)
	if !f.Holds(0) || f.Holds(1) || !f.Holds(cacheFrames) {
		t.Errorf("the cache has %v", f.Cached())
	}
}
