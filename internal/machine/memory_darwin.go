package machine

import "golang.org/x/sys/unix"

func availableMemory(string) int64       { return Unknown }
func totalMemory() int64                 { return Unknown }
func largePagesOff(string) bool          { return false }
func addressSpace() (limit, taken int64) { return Unknown, 0 }

func peakMemory() int64 {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return Unknown
	}
	return usage.Maxrss // bytes here, kilobytes on other systems
}
