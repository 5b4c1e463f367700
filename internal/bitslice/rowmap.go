package bitslice

import "math/bits"

const (
	byteBits  = 3  // index bits inside a byte
	rowBits   = 9  // index bits of a row of eight words
	shortBits = 12 // index bits of the longest slice that is folded by rows
	shortRows = 1 << (shortBits - rowBits)
	// otherRow is the place that follows those of a row: which of two rows a state is in.
	otherRow = rowBits
	rowBytes = rowWords * 8
	// noBit stands for an index bit that does not exist.
	noBit = 31
)

// rowMap is an index map of short slices, ready to be carried out on whole rows of eight
// words. Index bits 3 to 8 number the bytes of a row. A permutation of the bytes moves these; between
// two of them exchanges swap index bits inside the bytes with others. Bits from 9 on number rows. Each
// row of the destination comes from one of the source, or from two.
//
// The layout is known to the assembly.
type rowMap struct {
	steps  rowSteps
	second uint64 // distance in bytes to the second row of the source; 0: one is enough
	set    uint64 // a bit for each row of the destination that is written
	// By row of the destination: offset of the row of the source in bytes, and what is added to
	// each number of the second permutation.
	from [shortRows]uint16
	flip [shortRows]uint8
	made bool
}

type rowSteps struct {
	first, second permutation
	exchanges     [byteBits]rowExchange // inside the words
	trade         rowExchange           // of an index bit inside the bytes with the one that tells two rows apart
}

// rowExchange is a mask, and a distance in bits.
type rowExchange [2]uint64

// permutation is a permutation of the bytes of a row, or of two: byte j comes from the exclusive or
// of byte 0 of the permutation and, for each bit c that is set in j, of byte 7−c.
type permutation uint64

// moves returns the part of a permutation that takes bit to, of a byte's number, from bit from.
func moves(to, from uint8) permutation { return 1 << from << (8 * (7 - to)) }

// rowPlaces has the bit of the source that is in each place: index bits of a row, behind them of two.
type rowPlaces [rowBits + 1]uint8

func (p *rowPlaces) place(bit uint8) (place uint8) {
	for p[place] != bit {
		place++
	}
	return place
}

func (p *rowPlaces) swap(a, b uint8) { p[a], p[b] = p[b], p[a] }

// newRowMap returns the row map of an index map, if it has one: for slices of one to 64 words, of which
// a destination's state needs one bit at most, and where a row comes from two at most.
func newRowMap(m *IndexMap) rowMap {
	needs := m.One & (1<<uint(m.Dst) - 1)
	if m.Dst < WordBits || m.Dst > shortBits || bits.OnesCount32(needs) > 1 {
		return rowMap{}
	}
	t := rowMap{made: true}
	places := rowPlaces{0, 1, 2, 3, 4, 5, 6, 7, 8, noBit}
	// One bit at most of those inside the source's rows is the same in all of a destination's
	// row: the top, or one that numbers the destination's rows.
	same := uint8(noBit)
	top := m.Dst < m.Src && m.From[m.Dst] < rowBits
	if top {
		same = m.From[m.Dst]
	} else if m.Dst < m.Src {
		t.from[0] = rowBytes << (m.From[m.Dst] - rowBits)
	}
	for d := rowBits; d < m.Dst; d++ {
		if m.From[d] < rowBits {
			if same != noBit {
				return rowMap{}
			}
			same = m.From[d]
		}
	}
	for _, s := range m.From[:min(m.Dst, rowBits)] {
		if s >= rowBits {
			if t.second != 0 {
				return rowMap{}
			}
			t.second, places[otherRow] = rowBytes<<(s-rowBits), s
		}
	}
	t.steps.compile(m, &places)
	if top {
		t.steps.second |= moves(7, places.place(same)-byteBits) // sets the bit of every number
	}
	t.number(m, uint8(needs>>rowBits), same, &places)
	return t
}

// number sets what differs by row. A bit of its number that is inside the source's rows is the given one.
func (t *rowMap) number(m *IndexMap, needs, inside uint8, places *rowPlaces) {
	rows := 1
	for d := rowBits; d < m.Dst; d++ {
		var from uint16
		var flip uint8
		if s := m.From[d]; s == inside {
			flip = 1 << (places.place(s) - byteBits)
		} else {
			from = rowBytes << (s - rowBits)
		}
		for row := range rows {
			t.from[rows+row], t.flip[rows+row] = t.from[row]|from, t.flip[row]|flip
		}
		rows *= 2
	}
	for row := range rows {
		if uint8(row)&needs == needs {
			t.set |= 1 << row
		}
	}
}

// compile makes the steps, and keeps track of the places.
func (s *rowSteps) compile(m *IndexMap, places *rowPlaces) {
	inside := m.From[:byteBits]
	wanted := uint32(1)<<inside[0] | 1<<inside[1] | 1<<inside[2]
	// free returns the first place from one on whose bit is not for the inside of bytes.
	free := func(place uint8) uint8 {
		for wanted>>places[place]&1 == 1 {
			place++
		}
		return place
	}
	if wanted>>places[otherRow]&1 == 1 {
		p := free(0)
		s.trade = rowExchange{lowHalf[p], 1 << p}
		places.swap(p, otherRow)
	}
	// What is to come inside the bytes must be inside the words first.
	before := *places
	for place := uint8(WordBits); place < rowBits; place++ {
		if wanted>>places[place]&1 == 1 {
			places.swap(place, free(byteBits))
		}
	}
	for to := byteBits; to < rowBits; to++ {
		s.first |= moves(uint8(to-byteBits), before.place(places[to])-byteBits)
	}
	for p, bit := range inside {
		if q := places.place(bit); int(q) != p {
			e := swapInside(uint8(p), q)
			s.exchanges[p] = rowExchange{e.mask(), uint64(e.shift())}
			places.swap(uint8(p), q)
		}
	}
	for to := byteBits; to < min(m.Dst, rowBits); to++ {
		s.second |= moves(uint8(to-byteBits), places.place(m.From[to])-byteBits)
	}
}

// byRows reports whether a segment is a whole slice that is folded by rows.
func (p *Plan) byRows(segment Segment) bool {
	return p.rows.made && vectors() && segment.Bits+WordBits >= int(p.dstBits)
}

func (p *Plan) foldRows(op Op, dst, src []uint64) {
	dst, src = dst[:1<<(p.dstBits-WordBits)], src[:1<<(p.srcBits-WordBits)]
	foldRowsVector(op, dst, src, &p.rows, &rowKeep[min(bits.TrailingZeros32(p.downNeeds|1<<rowBits), rowBits)])
}

// rowKeep has, for each index bit, the states of a row that have it, and at last all.
var rowKeep = func() (keep [rowBits + 1][rowWords]uint64) {
	for i := range rowBits {
		Cube{Care: 1 << i, Value: 1 << i}.Fill(keep[i][:], Whole(rowBits), rowBits)
	}
	for i := range keep[rowBits] {
		keep[rowBits][i] = ^uint64(0)
	}
	return keep
}()

// RowsFolded returns how many rows of eight words slices of k index bits are folded by, each
// at the cost of a few single states; 0 for those that are not.
func RowsFolded(k int) (rows int) {
	if !vectors() || k < WordBits || k > shortBits {
		return 0
	}
	return 1 << max(k-rowBits, 0)
}
