//go:build !unix

package server

// maxFiles returns ok false: the system has no such limit.
func maxFiles() (n uint64, ok bool) { return 0, false }
