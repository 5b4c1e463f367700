package bitslice

// MaxNimbers bounds the nimbers of a MexSlice: they are less.
const MaxNimbers = 64

// MexSlice is a slice in the making whose moves inside it set any clear index bit, with
// the nimbers of the game in which moves to terminal states are not allowed and who
// cannot move has lost: that of a state is the least that no state after one of its
// moves has (mex, for minimum excluded).
type MexSlice struct {
	// Over are the terminal states, which have no nimber.
	Over []uint64
	// Stride is how many nimbers can be told apart, a power of two up to MaxNimbers. A
	// state with m moves has none above m.
	Stride int
	// Rows are planes by nimber, of which the words for the same states lie side by side:
	// those of Rows[i*Stride+v] are states of word i. They come zeroed. Until Settle has
	// come to a state it stands in the planes of the nimbers that a move reaches, and
	// then in that of its own alone.
	Rows []uint64

	used int                // no plane from this one on has a state
	sets [MaxNimbers]uint64 // of a word, by number; zero between its uses by Settle
}

// row returns the words of word i's states.
func (s *MexSlice) row(i int) []uint64 { return s.Rows[i*s.Stride:][:s.used] }

// Reach notes that the states of the slice have moves to those of another one, by
// their number, of which Settle has made win and nimbers.
func (s *MexSlice) Reach(win []uint64, nimbers Numbers) {
	sets := s.sets[:1<<len(nimbers)]
	s.used = max(s.used, len(sets))
	defer clear(sets)
	for i, won := range win {
		row := s.row(i)
		row[0] |= ^won
		// Digit by digit, each set is parted into those states that have the digit, and
		// those that have not. Terminal states are what stays in the first set.
		sets[0] = won
		for d, plane := range nimbers {
			half, digit := 1<<d, plane[i]
			for v, x := range sets[:half] {
				sets[half+v] = x & digit
				sets[v] = x &^ digit
			}
		}
		for v := 1; v < len(sets); v++ {
			row[v] |= sets[v]
		}
	}
}

// Solve decides all states of the slice of k index bits: those that are terminal or
// have another nimber than 0 are won, and the digits of the nimbers are written.
// Terminal states have zero digits.
func (s *MexSlice) Solve(win []uint64, nimbers Numbers, k int) {
	all := uint32(len(win) - 1)
	s.used = max(s.used, 1)
	for at := len(win) - 1; at >= 0; at-- {
		row := s.row(at)
		for clear := all &^ uint32(at); clear != 0; clear &= clear - 1 {
			for v, x := range s.row(int(uint32(at) | clear&-clear)) {
				row[v] |= x
			}
		}
		for weight := min(k, WordBits); weight >= 0; weight-- {
			s.settle(at, weightMask[weight]&Valid(k), k)
		}
		row = s.row(at)
		copy(row, s.sets[:])
		clear(s.sets[:s.used])
		win[at] = Valid(k) &^ row[0]
		for d, plane := range nimbers {
			plane[at] = digit(row, d)
		}
	}
}

// settle solves those states of word i that are given, all of one weight, into the sets
// by number, and notes what the others of the word reach by them.
func (s *MexSlice) settle(i int, these uint64, k int) {
	row := s.Rows[i*s.Stride:][:s.Stride]
	open := these &^ s.Over[i]
	for v := 0; open != 0; v++ {
		reached := row[v]
		have := open &^ reached
		open &= reached
		if have == 0 {
			continue
		}
		s.used = max(s.used, v+1)
		s.sets[v] |= have
		for b := range min(k, WordBits) {
			reached |= have &^ lowHalf[b] >> (uint(1) << uint(b))
		}
		row[v] = reached
	}
}

// digit returns the states whose nimber has a binary digit.
func digit(row []uint64, d int) (states uint64) {
	for v, x := range row {
		states |= x & -(uint64(v) >> uint(d) & 1)
	}
	return states
}
