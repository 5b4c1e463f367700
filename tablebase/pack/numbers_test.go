package pack

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/huff0"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"backsolve/tablebase/format"
)

// packNaive is what numberBuffer.pack says, state by state.
func packNaive(d digitWords, digits, outcomes []byte) (numbers []byte) {
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
	d.columns = rapid.IntRange(minNumberDigits, format.MaxDigits).Draw(t, "columns")
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
	room := numberBuffer{outcomes: outcomes}
	room.setRuns(d)
	first, _ := d.words()
	for e := d.first; e < d.end; e++ {
		digits = le.AppendUint64(digits, r.Uint64()&(room.runs[0][e/int64(d.columns)-first]|room.runs[1][e/int64(d.columns)-first]))
	}
	return d, digits, outcomes
}

// TestNumbersAreTheDigits packs digits like the slow twin, and takes them back.
func TestNumbersAreTheDigits(t *testing.T) {
	room := new(numberBuffer)
	rapid.Check(t, func(t *rapid.T) {
		d, digits, outcomes := drawRun(t)
		room.outcomes = outcomes
		n := room.pack(d, digits)
		if want := packNaive(d, digits, outcomes); !bytes.Equal(room.numbers[:n], want) {
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
	room := new(numberBuffer)
	room.numbers[0], room.outcomes = 0xff, make([]byte, 3*8*planesWithDraws)
	d := digitWords{minNumberDigits, planesWithDraws, 3, 0, 3 * minNumberDigits, false}
	digits := make([]byte, 3*minNumberDigits*8)
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

// Digit 0 of the wins is inverted in each word that a run has it of, and nothing else.
func TestTurn(t *testing.T) {
	const columns, words = 5, 6
	for first := int64(0); first < columns*words; first++ {
		for end := first + 1; end <= columns*words; end++ {
			d := digitWords{columns: columns, planes: 1, all: words, first: first, end: end}
			n := new(numberBuffer)
			from, to := d.words()
			for w := from; w < to; w++ {
				n.outcomes = le.AppendUint64(n.outcomes, uint64(w+100))
			}
			digits := make([]byte, (end-first)*8)
			n.turn(d, digits)
			for element := first; element < end; element++ {
				want := uint64(0)
				if element%columns == 0 {
					want = uint64(element/columns + 100)
				}
				if got := le.Uint64(digits[(element-first)*8:]); got != want {
					t.Fatalf("%d to %d: element %d is %d, want %d", first, end, element, got, want)
				}
			}
		}
	}
}
