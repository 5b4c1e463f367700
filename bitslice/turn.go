package bitslice

import "math/bits"

const (
	byteBits = 3  // index bits inside a byte
	turnBits = 9  // index bits of a row of eight words
	mostBits = 12 // index bits of the longest slice that is turned
	// numbered are the index bits that number the bytes of a row.
	numbered = 1<<turnBits - 1<<byteBits
	// noBit stands for an index bit that there is not.
	noBit = 31
)

// turn is an index map of short slices, made ready to be carried out on whole rows of eight
// words. Index bits 3 to 8 number the bytes of a row. Orders of bytes move these;
// between two of them those inside the bytes are exchanged with bits 3 to 5, once or twice.
// Bits from 9 on number rows. Each row of the destination comes from one of the source,
// or from two.
type turn struct {
	orders [turnOrders]order
	twice  uint8 // 1 or 0
	made   bool
	// By bit that numbers the destination's rows: the bit of the source's rows, 0 for one inside
	// the rows, which flip sets in the second order.
	rows  [mostBits - turnBits]uint8
	flips [mostBits - turnBits]uint8 // the row of the matrix plus one, else 0
	base  uint8                      // bits of the source's rows that are always set
	other uint8                      // bit of the source's rows that tells two apart that are both needed
	needs uint8                      // bits that the destination's rows must have set
}

const turnOrders = 3

// order is a matrix of bits by which the bytes of a row are reordered: where byte j comes from
// is the product of the matrix and j, of which bit 7 counts as set. Byte 7−i of the matrix has the bits
// of j that bit i of the product is the sum of. This is known to the assembly.
type order = uint64

// turning is a turn that is being made.
type turning struct {
	turn
	n      int             // orders that are made
	inside [byteBits]uint8 // source's bits inside the bytes now
	place  [32]uint8       // by bit of the source that numbers bytes now, its place among these
	where  uint8           // the place, before the second order, of the bit that is the same in a row
}

// places are the source's bits that number bytes, from the lowest place up; noBit where
// what is there is of no interest.
type places [turnBits - byteBits]uint8

// newTurn returns the turn of an index map, if the kernels know how to carry it out: of slices
// of one to 64 words, of which a destination's state needs one bit at most, and where a row
// comes from two at most.
func newTurn(m *IndexMap) turn {
	if m.Dst < WordBits || m.Dst > mostBits || bits.OnesCount32(m.One&(1<<uint(m.Dst)-1)) > 1 {
		return turn{}
	}
	t := turning{turn: turn{made: true}, inside: [byteBits]uint8{0, 1, 2}}
	for b := byteBits; b < turnBits; b++ {
		t.place[b] = uint8(b - byteBits)
	}
	// One bit at most that numbers bytes of the source, or is inside them, is the same in all of
	// a row: the top, or one that numbers the destination's rows.
	same := uint8(noBit)
	all := uint32(1)<<turnBits - 1
	if m.Dst < m.Src {
		if same = m.From[m.Dst]; same >= turnBits {
			t.base, same = 1<<(same-turnBits), noBit
		}
	}
	top := same
	byRows := -1 // which of the destination's rows it numbers
	for d := turnBits; d < m.Dst; d++ {
		s := m.From[d]
		if s >= turnBits {
			t.rows[d-turnBits] = 1 << (s - turnBits)
			continue
		}
		if same != noBit {
			return turn{}
		}
		same, byRows = s, d-turnBits
	}
	for _, s := range m.From[:min(m.Dst, turnBits)] {
		if s >= turnBits {
			if t.other != 0 {
				return turn{}
			}
			t.other = 1 << (s - turnBits)
			t.place[s] = turnBits - byteBits
			all |= 1 << s
		}
	}
	t.needs = uint8(m.One & (1<<uint(m.Dst) - 1) >> turnBits)
	t.compile(m, same, top, all&^(1<<same))
	if byRows >= 0 {
		t.flips[byRows] = 8 - t.where
	}
	return t.turn
}

