package machine

import (
	"runtime"
	"runtime/debug"
)

// LimitHeap has the Go runtime collect garbage before it takes more than so many
// bytes, unless a lower limit is set already.
func LimitHeap(bytes int64) {
	if bytes < debug.SetMemoryLimit(-1) {
		debug.SetMemoryLimit(bytes)
	}
}

// runtimeMemory is what the Go runtime has obtained from the system: all that
// this process has, but for mapped files.
func runtimeMemory() int64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.Sys)
}
