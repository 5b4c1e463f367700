package bitslice

import "math/bits"

// MaxDigits bounds the binary digits of a bit-sliced number.
const MaxDigits = 16

// Number is 64 bit-sliced numbers: word d has digit d of each of them.
type Number [MaxDigits]uint64

// Numbers has the bit-sliced numbers of states: a plane for each binary digit, lowest first.
type Numbers [][]uint64

// Load returns the numbers of word i.
func (n Numbers) Load(i int) (v Number) {
	for d, plane := range n {
		v[d] = plane[i]
	}
	return v
}

// Store writes the numbers of word i.
func (n Numbers) Store(i int, v *Number) {
	for d, plane := range n {
		plane[i] = v[d]
	}
}

// At returns the number of a bit of word i.
func (n Numbers) At(i, bit int) (v int) {
	for d, plane := range n {
		v |= int(plane[i]>>uint(bit)&1) << uint(d)
	}
	return v
}

// Equal returns the states of word i whose number is v.
func (n Numbers) Equal(i, v int) uint64 {
	if v>>uint(len(n)) != 0 {
		return 0
	}
	equal := ^uint64(0)
	for d, plane := range n {
		equal &= plane[i] ^ (uint64(v)>>uint(d)&1 - 1)
	}
	return equal
}

// KeepLeast lowers the numbers n of word i, for the states in those, to those of
// v's word j where they are less or the state is not in has, and adds the states
// to has. v may have fewer digits.
func (n Numbers) KeepLeast(i int, has *uint64, those uint64, v Numbers, j int) {
	if those == 0 {
		return
	}
	var less uint64
	for d, plane := range n {
		a, b := v.digit(d, j), plane[i]
		less = ^a&b | ^(a^b)&less
	}
	take := those & (^*has | less)
	for d, plane := range n {
		plane[i] ^= (plane[i] ^ v.digit(d, j)) & take
	}
	*has |= those
}

// KeepGreatest raises the numbers n of word i, for the states in those, to those
// of v's word j where they are greater. v may have fewer digits.
func (n Numbers) KeepGreatest(i int, those uint64, v Numbers, j int) {
	if those == 0 {
		return
	}
	var greater uint64
	for d, plane := range n {
		a, b := v.digit(d, j), plane[i]
		greater = a&^b | ^(a^b)&greater
	}
	take := those & greater
	for d, plane := range n {
		plane[i] ^= (plane[i] ^ v.digit(d, j)) & take
	}
}

// Least lowers all numbers to those of others, which has as many planes of as many words, where these are less.
func (n Numbers) Least(others Numbers) {
	words := len(n[0])
	if vectors() && words >= rowWords {
		var to, from [MaxDigits]*uint64
		for d := range n {
			to[d], from[d] = &n[d][:words][0], &others[d][:words][0]
		}
		leastVector(to[:len(n)], from[:len(n)], words/rowWords)
		return
	}
	for i := range words {
		has := ^uint64(0)
		n.KeepLeast(i, &has, has, others, i)
	}
}

// digit returns digit d of word i, zero beyond the last.
func (n Numbers) digit(d, i int) uint64 {
	if d < len(n) {
		return n[d][i]
	}
	return 0
}

// keepLeast and keepGreatest are the same for words that are not in planes.
func keepLeast(has *uint64, n *Number, those uint64, v *Number, digits int) {
	var less uint64
	for d := range digits {
		less = ^v[d]&n[d] | ^(v[d]^n[d])&less
	}
	take := those & (^*has | less)
	for d := range digits {
		n[d] ^= (n[d] ^ v[d]) & take
	}
	*has |= those
}

func keepGreatest(n *Number, those uint64, v *Number, digits int) {
	var greater uint64
	for d := range digits {
		greater = v[d]&^n[d] | ^(v[d]^n[d])&greater
	}
	take := those & greater
	for d := range digits {
		n[d] ^= (n[d] ^ v[d]) & take
	}
}

func (n *Number) increment(states uint64, digits int) {
	for d := 0; states != 0 && d < digits; d++ {
		carry := n[d] & states
		n[d] ^= states
		states = carry
	}
}

// CountNumbers adds to won[v] and lost[v], for every v, the number of the states in win and
// in lose whose number is v, times factor. No state may be in both.
func (n Numbers) CountNumbers(won, lost, win, lose []uint64, factor uint64) {
	if len(n) > tallied || len(win) < 16 { // a tally of few words is mostly its sums
		for i := range win {
			n.countWord(won, i, win[i], len(n)-1, 0, factor)
			n.countWord(lost, i, lose[i], len(n)-1, 0, factor)
		}
		return
	}
	var t tally
	for i, w := range win {
		n.tallyWord(&t, i, w, lose[i])
	}
	for v := range 1 << uint(len(n)) {
		// The win takes the place of digit 7, and digit 7 that of digit 8.
		at := v&127 | v>>7<<8
		won[v] += factor * t.at(at|128)
		lost[v] += factor * t.at(at)
	}
}

