package bitslice

// MaxNimbers bounds the nimbers of a MexSlice: they are less.
const MaxNimbers = 64

// MexSlice is a slice that is being solved. A move inside it sets any clear index bit. It
// has the nimbers of the game in which moves to terminal states are illegal and a player
// without a move loses: the least nimber that none of a state's children has (mex, minimum
// excluded).
type MexSlice struct {
	// Over has the terminal states, which have no nimber.
	Over []uint64
	// Stride is the number of planes, a power of two up to MaxNimbers. m moves make a nimber of at most m.
	Stride int
	// Rows has planes by nimber, interleaved: Rows[i*Stride+v] has states of word i. They
	// must be zero at first. Before a state is solved it is in the planes of the nimbers
	// that its moves reach, then only in that of its own.
	Rows []uint64

	used int                // planes from here on are empty
	sets [MaxNimbers]uint64 // of a word, by nimber; zero between uses
}

func (s *MexSlice) row(i int) []uint64 { return s.Rows[i*s.Stride:][:s.used] }

// Reach adds the children at the same index in another slice, for which Solve has set win and nimbers.
func (s *MexSlice) Reach(win []uint64, nimbers Numbers) {
	sets := s.sets[:1<<len(nimbers)]
	s.used = max(s.used, len(sets))
	defer clear(sets)
	for i, won := range win {
		row := s.row(i)
		row[0] |= ^won
		// Each digit splits every set into the states that have it and those that do
		// not. Terminal states stay in the first set.
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

// Solve decides all states of the slice of k index bits. Terminal states and those
// with a nimber other than 0 are won. It sets the digits of the nimbers; those of terminal
// states are zero.
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
			s.solveWeight(at, weightMask[weight]&Valid(k), k)
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

// solveWeight adds the given states of word i, all of one weight, to the sets of their
// nimbers, and marks these as reached for the other states of the word.
func (s *MexSlice) solveWeight(i int, these uint64, k int) {
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
