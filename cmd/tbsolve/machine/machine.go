// Package machine says what the computer has to give: memory, disk space, and
// how much memory this process has taken.
package machine

import (
	"math"
	"math/bits"
	"os"
	"path/filepath"
)

// Unknown is returned where the system does not tell.
const Unknown int64 = -1

// AvailableMemory returns the bytes of memory that can be taken without
// swapping, and that the control groups of this process leave it, or Unknown.
func AvailableMemory() int64 {
	available := availableMemory()
	if bits.UintSize == 32 {
		available = min(available, math.MaxInt32) // no more can be addressed, whatever there is
	}
	return available
}

// StandardMemory returns how much a solve may take of the memory that is available, unless
// it is said: three quarters; 0 for no limit where what is available is Unknown.
func StandardMemory(available int64) int64 {
	if available == Unknown {
		return 0
	}
	return available / 4 * 3
}

// FreeDisk returns the bytes that can be written to the file system of a
// directory, or of the nearest one above it that exists, or Unknown.
func FreeDisk(dir string) int64 {
	if dir = nearest(dir); dir == "" {
		return Unknown
	}
	return freeDisk(dir)
}

// nearest returns a directory, or the nearest one above it that exists, "" where that cannot
// be told.
func nearest(dir string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// FileSize returns 0 for a file that is not there.
func FileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// PeakMemory returns the most bytes of memory that this process has had at any
// time; where the system does not tell, what the Go runtime has obtained.
func PeakMemory() int64 { return peakMemory() }
