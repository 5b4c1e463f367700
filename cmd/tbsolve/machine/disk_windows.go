package machine

import (
	"math"
	"path/filepath"
	"strings"

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

// sameDisk takes a volume for a disk.
func sameDisk(a, b string) bool {
	return strings.EqualFold(filepath.VolumeName(a), filepath.VolumeName(b))
}
