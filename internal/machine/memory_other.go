//go:build !linux && !darwin

package machine

func availableMemory() int64 { return Unknown }

func peakMemory() int64 { return runtimeMemory() }
