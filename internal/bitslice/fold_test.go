package bitslice

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func indices(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// drawMap draws an index map between slices of at most maxBits index bits, with
// or without a missing top bit and a bit that must be set.
func drawMap(t *rapid.T, maxBits int) IndexMap {
	src := rapid.SampledFrom(lengths(maxBits)).Draw(t, "src bits")
	m := IndexMap{Src: src, Dst: src}
	from := indices(src)
	if rapid.Bool().Draw(t, "shuffled") {
		from = rapid.Permutation(from).Draw(t, "from")
	} else if src > 0 {
		// The maps of games leave most bits where they are.
		for range rapid.IntRange(0, 3).Draw(t, "exchanges") {
			i, j := rapid.IntRange(0, src-1).Draw(t, "i"), rapid.IntRange(0, src-1).Draw(t, "j")
			from[i], from[j] = from[j], from[i]
		}
	}
	for d, s := range from {
		m.From[d] = uint8(s)
	}
	switch {
	case src > 0 && rapid.Bool().Draw(t, "up"):
		m.Dst--
		m.One = 1 << uint(m.Dst)
	case src > 0 && rapid.Bool().Draw(t, "own"):
		m.One = 1 << rapid.IntRange(0, src-1).Draw(t, "one")
	}
	return m
}

// lengths returns the numbers of index bits from the most down, because the
// first of a list is drawn most and whole tiles need 12 bits.
func lengths(most int) []int {
	l := indices(most + 1)
	slices.Reverse(l)
	return l
}

// empty is the density of a slice without any state.
const empty = 5

func randomSlice(seed uint64, k int, density int) []uint64 {
	r := rand.New(rand.NewPCG(seed, 7))
	s := make([]uint64, Words(k))
	for i := range s {
		s[i] = r.Uint64() & Valid(k)
		if density == empty {
			s[i] = 0
		}
		for range density {
			s[i] &= r.Uint64() & r.Uint64() & r.Uint64()
		}
	}
	return s
}

// foldNaive is the definition of a fold, state by state.
func foldNaive(op Op, m *IndexMap, dst, src []uint64) {
	for i := range uint32(1) << uint(m.Dst) {
		j, ok := m.Index(i)
		if !ok {
			continue
		}
		s := src[j>>6]>>(j&63)&1 == 1
		d := dst[i>>6]>>(i&63)&1 == 1
		switch op {
		case Set:
			d = s
		case Or:
			d = d || s
		case OrNot:
			d = d || !s
		case And:
			d = d && s
		}
		dst[i>>6] &^= 1 << (i & 63)
		if d {
			dst[i>>6] |= 1 << (i & 63)
		}
	}
}

// usedFolder returns a folder whose buffer holds leftovers.
func usedFolder() (f Folder) {
	for i := range f.buf {
		f.buf[i] = uint64(i) * 0x9e3779b97f4a7c15
	}
	return f
}

// parts cuts a slice of k index bits into parts of 2^b words.
func segments(k, b int) []Segment {
	b = min(b, Whole(k).Bits)
	var ps []Segment
	for v := range 1 << uint(Whole(k).Bits-b) {
		ps = append(ps, Segment{Bits: b, Value: uint32(v)})
	}
	return ps
}

func (p Segment) of(plane []uint64) []uint64 {
	return plane[p.Value<<uint(p.Bits):][:1<<uint(p.Bits)]
}

func summary(plane []uint64) []uint64 {
	s := make([]uint64, SummaryWords(len(plane)))
	for i, w := range plane {
		if w != 0 {
			s[i>>12] |= 1 << (uint(i) >> 6 & 63)
		}
	}
	return s
}

func TestFoldIsThePermutation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMap(t, 15)
		plan := NewPlan(&m)
		op := rapid.SampledFrom([]Op{OrNot, And, Or, Set}).Draw(t, "op")
		seed := rapid.Uint64().Draw(t, "seed")
		src := randomSlice(seed, m.Src, rapid.SampledFrom([]int{empty, 0, 4, 2}).Draw(t, "source density"))
		dst := randomSlice(seed+1, m.Dst, rapid.IntRange(0, 3).Draw(t, "density"))
		want := slices.Clone(dst)
		foldNaive(op, &m, want, src)
		var guard []uint64
		if rapid.Bool().Draw(t, "guarded") {
			guard = summary(dst)
		}
		f := usedFolder()
		bits := rapid.SampledFrom(lengths(9)).Draw(t, "segment bits")
		for _, segment := range segments(m.Dst, bits) {
			g := guard
			if segment != Whole(m.Dst) {
				g = nil
			}
			f.Fold(op, &plan, segment.of(dst), segment, src, g)
		}
		if !slices.Equal(dst, want) {
			t.Fatalf("fold of %+v differs from the permutation", m)
		}
	})
}

