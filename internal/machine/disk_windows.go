package machine

import (
	"math"

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
