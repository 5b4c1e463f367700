package machine

import (
	"bytes"
	"os"
	"strconv"
)

func availableMemory() int64 { return procField("/proc/meminfo", "MemAvailable:") }

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
