package bitslice

import "math/bits"

// columnBits is the number of bits of a tile's word number that select the word in its row.
const columnBits = 3

// nowhere is the destination address of a dimension if only one half has a
// destination. It is no address, so its bit can mark the halves.
const nowhere = 31

// dim is a dimension of a tile: a bit of its word number, with its address bits on both sides.
type dim struct {
	src, dst uint8
	low      uint8 // what it trades with, inside the words
	trade    bool
	half     bool // only words where the bit is set are read, and written
}

// touchesColumns reports whether the dimension selects the word in a row, on either side.
func (d dim) touchesColumns() bool { return d.src < columnBits || d.dst < columnBits }

type dims struct {
	of [tileBits]dim
	n  int
}

// add adds a dimension, and reports whether there was room.
func (s *dims) add(d dim) bool {
	if s.n == len(s.of) {
		return false
	}
	s.of[s.n] = d
	s.n++
	return true
}

// sort sorts the dimensions by key. Layouts are made too often for the sort of the standard library.
func (s *dims) sort(bySource bool) {
	for i := 1; i < s.n; i++ {
		for k := i; k > 0 && s.of[k].key(bySource) < s.of[k-1].key(bySource); k-- {
			s.of[k], s.of[k-1] = s.of[k-1], s.of[k]
		}
	}
}

// key is the address in the source or the destination.
func (d dim) key(bySource bool) uint8 {
	if bySource {
		return d.src
	}
	return d.dst
}

// free has dimensions that may be in a tile or count through the tiles, by their address on one side.
type free struct {
	at  [MaxIndexBits]dim
	set uint32
}

// layOut chooses the dimensions of a tile: all trades; if there is room, those that make
// rows contiguous on both sides; then those with the lowest addresses on one side. The others
// count through the tiles in the order of that side, so that its memory is accessed in order.
func (t *tile) layOut(p *Plan, segment Segment, bySource bool) {
	fixed := ^uint32(0) << uint(segment.Bits) // address bits that the segment fixes
	value := segment.Value << uint(segment.Bits)
	t.src.base, t.dst.base = p.srcBase, p.dstBase&^fixed
	var pairs free
	for d := WordBits; d < int(p.dstBits); d++ {
		if p.up[d] < WordBits || p.downNeeds>>d&1 == 1 {
			continue
		}
		pair := dim{src: p.up[d] - WordBits, dst: uint8(d - WordBits)}
		if fixed>>pair.dst&1 == 1 {
			t.src.base |= value >> pair.dst & 1 << pair.src
			continue
		}
		k := pair.key(bySource)
		pairs.at[k] = pair
		pairs.set |= 1 << k
	}
	var trades dims
	for i, low := range p.tradeLow[:p.tradeCount] {
		trades.add(dim{src: p.tradeSrc[i], dst: p.tradeDst[i], low: low, trade: true})
	}
	in, room := trades, min(tileBits, int(p.dstBits)-WordBits)
	half := halfOf(p, fixed)
	straight := fixed&(rowWords-1) == 0 && in.straighten(&pairs, half)
	if straight {
		room = tileBits
	}
	for ; pairs.set != 0 && in.n < room; pairs.set &= pairs.set - 1 {
		in.add(pairs.at[bits.TrailingZeros32(pairs.set)])
	}
	if straight && half.touchesColumns() {
		t.src.base &^= 1 << half.src
		t.dst.base &^= 1 << half.dst
	}
	t.count(&pairs)
	in.sort(straight || bySource)
	t.placeWords(p, &in, straight, fixed, value)
}

// halfOf returns the dimension with only one half read and written; both addresses are nowhere if there is none.
func halfOf(p *Plan, fixed uint32) dim {
	d := dim{src: nowhere, dst: nowhere, half: true}
	if bits.OnesCount32(p.srcBase) == 1 {
		d.src = uint8(bits.TrailingZeros32(p.srcBase))
		if within := p.dstBase &^ fixed; within != 0 {
			d.dst = uint8(bits.TrailingZeros32(within))
		}
	}
	return d
}

