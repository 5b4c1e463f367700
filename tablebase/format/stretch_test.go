package format

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A part that is written in stretches of any length has the bytes and the checksums of one that is
// written whole.
func TestStretches(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, p := range []Part{{Offset: PageSize, Columns: 1, Words: 20_001}, {Offset: PageSize, Columns: 3, Words: 9_000, Steps: true}, {Columns: 5, Words: 1}, {}} {
		planes := make([][]uint64, p.Columns)
		for i := range planes {
			planes[i] = make([]uint64, p.Words)
			for w := range planes[i] {
				planes[i][w] = random.Uint64()
			}
		}
		if p.Columns == 3 {
			clear(planes[2]) // a stretch may lack its highest digits
		}
		create := func(name string) *os.File {
			f, err := os.Create(filepath.Join(t.TempDir(), name))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { f.Close() })
			return f
		}
		whole, stretched := create("whole"), create("stretched")
		want, err := p.Write(whole, Held(planes))
		if err != nil {
			t.Fatal(err)
		}
		var lengths []int64
		var pieces []uint32
		for first := int64(0); first < p.Words; {
			n := min(p.Words-first, 1+random.Int64N(4_000))
			columns := slices.Clone(planes[:min(len(planes), 2)])
			for i := range columns {
				columns[i] = columns[i][first : first+n]
			}
			if p.Columns == 5 {
				columns = planes
			}
			written, err := p.WriteStretch(stretched, first, columns)
			if err != nil {
				t.Fatal(err)
			}
			back := make([][]uint64, p.Columns)
			for i := range back {
				back[i] = make([]uint64, n)
			}
			read, err := p.ReadStretch(stretched, first, back)
			if err != nil || !slices.Equal(read, written) || !slices.Equal(back[0], planes[0][first:first+n]) {
				t.Errorf("%+v: a stretch reads as something else: %v, %v and %v", p, err, written, read)
			}
			first += n
			lengths, pieces = append(lengths, n), append(pieces, written...)
		}
		if err := stretched.Truncate(p.Offset + p.Padded()); err != nil {
			t.Fatal(err)
		}
		a, _ := os.ReadFile(whole.Name())
		b, _ := os.ReadFile(stretched.Name())
		if got := p.JoinSums(lengths, pieces); !slices.Equal(a[min(len(a), int(p.Offset)):], b[min(len(b), int(p.Offset)):]) || !slices.Equal(got, want) {
			t.Errorf("%+v: %d bytes and checksums %x, not %d and %x", p, len(b), got, len(a), want)
		}
		if len(pieces) > 0 && (p.JoinSums(lengths[1:], pieces) != nil || p.JoinSums(lengths, pieces[1:]) != nil) {
			t.Errorf("%+v: a missing stretch is not found", p)
		}
		if p.JoinSums(lengths, append(slices.Clone(pieces), 0)) != nil || p.Columns > 0 && p.JoinSums(append(slices.Clone(lengths), 1), append(slices.Clone(pieces), 0)) != nil {
			t.Errorf("%+v: one stretch or checksum too many is not found", p)
		}
	}
}
