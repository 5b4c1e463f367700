package machine

import "runtime"

// runtimeMemory is what the Go runtime has obtained from the system: all that
// this process has, but for mapped files.
func runtimeMemory() int64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.Sys)
}
