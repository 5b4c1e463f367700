//go:build !unix

package abuse

// fileLimit says how many files a process may have open.
func fileLimit() string { return "no limit of open files is known" }
