package tablebase

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/huff0"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"
)

// numbersTable returns a table whose classes have many digits, in parts of several frames:
// digits whose words lie astride of frames, more of them than have a byte, and as few as
// are still packed as numbers.
func numbersTable(s Shape) []sealed {
	r := rand.New(rand.NewPCG(8, 8))
	digits := s.digits
	return []sealed{
		randomClass(r, s, 9, 12, 70, digits(7)),
		randomClass(r, s, 8, 11, 50, digits(11)),
		randomClass(r, s, 7, 11, 70, digits(4)),
		randomClass(r, s, 6, 4, 900, digits(8)),
		randomClass(r, s, 5, 5, 7, 0),
	}
}

// packNaive is what numberRoom.pack says, state by state.
func (d digitWords) packNaive(digits, outcomes []byte) (numbers []byte) {
	bit := func(b []byte, element int64, i int) bool { return b[element*8+int64(i)/8]>>(i%8)&1 == 1 }
	first, end := d.words()
	for group := 0; group < d.columns; group += 8 {
		for run := range d.planes {
			for w := first; w < min(end, d.all); w++ {
				for i := range 64 {
					if d.planes == 2 && !bit(outcomes, (w-first)*2+int64(run), i) {
						continue
					}
					number, some := byte(0), false
					for l := group; l < min(group+8, d.columns); l++ {
						element := w*int64(d.columns) + int64(l)
						if element < d.first || element >= d.end {
							continue
						}
						some = true
						won := d.planes == 1 && l == 0 && bit(outcomes, w-first, i)
						if bit(digits, element-d.first, i) != won {
							number |= 1 << (l - group)
						}
					}
					if some {
						numbers = append(numbers, number)
					}
				}
			}
		}
	}
	if len(numbers) == 0 {
		return []byte{0}
	}
	return numbers
}

// drawRun draws a run of a part, its digits, and the outcomes of its words.
func drawRun(t *rapid.T) (d digitWords, digits, outcomes []byte) {
	d.columns = rapid.IntRange(fewestNumbers, maxDigits).Draw(t, "columns")
	d.planes = rapid.IntRange(1, 2).Draw(t, "planes")
	d.all = rapid.Int64Range(1, 40).Draw(t, "words")
	d.first = rapid.Int64Range(0, d.all*int64(d.columns)-1).Draw(t, "first")
	d.end = d.first + rapid.Int64Range(1, 200).Draw(t, "elements")
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	from, to := d.outcomes()
	for range (to - from) / 8 / int64(d.planes) {
		win := r.Uint64() & [...]uint64{0, ^uint64(0), r.Uint64()}[r.IntN(3)]
		outcomes = le.AppendUint64(outcomes, win)
		if d.planes == 2 {
			outcomes = le.AppendUint64(outcomes, [...]uint64{0, ^win, r.Uint64() &^ win}[r.IntN(3)])
		}
	}
	room := numberRoom{outcomes: outcomes}
	room.takeOutcomes(d)
	first, _ := d.words()
	for e := d.first; e < d.end; e++ {
		digits = le.AppendUint64(digits, r.Uint64()&(room.runs[0][e/int64(d.columns)-first]|room.runs[1][e/int64(d.columns)-first]))
	}
	return d, digits, outcomes
}

// TestNumbersAreTheDigits packs digits like the slow twin, and takes them back.
func TestNumbersAreTheDigits(t *testing.T) {
	room := new(numberRoom)
	rapid.Check(t, func(t *rapid.T) {
		d, digits, outcomes := drawRun(t)
		room.outcomes = outcomes
		n := room.pack(d, digits)
		if want := d.packNaive(digits, outcomes); !bytes.Equal(room.numbers[:n], want) {
			t.Fatalf("%+v: the numbers are %x, want %x", d, room.numbers[:n], want)
		}
		got := bytes.Repeat([]byte{0xa5}, len(digits))
		if err := room.unpack(d, got, n); err != nil || !bytes.Equal(got, digits) {
			t.Fatalf("%+v: the digits are %x, %v; want %x", d, got, err, digits)
		}
		for _, wrong := range []int{n - 1, n + 1} {
			if err := room.unpack(d, got, wrong); !errors.Is(err, errNumbers) {
				t.Fatalf("%+v: %d numbers instead of %d: %v", d, wrong, n, err)
			}
		}
	})
}

// TestNoNumbers packs a run in which all states are drawn: that is one byte of zero, and
// nothing else unpacks.
func TestNoNumbers(t *testing.T) {
	room := new(numberRoom)
	room.numbers[0], room.outcomes = 0xff, make([]byte, 3*8*drawn)
	d := digitWords{fewestNumbers, drawn, 3, 0, 3 * fewestNumbers}
	digits := make([]byte, 3*fewestNumbers*8)
	if n := room.pack(d, digits); n != 1 || room.numbers[0] != 0 || room.ends[len(room.ends)-1] != 1 {
		t.Errorf("%d numbers, the first is %d; runs end at %v", n, room.numbers[0], room.ends)
	}
	for length, first := range map[int]byte{0: 0, 1: 1, 2: 0} {
		room.numbers[0] = first
		if err := room.unpack(d, digits, length); !errors.Is(err, errNumbers) {
			t.Errorf("%d numbers, of which the first is %d: %v", length, first, err)
		}
	}
	room.numbers[0] = 0
	if err := room.unpack(d, digits, 1); err != nil {
		t.Error(err)
	}
}

