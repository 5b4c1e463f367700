// Package memory is arrays on large pages, outside the reach of the garbage
// collector.
package memory

import "fmt"

func memoryError(size int, cause error) error {
	return fmt.Errorf("cannot reserve %d MiB of memory: %w; lower --memory or close other programs", size>>20, cause)
}
