//go:build !linux

package machine

// addressSpace is Unknown: other systems rarely limit it.
func addressSpace() (limit, taken int64) { return Unknown, 0 }
