package machine

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

func availableMemory() int64 { return availableUnder("/") }

// availableUnder returns the least of what is free and what the control groups
// leave. root is where the file system begins.
func availableUnder(root string) int64 {
	free, group := procField(filepath.Join(root, "proc/meminfo"), "MemAvailable:"), groupMemory(root)
	if free == Unknown || group != Unknown && group < free {
		return group
	}
	return free
}

func peakMemory() int64 {
	if peak := procField("/proc/self/status", "VmHWM:"); peak != Unknown {
		return peak
	}
	return runtimeMemory()
}

// procField reads a line like "VmHWM:   1234 kB" and returns the bytes.
func procField(file, field string) int64 {
	text, err := os.ReadFile(file)
	if err != nil {
		return Unknown
	}
	for line := range bytes.Lines(text) {
		words := bytes.Fields(line)
		if len(words) < 2 || string(words[0]) != field {
			continue
		}
		if kilobytes, err := strconv.ParseInt(string(words[1]), 10, 64); err == nil {
			return kilobytes << 10
		}
	}
	return Unknown
}
