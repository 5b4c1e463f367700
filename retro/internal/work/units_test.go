package work

import (
	"testing"

	"backsolve/partition"
)

// Long slices are cut until there is a unit for each task or parts are short. Short slices and
// classes of many blocks are not.
func TestUnitsForAllTasks(t *testing.T) {
	for _, c := range []struct{ indexBits, blocks, partBits, wanted, words, units int }{
		{25, 1, 13, 20, 1 << 13, 64}, // class 25 of Quixo 5×5, two threads
		{25, 1, 16, 20, 1 << 14, 32},
		{25, 1, 16, 640, 1 << 10, 512}, // 64 threads
		{24, 6, 16, 640, 1 << 11, 768},
		{23, 49, 16, 640, 1 << 13, 784},
		{21, 1666, 16, 640, 1 << 15, 1666},
		{25, 1, 6, 640, 1 << 6, 1 << 13}, // parts of tests stay
		{16, 1, 16, 640, 1 << 10, 1},
		{3, 7, 16, 640, 1, 7},
	} {
		class := &partition.Class{IndexBits: c.indexBits, Masks: make([]uint64, c.blocks)}
		if u := UnitsOf(class, c.partBits, c.wanted); u.Words != c.words || u.N != c.units || u.N*u.Words != class.Words()*c.blocks {
			t.Errorf("%+v: %d units of %d words", c, u.N, u.Words)
		}
	}
}
