//go:build !linux && !darwin

package machine

func availableMemory(string) int64       { return Unknown }
func totalMemory() int64                 { return Unknown }
func largePagesOff(string) bool          { return false }
func peakMemory() int64                  { return Unknown }
func addressSpace() (limit, taken int64) { return Unknown, 0 }
