//go:build unix

package registry

import "golang.org/x/sys/unix"

func pageFaults() (minor, major int64, ok bool) {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0, 0, false
	}
	return int64(usage.Minflt), int64(usage.Majflt), true
}
