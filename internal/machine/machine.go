// Package machine describes this computer and what it can give: memory, disk space, and
// how much memory this process has taken.
package machine

import (
	"io/fs"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// Unknown means that the system does not report the value.
const Unknown int64 = -1

// AvailableMemory returns the bytes of memory that this process can take without swapping,
// within its control groups and its limit of address space, or Unknown. It is never 0, which
// callers take for no limit.
func AvailableMemory() int64 {
	available := availableMemory("/")
	if limit, taken := AddressSpace(); limit != Unknown {
		available = lesser(available, max(0, limit-taken-runtimeSpace))
	}
	if bits.UintSize == 32 {
		available = min(available, math.MaxInt32) // no more can be addressed, whatever there is
	}
	if available != Unknown {
		available = max(available, 4)
	}
	return available
}

// lesser returns the lesser of two sizes. Unknown is the greatest uint64.
func lesser(a, b int64) int64 { return int64(min(uint64(a), uint64(b))) }

// TotalMemory returns the bytes of memory of this machine, free or not, or Unknown.
func TotalMemory() int64 { return totalMemory() }

// LargePagesOff reports whether the system refuses large pages of memory to programs.
func LargePagesOff() bool { return largePagesOff("/") }

// runtimeSpace is the address space in bytes that the Go runtime takes besides what a plan
// counts: its heap grows by 64 MiB at a time, and threads have stacks.
const runtimeSpace = 128 << 20

// AddressSpace returns the limit of the address space of this process in bytes (ulimit -v),
// Unknown where there is none, and how much of it is taken.
func AddressSpace() (limit, taken int64) { return addressSpace() }

// StandardMemory returns the standard limit of a solve: three quarters of the available
// memory, or 0 for no limit where that is Unknown.
func StandardMemory(available int64) int64 {
	if available == Unknown {
		return 0
	}
	return available / 4 * 3
}

// FreeDisk returns the bytes free for a directory, or the nearest one above that exists, or Unknown.
func FreeDisk(dir string) int64 {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Unknown
	}
	for {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			return freeDisk(dir)
		}
		dir = filepath.Dir(dir)
	}
}

// FileSize returns the length of a file in bytes, 0 where there is none.
func FileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// BytesBelow returns the bytes of the files in a directory and below it.
func BytesBelow(dir string) (bytes int64) {
	filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil // a file that cannot be seen does not count
		}
		if info, err := entry.Info(); err == nil && entry.Type().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}

// PeakMemory returns the most bytes that this process has had, or those of the Go runtime.
func PeakMemory() int64 {
	if peak := peakMemory(); peak != Unknown {
		return peak
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.Sys)
}

// LimitHeap bounds the memory of the Go runtime in bytes. A lower limit that is set already stays.
func LimitHeap(bytes int64) {
	if bytes < debug.SetMemoryLimit(-1) {
		debug.SetMemoryLimit(bytes)
	}
}

// Machine describes a machine by what measurements depend on.
type Machine struct {
	// Processor is its name, "" where the system does not tell.
	Processor string `json:"processor"`
	Cores     int    `json:"cores"`
	Platform  string `json:"platform"`
	Go        string `json:"go"`
}

// This returns the machine of the process.
func This() Machine {
	m := Machine{Cores: runtime.NumCPU(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version()}
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			m.Processor = strings.TrimSpace(value)
			break
		}
	}
	return m
}
