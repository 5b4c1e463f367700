package outofcore

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkPack packs and unpacks slices of 2 MiB in which three states of four
// are won.
func BenchmarkPack(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	slice := make([]byte, 2<<20)
	for i := range slice {
		slice[i] = byte(r.Uint32() | r.Uint32())
	}
	var p packer
	packed := p.pack(nil, slice)
	b.Run("pack", func(b *testing.B) {
		b.SetBytes(int64(len(slice)))
		b.ReportAllocs()
		for b.Loop() {
			packed = p.pack(packed[:0], slice)
		}
	})
	b.Run("unpack", func(b *testing.B) {
		b.SetBytes(int64(len(slice)))
		b.ReportAllocs()
		for b.Loop() {
			if err := p.unpack(slice, packed); err != nil {
				b.Fatal(err)
			}
		}
	})
}
