package outofcore

import (
	"path/filepath"
	"strconv"
	"testing"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/partition"
	"backsolve/retro"
)

// deepSlice returns a real slice of Notakto 7×7 with the middle cell and many mask cells marked, so
// that the rest of the game is solved fast.
func deepSlice(b *testing.B, marks int) []byte {
	b.Helper()
	rules, err := games.NewGrid("notakto", 7)
	if err != nil {
		b.Fatal(err)
	}
	whole, err := partition.New(rules)
	if err != nil {
		b.Fatal(err)
	}
	// Every other cell, so that no line is nearly full.
	mask := uint64(0)
	for i := range marks {
		mask |= 1 << uint(i*7%whole.MaskBits)
	}
	taken := whole.Position(partition.State{Mask: mask}).X | 1<<24
	space, err := partition.NewAfter(rules, taken)
	if err != nil {
		b.Fatal(err)
	}
	f, err := Open(filepath.Join(b.TempDir(), "s"), space, false)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Solve(b.Context(), Options{Options: retro.Options{Memory: 600 << 20}}); err != nil {
		b.Fatal(err)
	}
	stored := make([]byte, sliceBytes(space))
	if err := f.finished(f.stages()-1).fill(0, stored); err != nil {
		b.Fatal(err)
	}
	if space.Locate(game.Position{X: taken}).Index != 0 {
		b.Fatal("another slice")
	}
	return stored
}

// BenchmarkPack packs and unpacks real slices with the packer of work files and with others. % is the
// packed share.
func BenchmarkPack(b *testing.B) {
	for _, marks := range []int{18, 15} {
		slice := deepSlice(b, marks)
		var p packer
		fastest, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
		standard, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
		reader, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
		unzstd := func(dst, packed []byte) bool {
			_, err := reader.DecodeAll(packed, dst[:0])
			return err == nil
		}
		for _, c := range []struct {
			name   string
			pack   func(dst, slice []byte) []byte
			unpack func(dst, packed []byte) bool
		}{
			{"huffman", p.pack, p.unpack},
			{"zstd-fastest", func(dst, s []byte) []byte { return fastest.EncodeAll(s, dst) }, unzstd},
			{"zstd-default", func(dst, s []byte) []byte { return standard.EncodeAll(s, dst) }, unzstd},
			{"s2", func(dst, s []byte) []byte { return s2.Encode(dst[:cap(dst)], s) }, func(dst, packed []byte) bool {
				_, err := s2.Decode(dst, packed)
				return err == nil
			}},
		} {
			packed := c.pack(make([]byte, 0, 2*len(slice)), slice)
			name := strconv.Itoa(marks) + "/" + c.name
			b.Run(name+"/pack", func(b *testing.B) {
				b.SetBytes(int64(len(slice)))
				for b.Loop() {
					packed = c.pack(packed[:0], slice)
				}
				b.ReportMetric(100*float64(len(packed))/float64(len(slice)), "%")
			})
			b.Run(name+"/unpack", func(b *testing.B) {
				b.SetBytes(int64(len(slice)))
				got := make([]byte, len(slice))
				for b.Loop() {
					if !c.unpack(got, packed) {
						b.Fatal("it cannot be unpacked")
					}
				}
			})
		}
	}
}
