package outofcore

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"backsolve/internal/plan"
)

// slicesToPack are contents of all kinds, of lengths that fill chunks and others.
func slicesToPack(r *rand.Rand) (all [][]byte) {
	for _, n := range []int{8, 16, 64, 1000, plan.PackedChunk - 8, plan.PackedChunk, plan.PackedChunk + 8, 3*plan.PackedChunk + 1000} {
		noise, won, sparse, mixed := make([]byte, n), make([]byte, n), make([]byte, n), make([]byte, n)
		for i := range n {
			noise[i] = byte(r.Uint32())
			won[i] = byte(r.Uint32() | r.Uint32())
			if r.IntN(500) == 0 {
				sparse[i] = 1 << r.IntN(8)
			}
		}
		copy(mixed, won[:n/3])
		copy(mixed[2*n/3:], noise)
		all = append(all, noise, won, sparse, mixed, make([]byte, n), bytes.Repeat([]byte{255}, n))
	}
	return all
}

// Packing is lossless, its output has at most plan.PackedBytes bytes, and it is shorter than the slice
// where three of four states are won.
func TestUnpackRestores(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var p packer // used for all, to find state that leaks
	for i, slice := range slicesToPack(r) {
		packed := p.pack(nil, slice)
		got := bytes.Repeat([]byte{0xaa}, len(slice)+9)
		if !p.unpack(got[:len(slice)], packed) || !bytes.Equal(got[:len(slice)], slice) {
			t.Fatalf("slice %d of %d bytes differs", i, len(slice))
		}
		if !bytes.Equal(got[len(slice):], bytes.Repeat([]byte{0xaa}, 9)) {
			t.Fatalf("slice %d of %d bytes: written beyond it", i, len(slice))
		}
		if int64(len(packed)) > plan.PackedBytes(int64(len(slice))) {
			t.Errorf("slice %d of %d bytes: packed it has %d", i, len(slice), len(packed))
		}
		if i%6 == 1 && len(slice) > 1000 && len(packed)*8 > len(slice)*7 {
			t.Errorf("slice %d of %d bytes: packed it has %d", i, len(slice), len(packed))
		}
	}
}

// Unpacking any bytes gives an error or a slice, and writes nothing beyond it.
func FuzzUnpack(f *testing.F) {
	var p packer
	for _, slice := range slicesToPack(rand.New(rand.NewPCG(3, 4)))[:30] {
		f.Add(p.pack(nil, slice), len(slice))
	}
	f.Add([]byte{0, 0, 0, 0}, 8)
	f.Fuzz(func(t *testing.T, packed []byte, length int) {
		if length < 0 || length > 2*plan.PackedChunk {
			return
		}
		var p packer
		slice := bytes.Repeat([]byte{0xaa}, length+1)
		if p.unpack(slice[:length], packed) && length > 0 && len(packed) == 0 {
			t.Error("something was unpacked from nothing")
		}
		if slice[length] != 0xaa {
			t.Error("written beyond the slice")
		}
	})
}

func TestUnpackRefuses(t *testing.T) {
	var p packer
	slice := slicesToPack(rand.New(rand.NewPCG(5, 6)))[7] // of 16 bytes, stored verbatim
	packed := p.pack(nil, slice)
	for name, bad := range map[string][]byte{
		"nothing":           nil,
		"half a head":       packed[:2],
		"cut short":         packed[:len(packed)-1],
		"something behind":  append(bytes.Clone(packed), 0),
		"an unknown kind":   append([]byte{16, 0, 0, 0xc0}, slice...),
		"verbatim too long": append([]byte{17, 0, 0, 0x40}, append(slice, 1)...),
		"two repeated":      {2, 0, 0, 0x80, 1, 1},
		"no Huffman table":  {0, 0, 0, 0},
	} {
		if p.unpack(make([]byte, len(slice)), bad) {
			t.Errorf("%s: unpacked", name)
		}
	}
}