// TestHuffmanFrames unpacks contents of all kinds and lengths with zstd's own decoder.
func TestHuffmanFrames(t *testing.T) {
	decoder, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer decoder.Close()
	var scratch huff0.Scratch
	before := []byte("before")
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		var content []byte
		var ends []int
		for range rapid.IntRange(1, 4).Draw(t, "runs") {
			length := [...]int{0, 1, 2, 255, 256, 1023, 1024, 1<<14 - 1, 1 << 14}[r.IntN(9)]
			kinds := [...]int{1, 2, 7, 40, 200, 256}[r.IntN(6)]
			for range length {
				content = append(content, byte(min(r.IntN(kinds), r.IntN(kinds))))
			}
			ends = append(ends, len(content))
		}
		if len(content) == 0 {
			content = []byte{0}
			ends = append(ends, 1)
		}
		frame := appendHuffman(before, content, ends, &scratch)
		if got, err := decoder.DecodeAll(frame[len(before):], nil); err != nil || !bytes.Equal(got, content) {
			t.Fatalf("%d bytes in runs up to %v unpack to %d: %v", len(content), ends, len(got), err)
		}
		if again := appendHuffman(nil, content, ends, new(huff0.Scratch)); !bytes.Equal(again, frame[len(before):]) {
			t.Fatal("a frame depends on what was packed before")
		}
		if most := len(content) + 7 + 3*len(ends) + 4; len(frame)-len(before) > most {
			t.Fatalf("%d bytes are packed into %d", len(content), len(frame)-len(before))
		}
	})
}

// TestGoldenNumbers reads Quixo 3×3 as it was packed before digits became numbers, and as
// it has been since.
func TestGoldenNumbers(t *testing.T) {
	before, since := open(t, filepath.Join("testdata", "digits.tb"+PackedSuffix)), open(t, filepath.Join("testdata", "numbers.tb"+PackedSuffix))
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
	for _, table := range []*Table{before, since} {
		if err := table.Verify(context.Background(), nil); err != nil {
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
		shape       Shape
		least, most int64
	}{
		{Shape{Game: "notakto", Size: 6, Planes: 1, Steps: true}, 1, 400},
		{quixoShape, 16384 * 5 / 8, 16384*5/8 + 400},
	} {
		class := randomClass(r, c.shape, 9, 14, 1, len(digits))
		for w := range class.planes.Win {
			class.planes.Win[w] = won
			if class.planes.Lose != nil {
				class.planes.Lose[w] = ^won
			}
			for d := range digits {
				class.planes.Steps[d][w] = digits[d]
			}
		}
		table := open(t, finished(t, c.shape, []sealed{class}, PackedSuffix))
		e, err := table.data.(*frames).table.frame(table.located(9).firstFrame[steps])
		if err != nil || e.length != 16384 || e.packed < c.least || e.packed > c.most {
			t.Errorf("%s: %d bytes are packed to %d, want %d to %d: %v", c.shape.Game, e.length, e.packed, c.least, c.most, err)
		}
	}
}

// TestOutcomesAfterDamage reads outcomes for numbers: of one frame, of one that is damaged,
// and of the first again, which is no longer what was unpacked last.
func TestOutcomesAfterDamage(t *testing.T) {
	path := pack(t, write(t, quixoShape, numbersTable(quixoShape)))
	b := read(t, path)
	table := open(t, path)
	f, first := table.data.(*frames), table.located(9).firstFrame[outcomes]
	e, err := f.table.frame(first + 1)
	if err != nil {
		t.Fatal(err)
	}
	b[e.offset+e.packed/2] ^= 1
	table = open(t, save(t, b))
	f = table.data.(*frames)
	room := new(numberRoom)
	of := func(frame int) ([]byte, error) {
		room.outcomes = room.outcomes[:0]
		err := f.appendOutcomes(room, frame, 0, frameSize)
		return bytes.Clone(room.outcomes), err
	}
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
	path := pack(t, write(t, quixoShape, numbersTable(quixoShape)))
	whole, table := read(t, path), open(t, path)
	f := table.data.(*frames)
	changed := table.located(9).firstFrame[steps] + 3
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	var file, entries []byte
	for i := range f.table.(*seekTable).frames {
		e, err := f.table.frame(i)
		if err != nil {
			t.Fatal(err)
		}
		packed := whole[e.offset : e.offset+e.packed]
		if i != changed {
			entries = append(entries, le.AppendUint32(le.AppendUint32(le.AppendUint32(nil, uint32(e.packed)), uint32(e.length)), e.checksum)...)
		} else {
			numbers := make([]byte, e.length)
			if err := f.decodeBytes(e, numbers); err != nil {
				t.Fatal(err)
			}
			packed = encoder.EncodeAll(numbers[1:], nil)
			entries = appendEntry(entries, packed, len(numbers)-1)
		}
		file = append(file, packed...)
	}
	path = filepath.Join(t.TempDir(), "fewer.tb"+PackedSuffix)
	if err := os.WriteFile(path, appendSeekTable(file, entries, table.Bytes(), true), 0o644); err != nil {
		t.Fatal(err)
	}
	damaged := open(t, path)
	f = damaged.data.(*frames)
	if err := f.decode(changed, make([]byte, f.lengthOf(changed))); err == nil || !strings.Contains(err.Error(), errNumbers.Error()) {
		t.Errorf("a frame with one number fewer: %v", err)
	}
	if err := damaged.Verify(context.Background(), nil); !errors.Is(err, ErrDamaged) {
		t.Errorf("a table with one number fewer: %v", err)
	}
}
