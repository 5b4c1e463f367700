package bitslice

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"backsolve/internal/kernels"
)

// eachTier runs a test with each tier that this processor has.
func eachTier(t *testing.T, run func(t *testing.T)) {
	defer func(had kernels.Tier) { tier = had }(tier)
	for _, tier = range kernels.Available() {
		t.Run(tier.String(), run)
	}
}

func TestTiers(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		t.Run("Fold", TestFoldIsThePermutation)
		t.Run("Deliver", TestDeliverIsFoldOfWhatIsNew)
		t.Run("SolveSlice", TestSolveSlice)
		t.Run("SolveSliceFrom", TestSolveSliceFrom)
		t.Run("CountByWeight", TestCountByWeight)
		t.Run("Squeeze", TestSqueezedWordsExpand)
		t.Run("Pack", TestPackedNumbers)
		t.Run("Route", TestRouteIsTheMap)
		t.Run("Label", TestLabelReversed)
		t.Run("Least", TestLeast)
	})
}

// TestKernelsAreTheirTwins compares the kernels that take whole slices with their twins in Go
// on slices of every length that a table on a machine of today has.
func TestKernelsAreTheirTwins(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for k := WordBits + 5; k <= 20; k++ {
			for density := range 4 {
				words := randomSlice(uint64(k), k, density)
				half := uint32(len(words)/2) / rowWords * rowWords
				got, want := make([]uint64, k+1), make([]uint64, k+1)
				CountByWeight(got, words[half:], half, 3)
				countWords(want, words[half:], half, 3)
				if !slices.Equal(got, want) {
					t.Errorf("k = %d: counts %v, the kernel in Go has %v", k, got, want)
				}
				for at := range len(words) / tileWords {
					group := words[at*tileWords:][:tileWords]
					if got, want := NonZero(group), nonZeroWords(group); got != want {
						t.Errorf("k = %d: non-zero words %x, the kernel in Go has %x", k, got, want)
					}
				}
				twin := slices.Clone(words)
				SolveSlice(words, k)
				solveWords(twin, k)
				if !slices.Equal(words, twin) {
					t.Errorf("k = %d: the slice is solved otherwise than in Go", k)
				}
			}
		}
	})
}

// TestSqueezeEachMask squeezes and expands words with each set of bytes that are not zero.
func TestSqueezeEachMask(t *testing.T) {
	var want []byte
	eachTier(t, func(t *testing.T) {
		words := make([]uint64, 256)
		for mask := range words {
			for i := range 8 {
				words[mask] |= uint64(mask>>i&1) * uint64(mask^i<<4|1) & 255 << (8 * i)
			}
		}
		got := Squeeze(nil, words)
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Error("squeezed otherwise than in Go")
		}
		expanded := make([]uint64, len(words))
		if err := Expand(expanded, slices.Grow(got, 8*rowWords)); err != nil || !slices.Equal(expanded, words) {
			t.Errorf("not expanded to the same words: %v", err)
		}
	})
}

// TestRowsAreThePermutation folds short slices by rows, with each kind of map that has rows and each
// operation, and compares them with the permutation.
func TestRowsAreThePermutation(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		if !vectors() {
			t.Skip("no kernels for short slices")
		}
		r := rand.New(rand.NewPCG(1, 1))
		var kinds [4]int // with a first permutation, two rows, a trade, a flip
		for range 600 {
			m := Identity(WordBits + r.IntN(shortBits-WordBits+2))
			for range 1 + r.IntN(5) {
				a, b := r.IntN(m.Src), r.IntN(m.Src)
				m.From[a], m.From[b] = m.From[b], m.From[a]
			}
			if up := r.IntN(3); up == 0 && m.Src > WordBits {
				m.Dst--
				m.One = 1 << m.Dst
			} else if up == 1 {
				m.One = 1 << r.IntN(m.Src)
			}
			p := NewPlan(&m)
			if !p.rows.made {
				continue
			}
			for i, has := range []bool{p.rows.steps.first != NewPlan(new(Identity(WordBits))).rows.steps.first, p.rows.second != 0,
				p.rows.steps.trade != rowExchange{}, p.rows.flip != [shortRows]uint8{}} {
				if has {
					kinds[i]++
				}
			}
			for op := Set; op <= And; op++ {
				src, got := randomSlice(r.Uint64(), m.Src, 0), randomSlice(r.Uint64(), m.Dst, 0)
				want := slices.Clone(got)
				foldNaive(op, &m, want, src)
				if p.foldRows(op, got, src); !slices.Equal(got, want) {
					t.Fatalf("op %d of %+v differs from the permutation", op, m)
				}
			}
		}
		if slices.Min(kinds[:]) < 20 {
			t.Errorf("of each kind there are %v maps only", kinds)
		}
	})
}

