package machine

import (
	"runtime"
	"runtime/debug"
)

// LimitHeap makes the Go runtime collect garbage before it exceeds a number of bytes. A
// lower limit that is set already stays.
func LimitHeap(bytes int64) {
	if bytes < debug.SetMemoryLimit(-1) {
		debug.SetMemoryLimit(bytes)
	}
}

// runtimeMemory is the memory that the Go runtime has obtained from the system: all of this
// process but mapped files.
func runtimeMemory() int64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.Sys)
}
