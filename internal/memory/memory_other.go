//go:build !linux

package memory

// NewArray returns a zeroed array, which FreeArray gives back.
func NewArray[T any](n int) ([]T, error) {
	return make([]T, n), nil
}

// FreeArray gives back what NewArray returned; the array must not be used again.
func FreeArray[T any](array []T) {}

// ReleaseTail returns how many elements still take memory: here, all.
func ReleaseTail[T any](array []T, keep int) int { return len(array) }

// Releases says whether Release gives memory back.
const Releases = false

// Release does nothing here: the elements of the array keep their memory.
func Release[T any](array []T, from, to int) {}

// Clear sets the elements [from, to) of an array to zero.
func Clear[T any](array []T, from, to int) { clear(array[from:to]) }