// FuzzVectorKernels holds the assembly against the portable kernels.
func FuzzVectorKernels(f *testing.F) {
	f.Add(uint64(1), []byte{0, 9, 63, 80}, uint8(1), uint64(0))
	f.Add(uint64(2), []byte{8, 17, 26, 35, 44, 53, 70, 90}, uint8(3), uint64(0x00ff))
	for kind := range byte(12) {
		f.Add(uint64(kind), []byte{9, 64 + kind, 128 + kind}, uint8(kind), uint64(kind)<<56|0xf0f0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, program []byte, op uint8, keep uint64) {
		exchanges := decodeExchanges(program)
		r := rand.New(rand.NewPCG(seed, 1))
		var want [tileWords]uint64
		src := make([]uint64, 2*tileWords)
		for i := range src {
			src[i] = r.Uint64()
		}
		rows, at := randomRows(r)
		for i, o := range at {
			want[i] = src[o]
		}
		transform(want[:], exchanges)
		keeps, rowSet := [rowWords]uint64{}, r.Uint64()
		for i := range keeps {
			keeps[i] = bits.RotateLeft64(keep, i)
		}
		o, stored := Op(op%4), slices.Clone(src)
		for i, o1 := range at {
			if rowSet>>(i/rowWords)&1 == 1 {
				storeScattered(o, stored, 0, []uint32{o1}, want[i:i+1], keeps[i%rowWords])
			}
		}
		tile := &tile{exchangeCount: len(exchanges)}
		copy(tile.exchanges[:], exchanges)
		zeros, had := make([]uint64, 2*tileWords), slices.Clone(src)
		for i, o1 := range at {
			if rowSet>>(i/rowWords)&1 == 1 {
				storeScattered(o, had, 0, []uint32{o1}, zeros[:1], keeps[i%rowWords])
			}
		}
		defer func(had kernels.Tier) { tier = had }(tier)
		for _, tier = range kernels.Available()[1:] { // the first has the twins
			var got [tileWords]uint64
			if !tile.transformVector(&got, &src[0], &src[0], &rows) || got != want {
				t.Fatalf("%v, exchanges %v: the vector kernel differs", tier, exchanges)
			}
			dst := slices.Clone(src)
			if !tile.foldVector(o, &dst[0], &rows, &src[0], &src[0], &rows, &keeps, rowSet, &got) || !slices.Equal(stored, dst) {
				t.Fatalf("%v, op %d, exchanges %v: the vector fold differs", tier, o, exchanges)
			}
			copy(dst, src)
			if tile.foldVector(o, &dst[0], &rows, &zeros[0], &src[0], &rows, &keeps, rowSet, &got) || !slices.Equal(had, dst) {
				t.Fatalf("%v, op %d: the vector fold of zeros differs", tier, o)
			}
			for i, o1 := range at {
				zeros[o1] = 1
				if liveVector(&zeros[0], &rows, rowSet) != (rowSet>>(i/rowWords)&1 == 1) {
					t.Fatalf("%v, rows %x: word %d is seen or not", tier, rowSet, i)
				}
				zeros[o1] = 0
			}
		}
	})
}

// randomRows returns the offsets of a tile's rows in twice as many words, and of each
// word.
func randomRows(r *rand.Rand) (rows [rowWords]uint32, words [tileWords]uint32) {
	for i, row := range r.Perm(2 * tileWords / rowWords)[:rowWords] {
		rows[i] = uint32(row * rowWords)
	}
	for i := range words {
		words[i] = rows[i/rowWords] + uint32(i%rowWords)
	}
	return rows, words
}

// decodeExchanges makes exchanges, then trades, then moves, of bytes.
func decodeExchanges(program []byte) []exchange {
	var swaps, trades, moves []exchange
	for _, b := range program[:min(len(program), 2*WordBits-1)] {
		low, high := b%8, b/8%8
		switch {
		case b >= 128:
			column, place := int(b%columnBits), int(b/columnBits%tileBits)
			if place > column {
				moves = append(moves, moveWords(column, place))
			}
		case b >= 64 && low < WordBits:
			trades = append(trades, exchange{lowHalf[low], 1 << low, uint64(high % tileBits)})
		case low < high && high < WordBits:
			swaps = append(swaps, swapInside(low, high))
		}
	}
	return slices.Concat(swaps, trades, moves)
}
