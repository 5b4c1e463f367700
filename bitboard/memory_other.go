//go:build !linux

package bitboard

// NewArray returns a zeroed array, which FreeArray gives back.
func NewArray[T Word](n int) ([]T, error) {
	return make([]T, n), nil
}

// FreeArray gives back what NewArray returned; the array must not be used again.
func FreeArray[T Word](array []T) {}
