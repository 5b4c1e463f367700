//go:build !unix

package registry

// pageFaults returns ok false: the system does not count them.
func pageFaults() (minor, major int64, ok bool) { return 0, 0, false }
