package partition

import "backsolve/bitboard"

// Symmetries is a group of permutations of at most 32 bits, tabulated by bytes. A byte's
// row has its images under all elements side by side, as lookups need them together.
type Symmetries struct {
	perms []bitboard.Perm
	bytes int
	rows  []uint32 // [byte][256][element]
}

// NewSymmetries returns a group by the images of the mask bits, the identity first; NewSpace
// checks that it is a group.
func NewSymmetries(perms []bitboard.Perm) *Symmetries {
	bits := len(perms[0])
	s := &Symmetries{perms: perms, bytes: max((bits+7)/8, 1)}
	s.rows = make([]uint32, s.bytes*256*len(perms))
	for b := range s.bytes {
		for i := range min(8, bits-8*b) {
			for low := range 1 << uint(i) {
				from, to := s.row(b, low), s.row(b, 1<<uint(i)|low)
				for g, p := range perms {
					to[g] = from[g] | 1<<p[8*b+i]
				}
			}
		}
	}
	return s
}

func (s *Symmetries) row(b, value int) []uint32 {
	return s.rows[(b*256+value)*len(s.perms):][:len(s.perms)]
}

// Len returns the order of the group.
func (s *Symmetries) Len() int { return len(s.perms) }

// Image returns the image of a mask under element g.
func (s *Symmetries) Image(g int, mask uint64) uint64 {
	var image uint32
	for b := range s.bytes {
		image |= s.row(b, int(mask>>uint(8*b)&255))[g]
	}
	return uint64(image)
}

func (s *Symmetries) images(mask uint64, images []uint32) {
	images = images[:copy(images, s.row(0, int(mask&255)))]
	for b := 1; b < s.bytes; b++ {
		for g, bits := range s.row(b, int(mask>>uint(8*b)&255)) {
			images[g] |= bits
		}
	}
}

// Canonical returns the least image of a mask and the first element that
// carries the mask to it.
func (s *Symmetries) Canonical(mask uint64) (least uint64, g int) {
	if len(s.perms) <= ofSquare {
		var images [ofSquare]uint32 // fast to clear
		return s.least(mask, images[:])
	}
	var images [maxSymmetries]uint32
	return s.least(mask, images[:])
}

const ofSquare = 8

// least is Canonical with scratch memory for the images.
func (s *Symmetries) least(mask uint64, images []uint32) (least uint64, g int) {
	s.images(mask, images)
	best := images[0]
	for h, image := range images[:len(s.perms)] {
		if image < best {
			best, g = image, h
		}
	}
	return uint64(best), g
}

// Orbit returns the number of images of a mask that is the least of them, else 0. By the
// orbit-stabilizer theorem, it is the order of the group over the number of elements that keep the
// mask.
func (s *Symmetries) Orbit(mask uint64) (size int) {
	keep := 0
	for g := range s.perms {
		image := s.Image(g, mask)
		if image < mask {
			return 0
		}
		if image == mask {
			keep++
		}
	}
	return len(s.perms) / keep
}

func (s *Symmetries) inverses() []int {
	number := map[string]int{}
	for g, p := range s.perms {
		number[string(p)] = g
	}
	inv := make([]int, len(s.perms))
	for g, p := range s.perms {
		inv[g] = number[string(p.Inverse())]
	}
	return inv
}

// gather moves chosen cells of a board mask to the low bits: cells[i] to bit i.
type gather struct {
	bytes int
	table []uint32
}

func newGather(boardCells int, cells []int) gather {
	g := gather{bytes: (boardCells + 7) / 8}
	g.table = make([]uint32, g.bytes*256)
	for i, c := range cells {
		for v := range 256 {
			g.table[c/8*256+v] |= uint32(v>>uint(c%8)&1) << uint(i)
		}
	}
	return g
}

func (g gather) bits(board uint64) uint64 {
	var moved uint32
	for b := range g.bytes {
		moved |= g.table[b*256+int(board>>uint(8*b)&255)]
	}
	return uint64(moved)
}

// scatter is the inverse of a gather: it moves bit i to cells[i].
func scatter(cells []int, bits uint64) uint64 {
	var board uint64
	for i, c := range cells {
		board |= bits >> uint(i) & 1 << uint(c)
	}
	return board
}

// restrict returns how a group of permutations of the board acts on the chosen cells, by
// their numbers in the list.
func restrict(group []bitboard.Perm, cells []int) []bitboard.Perm {
	number := map[uint8]uint8{}
	for i, c := range cells {
		number[uint8(c)] = uint8(i)
	}
	perms := make([]bitboard.Perm, len(group))
	for g, p := range group {
		perms[g] = make(bitboard.Perm, len(cells))
		for i, c := range cells {
			perms[g][i] = number[p[c]]
		}
	}
	return perms
}
