// Package memory is arrays on large pages, outside the reach of the garbage
// collector.
package memory

import "fmt"

func memoryError(size int, cause error) error {
	return fmt.Errorf("cannot reserve %d MiB of memory: %w; end other programs, or allow less memory", size>>20, cause)
}