func (n Numbers) countWord(counts []uint64, i int, states uint64, digit, value int, factor uint64) {
	switch {
	case states == 0:
	case digit < 0:
		counts[value] += factor * uint64(bits.OnesCount64(states))
	default:
		w := n[digit][i]
		n.countWord(counts, i, states&w, digit-1, value|1<<uint(digit), factor)
		n.countWord(counts, i, states&^w, digit-1, value, factor)
	}
}

// tallied bounds the digits of numbers that are counted one by one.
const tallied = 8

// tally counts bytes, and bytes from 256. Equal bytes in a row go to different counters, as an
// addition to the same would wait for the one before. A call has less than 2³² states.
type tally [4][2 * 256]uint32

func (t *tally) at(i int) uint64 {
	return uint64(t[0][i] + t[1][i] + t[2][i] + t[3][i])
}

// tallyWord counts the states of word i: a byte is their lowest seven digits and whether they are
// won, and those with digit 7 are counted from 256.
func (n Numbers) tallyWord(t *tally, i int, win, lose uint64) {
	states := win | lose
	if len(n) == tallied {
		high := n[tallied-1][i] & states
		n[:tallied-1].tallyStates(t, 256, i, win, high)
		states &^= high
	}
	n[:min(len(n), tallied-1)].tallyStates(t, 0, i, win, states)
}

func (n Numbers) tallyStates(t *tally, from, i int, win, states uint64) {
	if states == 0 {
		return
	}
	var a [8]uint64
	for d, plane := range n {
		a[d] = plane[i] & states
	}
	a[7] = win & states
	// Transposing 8 by 8 bits in each byte makes byte k of a[r] that of state 8k+r.
	for r := range 4 {
		a[r], a[r+4] = exchangeBits(a[r], a[r+4], 4, 0x0f0f0f0f0f0f0f0f)
	}
	for _, r := range [...]int{0, 1, 4, 5} {
		a[r], a[r+2] = exchangeBits(a[r], a[r+2], 2, 0x3333333333333333)
	}
	for r := 0; r < 8; r += 2 {
		a[r], a[r+1] = exchangeBits(a[r], a[r+1], 1, 0x5555555555555555)
	}
	t0, t1 := (*[256]uint32)(t[0][from:]), (*[256]uint32)(t[1][from:])
	t2, t3 := (*[256]uint32)(t[2][from:]), (*[256]uint32)(t[3][from:])
	for _, x := range a {
		t0[byte(x)]++
		t1[byte(x>>8)]++
		t2[byte(x>>16)]++
		t3[byte(x>>24)]++
		t0[byte(x>>32)]++
		t1[byte(x>>40)]++
		t2[byte(x>>48)]++
		t3[byte(x>>56)]++
	}
	t0[0] -= uint32(64 - bits.OnesCount64(states)) // the other states; sums are modulo 2³²
}

// StepsSlice is a slice that is being solved with the steps to the end. A move inside
// it sets any clear index bit. HasLost, Least and Greatest summarize the children outside:
// whether any is lost, the least steps of the lost ones and the greatest of the won ones.
// Won and Lost have the terminal states; Lost may be nil.
type StepsSlice struct {
	Won, Lost, HasLost []uint64
	Least, Greatest    Numbers
}

// Solve decides all states of the slice of k index bits. A state with a lost
// child is won in one step more than the least of these. Any other state that is
// not terminal is lost in one step more than the greatest of its children.
// Terminal states have 0 steps.
func (s *StepsSlice) Solve(win []uint64, steps Numbers, k int) {
	all := uint32(len(win) - 1)
	digits := len(steps)
	for at := len(win) - 1; at >= 0; at-- {
		has := s.HasLost[at]
		for clear := all &^ uint32(at); clear != 0; clear &= clear - 1 {
			child := int(uint32(at) | clear&-clear)
			s.Least.KeepLeast(at, &has, ^win[child], steps, child)
			s.Greatest.KeepGreatest(at, win[child], steps, child)
		}
		var lost uint64
		if s.Lost != nil {
			lost = s.Lost[at]
		}
		least, greatest := s.Least.Load(at), s.Greatest.Load(at)
		win[at] = solveSteps(s.Won[at], lost, has, &least, &greatest, min(k, WordBits), digits)
		steps.Store(at, &least)
	}
}

// solveSteps solves the index bits inside a word, by falling number of bits
// set, and leaves the steps of all its states in least.
func solveSteps(terminalWin, terminalLose, has uint64, least, greatest *Number, k, digits int) uint64 {
	var win uint64
	terminal := terminalWin | terminalLose
	for weight := k; weight >= 0; weight-- {
		these := weightMask[weight] & Valid(k)
		won, lost := has&these&^terminal, these&^has&^terminal
		win |= won | terminalWin&these
		for d := range digits {
			least[d] = least[d]&^(lost|terminal&these) | greatest[d]&lost
		}
		least.increment(won|lost, digits)
		for b := range k {
			shift := uint(1) << uint(b)
			var v Number
			for d := range digits {
				v[d] = least[d] >> shift
			}
			to := these &^ lowHalf[b] >> shift
			wins := win >> shift & to
			// The numbers of the states below are not solved yet: least and
			// greatest still hold what their children leave.
			keepLeast(&has, least, to&^wins, &v, digits)
			keepGreatest(greatest, wins, &v, digits)
		}
	}
	return win
}