// compile makes the orders. same is a bit of the source that is the same in all of a row, which
// is set where it is the top, and all are the others that rows are made of.
func (t *turning) compile(m *IndexMap, same, top uint8, all uint32) {
	// What a short slice lacks of a row takes the source's bits that are left, if there are.
	within := min(m.Dst, turnBits)
	left := all
	for _, b := range m.From[:within] {
		left &^= 1 << b
	}
	var want places
	fill(want[copy(want[:], m.From[byteBits:within]):], left)
	inside := uint32(1)<<m.From[0] | 1<<m.From[1] | 1<<m.From[2]
	var next places
	if inside&^numbered == 0 {
		// All that comes to be inside bytes can be brought there at once.
		fill(next[copy(next[:], m.From[:byteBits]):], numbered&^inside)
		t.order(&next, noBit, true)
		t.where = t.place[same]
		t.order(&want, top, false)
		t.order(&want, noBit, false)
		return
	}
	// Others are brought there first, and those that are there come out.
	fill(next[:byteBits], numbered&^inside&^(1<<same))
	others := uint32(1)<<next[0] | 1<<next[1] | 1<<next[2]
	fill(next[byteBits:], numbered&^others)
	t.order(&next, noBit, true)
	t.where = t.place[same]
	fill(next[copy(next[:], m.From[:byteBits]):], all&^inside&^others)
	t.order(&next, top, true)
	t.order(&want, noBit, false)
	t.twice = 1
}

// fill fills to with the bits of a set, ascending, as far as there are any.
func fill(to []uint8, set uint32) {
	for i := range to {
		to[i] = noBit
		if set != 0 {
			to[i] = uint8(bits.TrailingZeros32(set))
			set &= set - 1
		}
	}
}

// order makes the next order: it brings the source's bits to the places of those that
// number bytes. top is one that must be set from then on. If it is asked for, bits are exchanged
// after that; the kernel, which transposes words, has their bytes the other way round then.
func (t *turning) order(next *places, top uint8, exchange bool) {
	o := &t.orders[t.n]
	t.n++
	const must = 7
	for i, b := range next {
		if b == noBit {
			continue
		}
		row := 8 * uint(7-t.place[b])
		*o |= 1 << i << row
		if exchange && i < byteBits {
			*o ^= 1 << must << row
		}
	}
	if top != noBit {
		*o ^= 1 << must << (8 * uint(7-t.place[top]))
	}
	for i, b := range next {
		t.place[b] = uint8(i)
	}
	if exchange {
		for i := range byteBits {
			t.place[t.inside[i]] = uint8(i)
			t.inside[i] = next[i]
		}
	}
}

// turns reports whether a part of a slice, all of it, is folded by a turn.
func (p *Plan) turns(part Part) bool {
	return p.turn.made && hasTurnVector() && part.Bits+WordBits >= int(p.dstBits)
}

// foldTurned folds a slice by a turn.
func (p *Plan) foldTurned(op Op, dst, src []uint64) {
	dst, src = dst[:1<<(p.dstBits-WordBits)], src[:1<<(p.srcBits-WordBits)]
	t, keep := &p.turn, &turnKeep[min(bits.TrailingZeros32(p.downNeeds|1<<turnBits), turnBits)]
	for row := 0; row*rowWords < len(dst); row++ {
		if row&int(t.needs) != int(t.needs) {
			continue
		}
		to := dst[row*rowWords : min((row+1)*rowWords, len(dst))]
		if op == And && !Any(to) {
			continue
		}
		from, orders := t.base, t.orders
		for i, set := range t.rows {
			if row>>i&1 == 1 {
				from |= set
				if t.flips[i] > 0 {
					orders[1] ^= 1 << 7 << (8 * (t.flips[i] - 1))
				}
			}
		}
		turnVector(op, to, src[int(from)*rowWords:][:min(len(src), rowWords)], int(t.other)*rowWords, &orders, t.twice, keep)
	}
}

// turnKeep has, for each index bit, the states of a row that have it, and at last all.
var turnKeep = func() (keep [turnBits + 1][rowWords]uint64) {
	for i := range turnBits {
		Cube{Care: 1 << i, Value: 1 << i}.Fill(keep[i][:], Whole(turnBits), turnBits)
	}
	for i := range keep[turnBits] {
		keep[turnBits][i] = ^uint64(0)
	}
	return keep
}()

// Turned returns how many rows of eight words slices of so many index bits are turned by, each
// at the cost of a few single states; 0 for those that are not.
func Turned(k int) (rows int) {
	if !hasTurnVector() || k < WordBits || k > mostBits {
		return 0
	}
	return 1 << max(k-turnBits, 0)
}
