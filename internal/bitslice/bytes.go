package bitslice

import "unsafe"

// Bytes returns the memory of words as bytes, in the order of this machine: for
// files that are read where they were written, as those of work in progress.
func Bytes(words []uint64) []byte {
	if len(words) == 0 {
		return nil
	}
	// A uint64 has no pointers and no padding, and any address is fit for bytes.
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words))
}
