// Package memory is arrays on large pages, outside the reach of the garbage collector.
package memory

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugeBytes is the size of a large page; smaller arrays gain nothing from it.
const hugeBytes = 2 << 20

// NewArray returns a zeroed array, on large pages where the system has them:
// random access to gigabytes is bound by address translation otherwise. The array may be
// longer than the memory of the machine, as only touched pages take any. It lives until
// FreeArray; the garbage collector does not see it, so T must hold no pointers.
func NewArray[T any](n int) ([]T, error) {
	size := n * int(unsafe.Sizeof(*new(T)))
	if size < hugeBytes {
		return make([]T, n), nil
	}
	mem, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("cannot reserve %d MiB of memory: %w; end other programs, or allow less memory", size>>20, err)
	}
	// Only advice: without large pages it is slower, not wrong.
	_ = unix.Madvise(mem, unix.MADV_HUGEPAGE)
	// Mapped memory is page-aligned.
	return unsafe.Slice((*T)(unsafe.Pointer(&mem[0])), n), nil
}

// FreeArray gives back what NewArray returned; the array must not be used again.
func FreeArray[T any](array []T) {
	size := len(array) * int(unsafe.Sizeof(*new(T)))
	if size < hugeBytes {
		return
	}
	// unix.Munmap takes only whole slices of unix.Mmap: this is one by its first and last byte.
	_ = unix.Munmap(unsafe.Slice((*byte)(unsafe.Pointer(&array[0])), size))
}

// Releases says whether Release gives memory back.
const Releases = true

// Release gives the whole pages of the elements [from, to) of an array back: they read as zero.
func Release[T any](array []T, from, to int) { release(array, from, to) }

// Clear sets the elements [from, to) of an array to zero, by giving whole pages back.
func Clear[T any](array []T, from, to int) {
	first, end := release(array, from, to)
	clear(array[from:first])
	clear(array[end:to])
}

// release is Release, and returns which elements it has given back.
func release[T any](array []T, from, to int) (first, end int) {
	size := int(unsafe.Sizeof(*new(T)))
	page := os.Getpagesize() / size
	first, end = (from+page-1)/page*page, to/page*page
	if len(array)*size < hugeBytes || first >= end ||
		unix.Madvise(unsafe.Slice((*byte)(unsafe.Pointer(&array[first])), (end-first)*size), unix.MADV_DONTNEED) != nil {
		return from, from // the pages stay
	}
	return first, end
}

// ReleaseTail gives the memory of an array beyond its first keep elements back, and returns
// how many still take memory. The others read as zero, and take memory once they are written.
func ReleaseTail[T any](array []T, keep int) int {
	perPage := hugeBytes / int(unsafe.Sizeof(*new(T)))
	keep = (keep + perPage - 1) / perPage * perPage
	first, end := release(array, keep, len(array))
	if first == end {
		return len(array)
	}
	clear(array[end:]) // on a page that is not full
	return keep
}