// straighten adds the dimensions that make rows contiguous in memory, so that whole rows
// are read and written. It reports whether they fit into a tile and fill it; if not, it
// changes nothing.
func (s *dims) straighten(pairs *free, half dim) bool {
	var columns [2]uint32 // by side: the address bits in the tile
	in, left := *s, pairs.set
	cover := func(d dim) {
		columns[0] |= 1 << d.src
		columns[1] |= 1 << d.dst
	}
	for _, d := range in.of[:in.n] {
		cover(d)
	}
	for set := pairs.set; set != 0; set &= set - 1 {
		k := bits.TrailingZeros32(set)
		if d := pairs.at[k]; d.touchesColumns() {
			if !in.add(d) {
				return false
			}
			cover(d)
			left &^= 1 << k
		}
	}
	if half.touchesColumns() {
		if !in.add(half) {
			return false
		}
		cover(half)
	}
	const all = rowWords - 1
	if columns[0]&columns[1]&all != all || in.n+bits.OnesCount32(left) < tileBits {
		return false
	}
	*s, pairs.set = in, left
	return true
}

func (t *tile) count(left *free) {
	t.outer = 0
	var src, dst uint32
	for set := left.set; set != 0; set &= set - 1 {
		d := left.at[bits.TrailingZeros32(set)]
		// Counting up flips bits 0 to i of the tile's number at once.
		src |= 1 << d.src
		dst |= 1 << d.dst
		t.src.step[t.outer], t.dst.step[t.outer] = src, dst
		t.outer++
	}
}

// placeWords sets the offsets of a tile's words, the exchanges, and which destination words are written.
func (t *tile) placeWords(p *Plan, in *dims, straight bool, fixed, value uint32) {
	t.exchangeCount = 0
	for _, s := range p.swaps[:p.swapCount] {
		t.addExchange(swapInside(s&7, s>>3))
	}
	t.src.begin()
	match, want := p.dstOne, p.dstOne
	for n, d := range in.of[:in.n] {
		t.src.add(n, 1<<d.src, ^uint32(0))
		switch bit := uint32(1) << d.dst; {
		case d.trade:
			t.addExchange(exchange{lowHalf[d.low], 1 << d.low, uint64(n)})
			match |= fixed & bit
			want |= fixed & bit & value
		case d.half:
			match |= bit
			want |= bit
		}
	}
	if straight {
		t.permuteColumns(in)
	}
	t.dst.begin()
	for n, d := range in.of[:in.n] {
		t.dst.add(n, 1<<d.dst, ^fixed)
	}
	t.size = 1 << in.n
	t.rows, t.columns = max(t.size/rowWords, 1), min(t.size, rowWords)
	if t.columns < rowWords {
		t.src.straight, t.dst.straight = false, false
	}
	t.filter(match, want, ^fixed, p.keep)
}

// permuteColumns adds moves that make rows that are contiguous in the source so in the destination.
func (t *tile) permuteColumns(in *dims) {
	for column := range columnBits {
		place := column
		for int(in.of[place].dst) != column {
			place++
		}
		if place != column {
			t.addExchange(moveWords(column, place))
			in.of[column], in.of[place] = in.of[place], in.of[column]
		}
	}
}

func (t *tile) addExchange(s exchange) {
	t.exchanges[t.exchangeCount] = s
	t.exchangeCount++
}

// filter keeps the words whose destination address is want in the bits match. Each of these bits
// selects rows or columns. Bits outside within are fixed by the segment.
func (t *tile) filter(match, want, within uint32, keep uint64) {
	t.filtered = match != 0
	t.dst.straight = t.dst.straight && within&(rowWords-1) == rowWords-1
	filter := func(wants *[rowWords]bool, at *[rowWords]uint32, n int) {
		own := match & at[n-1]
		for i, o := range at[:n] {
			wants[i] = o&own == want&own
			at[i] = o & within
		}
	}
	filter(&t.wantsRow, &t.dst.row, t.rows)
	filter(&t.wantsColumn, &t.dst.column, t.columns)
	t.rowSet, t.kept = 0, keep
	for i := range rowWords {
		t.keep[i] = 0
		if t.wantsColumn[i] {
			t.keep[i] = keep
		}
		if t.wantsRow[i] {
			t.rowSet |= 1 << i
		}
	}
}

func (s *side) begin() {
	s.row[0], s.column[0], s.groups[0] = 0, 0, 0
	s.straight, s.span = true, 1
}

// add doubles the tile by its n-th bit. Only bits in within count for the groups.
func (s *side) add(n int, bit, within uint32) {
	words := 1 << n
	s.straight = s.straight && (words >= rowWords || int(bit) == words)
	table := &s.column
	if words >= rowWords {
		table, words = &s.row, words/rowWords
	}
	for i, x := range table[:words] {
		table[words+i] = x | bit
	}
	if group := bit & within >> GroupBits; group != 0 {
		for i := range s.span {
			s.groups[s.span+i] = s.groups[i] | group
		}
		s.span *= 2
	}
}
