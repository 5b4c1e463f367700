//go:build !unix

package server

// pageFaults returns ok false: the system does not count them.
func pageFaults() (minor, major int64, ok bool) { return 0, 0, false }

// maxFiles returns ok false: the system has no such limit.
func maxFiles() (n uint64, ok bool) { return 0, false }
