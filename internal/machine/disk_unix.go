//go:build linux || darwin

package machine

import (
	"math"

	"golang.org/x/sys/unix"
)

func freeDisk(dir string) int64 {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return Unknown
	}
	size := uint64(stat.Bsize)
	if size == 0 || stat.Bavail > math.MaxInt64/size {
		return Unknown
	}
	return int64(stat.Bavail * size)
}
