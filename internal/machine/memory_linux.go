package machine

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// availableMemory returns the least of what is free and what the control groups leave. root is
// the root of the file system.
func availableMemory(root string) int64 {
	return lesser(procField(filepath.Join(root, "proc/meminfo"), "MemAvailable:"), groupMemory(root))
}

func totalMemory() int64 { return procField("/proc/meminfo", "MemTotal:") }

// largePagesOff reads what the system has chosen, in brackets. root is the root of the file system.
func largePagesOff(root string) bool {
	text, err := os.ReadFile(filepath.Join(root, "sys/kernel/mm/transparent_hugepage/enabled"))
	return err == nil && bytes.Contains(text, []byte("[never]"))
}

func addressSpace() (limit, taken int64) {
	var l unix.Rlimit
	taken = procField("/proc/self/status", "VmSize:")
	if err := unix.Getrlimit(unix.RLIMIT_AS, &l); err != nil || l.Cur > math.MaxInt64 || taken == Unknown {
		return Unknown, 0
	}
	return int64(l.Cur), taken
}

func peakMemory() int64 { return procField("/proc/self/status", "VmHWM:") }

// procField reads a line like "VmHWM:   1234 kB" and returns the bytes.
func procField(file, name string) int64 {
	if kilobytes := field(file, name); kilobytes != Unknown {
		return kilobytes << 10
	}
	return Unknown
}

// field returns the number that follows a name in a line of a file, or Unknown.
func field(file, name string) int64 {
	text, _ := os.ReadFile(file)
	for line := range bytes.Lines(text) {
		words := bytes.Fields(line)
		if len(words) < 2 || string(words[0]) != name {
			continue
		}
		if n, err := strconv.ParseInt(string(words[1]), 10, 64); err == nil && n >= 0 {
			return n
		}
	}
	return Unknown
}
