package bitslice

import "unsafe"

// Bytes returns the memory of numbers as bytes, in the order of this machine: for
// files that are read where they were written, as those of work in progress.
func Bytes[T ~uint16 | ~uint32 | ~uint64](words []T) []byte {
	// Numbers have no pointers and no padding, and any address is fit for bytes.
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*int(unsafe.Sizeof(T(0))))
}
