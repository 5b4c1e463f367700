package machine

import "golang.org/x/sys/unix"

func availableMemory() int64    { return Unknown }
func totalMemory() int64        { return Unknown }
func largePagesOff(string) bool { return false }

func peakMemory() int64 {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return runtimeMemory()
	}
	return usage.Maxrss // bytes here, kilobytes on other systems
}
