package machine

import (
	"math"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

func freeDisk(dir string) int64 {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return Unknown
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(path, &free, nil, nil); err != nil || free > math.MaxInt64 {
		return Unknown
	}
	return int64(free)
}

// ProcessorTime is what this process has used so far, in the program and the system.
func ProcessorTime() time.Duration {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0
	}
	var created, ended, system, user syscall.Filetime
	if syscall.GetProcessTimes(self, &created, &ended, &system, &user) != nil {
		return 0
	}
	var sum time.Duration
	for _, t := range []syscall.Filetime{system, user} { // in units of 100 nanoseconds
		sum += time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
	}
	return sum
}
