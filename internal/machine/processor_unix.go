//go:build unix

package machine

import (
	"syscall"
	"time"
)

// ProcessorTime is what this process has used so far, in the program and the system.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
