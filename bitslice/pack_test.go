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
func packNaive(d Digits, decided, flip []uint64) (numbers []byte) {
	for w, states := range decided {
		for i := range 64 {
			if states>>i&1 == 0 {
				continue
			}
			number := byte(flip[w] >> i & 1)
			for l := range d.Lanes {
				word := binary.LittleEndian.Uint64(d.Bytes[(w*d.Stride+l)*8:])
				number ^= byte(word>>i&1) << l
			}
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// drawDigits draws digits, of which those of states without a number are zero, with what
// decides about them.
func drawDigits(t *rapid.T) (d Digits, decided, flip []uint64) {
	words := rapid.IntRange(0, 20).Draw(t, "words")
	d.Lanes = rapid.IntRange(1, 8).Draw(t, "lanes")
	d.Stride = d.Lanes + rapid.IntRange(0, 9).Draw(t, "stride")
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	for range words {
		decided = append(decided, [...]uint64{0, ^uint64(0), r.Uint64(), r.Uint64() | r.Uint64(), r.Uint64() & 0xff}[r.IntN(5)])
		flip = append(flip, r.Uint64()&decided[len(decided)-1])
	}
	d.Bytes = make([]byte, words*d.Stride*8)
	for w := range decided {
		for l := range d.Stride {
			x := r.Uint64()
			if l < d.Lanes {
				x &= decided[w]
			}
			binary.LittleEndian.PutUint64(d.Bytes[(w*d.Stride+l)*8:], x)
		}
	}
	return d, decided, flip
}

// TestPackedNumbers compares Pack with its slow twin and takes it back: only the digits
// are written.
func TestPackedNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, decided, flip := drawDigits(t)
		want := packNaive(d, decided, flip)
		room := bytes.Repeat([]byte{0xa5}, len(decided)*64+packRoom)
		n := d.Pack(room, decided, flip)
		if !bytes.Equal(room[:n], want) {
			t.Fatalf("Pack = %x, want %x", room[:n], want)
		}
		back := Digits{bytes.Clone(d.Bytes), d.Lanes, d.Stride}
		for w := range decided {
			for l := range d.Lanes {
				binary.LittleEndian.PutUint64(back.Bytes[(w*d.Stride+l)*8:], ^uint64(0))
			}
		}
		if used := back.Unpack(room, decided, flip); used != n || !slices.Equal(back.Bytes, d.Bytes) {
			t.Fatalf("Unpack used %d of %d bytes: %x, want %x", used, n, back.Bytes, d.Bytes)
		}
	})
}

// TestPackedNumbersWantRoom: who has too little of it does not get others' memory written.
func TestPackedNumbersWantRoom(t *testing.T) {
	d := Digits{make([]byte, 64), 8, 8}
	decided, flip := []uint64{1}, []uint64{0}
	for name, f := range map[string]func(){
		"pack":   func() { d.Pack(make([]byte, 64+packRoom-1), decided, flip) },
		"unpack": func() { d.Unpack(make([]byte, 64+packRoom-1), decided, flip) },
		"digits": func() { Digits{make([]byte, 63), 8, 8}.Pack(make([]byte, 64+packRoom), decided, flip) },
		"flip":   func() { d.Pack(make([]byte, 64+packRoom), decided, nil) },
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

// BenchmarkPack packs and unpacks the numbers of a frame, of which a sixth is drawn.
func BenchmarkPack(b *testing.B) {
	const words, lanes = 512, 8
	r := rand.New(rand.NewPCG(7, 7))
	decided, flip := make([]uint64, words), make([]uint64, words)
	for i := range decided {
		decided[i] = r.Uint64() | r.Uint64() | r.Uint64()&r.Uint64()
		flip[i] = r.Uint64() & decided[i]
	}
	d := Digits{make([]byte, words*lanes*8), lanes, lanes}
	room := make([]byte, words*64+packRoom)
	perform := map[string]func(){"pack": func() { d.Pack(room, decided, flip) }, "unpack": func() { d.Unpack(room, decided, flip) }}
	for _, name := range []string{"pack", "unpack"} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(words * 64)
			for b.Loop() {
				perform[name]()
			}
		})
	}
}
