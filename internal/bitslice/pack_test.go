package bitslice

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// packNaive is what Digits.Pack says, state by state.
func packNaive(d Digits, those []uint64) (numbers []byte) {
	for w, states := range those {
		for i := range 64 {
			if states>>i&1 == 0 {
				continue
			}
			number := byte(0)
			for l := range d.Columns {
				word := binary.LittleEndian.Uint64(d.Bytes[(w*d.Stride+l)*8:])
				number |= byte(word>>i&1) << l
			}
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// drawDigits draws digits, and of which states.
func drawDigits(t *rapid.T) (d Digits, those []uint64) {
	words := rapid.IntRange(0, 20).Draw(t, "words")
	d.Columns = rapid.IntRange(1, 8).Draw(t, "columns")
	d.Stride = d.Columns + rapid.IntRange(0, 9).Draw(t, "stride")
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	for range words {
		those = append(those, [...]uint64{0, ^uint64(0), r.Uint64(), r.Uint64() | r.Uint64(), r.Uint64() & 0xff}[r.IntN(5)])
	}
	d.Bytes = make([]byte, words*d.Stride*8)
	for i := range d.Bytes {
		d.Bytes[i] = byte(r.Uint64())
	}
	return d, those
}

// TestPackedNumbers compares Pack with its slow twin and takes it back: the digits of
// those states alone are written, and nothing else that lies between them.
func TestPackedNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, those := drawDigits(t)
		want := packNaive(d, those)
		room := bytes.Repeat([]byte{0xa5}, len(those)*64+packRoom)
		n := d.Pack(room, those)
		if !bytes.Equal(room[:n], want) {
			t.Fatalf("Pack = %x, want %x", room[:n], want)
		}
		back := Digits{bytes.Clone(d.Bytes), d.Columns, d.Stride}
		for w, states := range those {
			for l := range d.Columns {
				at := back.Bytes[(w*d.Stride+l)*8:]
				binary.LittleEndian.PutUint64(at, binary.LittleEndian.Uint64(at)&^states)
			}
		}
		if used := back.Unpack(room, those); used != n || !slices.Equal(back.Bytes, d.Bytes) {
			t.Fatalf("Unpack used %d of %d bytes: %x, want %x", used, n, back.Bytes, d.Bytes)
		}
	})
}

// TestPackedNumbersWantRoom: with too little room, nothing is written beyond it.
func TestPackedNumbersWantRoom(t *testing.T) {
	d := Digits{make([]byte, 64), 8, 8}
	those := []uint64{1}
	for name, f := range map[string]func(){
		"pack":   func() { d.Pack(make([]byte, 64+packRoom-1), those) },
		"unpack": func() { d.Unpack(make([]byte, 64+packRoom-1), those) },
		"digits": func() { Digits{make([]byte, 63), 8, 8}.Pack(make([]byte, 64+packRoom), those) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

// BenchmarkPack packs and unpacks the numbers of five eighths of 32,768 states.
func BenchmarkPack(b *testing.B) {
	const words, columns = 512, 8
	r := rand.New(rand.NewPCG(7, 7))
	those := make([]uint64, words)
	for i := range those {
		those[i] = r.Uint64() | r.Uint64()&r.Uint64()
	}
	d := Digits{make([]byte, words*columns*8), columns, columns}
	room := make([]byte, words*64+packRoom)
	perform := map[string]func(){"pack": func() { d.Pack(room, those) }, "unpack": func() { d.Unpack(room, those) }}
	for _, name := range []string{"pack", "unpack"} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(words * 64)
			for b.Loop() {
				perform[name]()
			}
		})
	}
}
