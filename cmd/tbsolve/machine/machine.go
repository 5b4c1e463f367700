// Package machine says what the computer has to give: memory, disk space, and
// how much memory this process has taken.
package machine

// Unknown is returned where the system does not tell.
const Unknown int64 = -1

// AvailableMemory returns the bytes of memory that can be taken without
// swapping, or Unknown.
func AvailableMemory() int64 { return availableMemory() }

// FreeDisk returns the bytes that can be written to the file system of a
// directory, or Unknown.
func FreeDisk(dir string) int64 { return freeDisk(dir) }

// PeakMemory returns the most bytes of memory that this process has had at any
// time; where the system does not tell, what the Go runtime has obtained.
func PeakMemory() int64 { return peakMemory() }