func TestDeliverIsFoldOfWhatIsNew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMap(t, 16)
		plan := NewPlan(&m)
		seed := rapid.Uint64().Draw(t, "seed")
		src := randomSlice(seed, m.Src, rapid.IntRange(0, 4).Draw(t, "density"))
		dst := randomSlice(seed+1, m.Dst, 2)
		before := slices.Clone(dst)
		want := slices.Clone(dst)
		foldNaive(Or, &m, want, src)
		f := usedFolder()
		bits := rapid.SampledFrom(lengths(10)).Draw(t, "segment bits")
		for _, segment := range segments(m.Dst, bits) {
			touched := make([]uint64, SummaryWords(1<<uint(segment.Bits)))
			f.Deliver(&plan, segment.of(dst), segment, src, summary(src), touched)
			for i, w := range segment.of(dst) {
				if w != segment.of(before)[i] && touched[i>>12]>>(uint(i)>>6&63)&1 == 0 {
					t.Fatalf("word %d of segment %+v changed, its group is not marked", i, segment)
				}
			}
		}
		if !slices.Equal(dst, want) {
			t.Fatalf("delivery over %+v differs from the permutation", m)
		}
	})
}

func TestReverseComplementsTheIndex(t *testing.T) {
	for k := range 12 {
		src := randomSlice(uint64(k), k, 0)
		dst := make([]uint64, len(src))
		Reverse(dst, src, k)
		last := uint32(1)<<uint(k) - 1
		for i := range last + 1 {
			j := last - i
			if src[i>>6]>>(i&63)&1 != dst[j>>6]>>(j&63)&1 {
				t.Fatalf("k = %d: state %d is not at %d", k, i, j)
			}
		}
	}
}

func TestCubeFillsWhatAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(0, 12).Draw(t, "k")
		last := uint32(1)<<uint(k) - 1
		c := Cube{Care: rapid.Uint32Max(last).Draw(t, "care")}
		c.Value = rapid.Uint32Max(last).Draw(t, "value") & c.Care
		got := make([]uint64, Words(k))
		for _, segment := range segments(k, rapid.IntRange(0, 6).Draw(t, "segment bits")) {
			c.Fill(segment.of(got), segment, k)
		}
		for i := range uint32(64 * len(got)) {
			want := i <= last && i&c.Care == c.Value
			if got[i>>6]>>(i&63)&1 == 1 != want {
				t.Fatalf("state %d of cube %+v: want %v", i, c, want)
			}
		}
	})
}

func TestCountByWeight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.SampledFrom(lengths(14)).Draw(t, "k")
		plane := randomSlice(rapid.Uint64().Draw(t, "seed"), k, rapid.IntRange(0, 3).Draw(t, "density"))
		cut := rapid.IntRange(0, len(plane)).Draw(t, "cut")
		if rapid.Bool().Draw(t, "rows") {
			cut &^= 7
		}
		got := make([]uint64, k+1)
		CountByWeight(got, plane[:cut], 0, 3)
		CountByWeight(got, plane[cut:], uint32(cut), 3)
		want := make([]uint64, k+1)
		for i := range uint32(1) << uint(k) {
			if plane[i>>6]>>(i&63)&1 == 1 {
				w := 0
				for j := i; j != 0; j &= j - 1 {
					w++
				}
				want[w] += 3
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("counts by weight %v, want %v", got, want)
		}
	})
}

func TestSolveSlice(t *testing.T) {
	for k := range 14 {
		for seed := range uint64(20) {
			got := randomSlice(seed, k, int(seed%3))
			want := slices.Clone(got)
			for i := int(1)<<uint(k) - 1; i >= 0; i-- {
				for b := 1; b < 1<<uint(k); b <<= 1 {
					if j := i | b; j != i && want[j>>6]>>(uint(j)&63)&1 == 0 {
						want[i>>6] |= 1 << (uint(i) & 63)
					}
				}
			}
			SolveSlice(got, k)
			if !slices.Equal(got, want) {
				t.Fatalf("k = %d, seed %d: solved slice differs from state by state", k, seed)
			}
		}
	}
}

// Most maps of short slices are carried out by rows: all maps if a slice is at most a row,
// otherwise most of those that move only a few bits.
func TestShortSlicesAreFoldedByRows(t *testing.T) {
	if !vectors() {
		t.Skip("no vector kernels here")
	}
	rapid.Check(t, func(t *rapid.T) {
		m := drawMap(t, rowBits)
		if m.Dst < WordBits {
			return
		}
		if p := NewPlan(&m); !p.byRows(Whole(m.Dst)) || !p.Is(&m) || p.byRows(Segment{Bits: m.Dst - WordBits - 1}) {
			t.Fatalf("%v: by rows %v, that of its map %v", m, p.rows.made, p.Is(&m))
		}
	})
	for k := WordBits; k <= shortBits; k++ {
		if m := Identity(k); !newRowMap(&m).made || RowsFolded(k) != max(Words(k)/rowWords, 1) {
			t.Errorf("k = %d is not folded by rows", k)
		}
	}
	m := Identity(shortBits + 1)
	if p := NewPlan(&m); p.rows.made || RowsFolded(shortBits+1) != 0 {
		t.Errorf("a slice of %d bits is folded by rows", shortBits+1)
	}
}
