//go:build unix || windows

package container

import (
	"os"

	"github.com/edsrzf/mmap-go"
)

// mapFile maps the first bytes of a file for reading.
func mapFile(file *os.File, length int64) ([]byte, error) {
	return mmap.MapRegion(file, int(length), mmap.RDONLY, 0, 0)
}

// unmapFile unmaps what mapFile returned.
func unmapFile(mapped []byte) error {
	m := mmap.MMap(mapped)
	return m.Unmap()
}
