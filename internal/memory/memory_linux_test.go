//go:build !386 && !arm && !mips && !mipsle

package memory

import "testing"

// An array may be longer than the memory of any machine. What is not touched takes none, and what is
// given back reads as zero.
func TestLongArrays(t *testing.T) {
	const words = 1 << 41 // 16 TiB
	array, err := NewArray[uint64](words)
	if err != nil {
		t.Fatal(err)
	}
	defer FreeArray(array)
	for _, at := range []int{0, 1<<29 - 1, 1 << 32, 1<<37 + 1, words - 1} {
		array[at] = ^uint64(at)
	}
	for _, at := range []int{0, 1<<29 - 1, 1 << 32, 1<<37 + 1, words - 1} {
		if array[at] != ^uint64(at) {
			t.Errorf("word %d is %#x", at, array[at])
		}
	}
	Clear(array, 1, 1<<37+1)
	Release(array, 1<<38, words)
	if array[0] != ^uint64(0) || array[1<<29-1] != 0 || array[1<<32] != 0 || array[1<<37+1] == 0 || array[words-1] != 0 {
		t.Error("other words were cleared")
	}
}
