//go:build unix || windows

package container

import (
	"os"

	"github.com/edsrzf/mmap-go"
)

// MapFile maps the first bytes of a file for reading; tests replace it.
var MapFile = func(file *os.File, length int64) ([]byte, error) {
	return mmap.MapRegion(file, int(length), mmap.RDONLY, 0, 0)
}

func unmapFile(mapped []byte) error { return (*mmap.MMap)(&mapped).Unmap() }
