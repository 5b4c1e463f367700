//go:build !linux

package writer

// directFlag is 0: a table is written through the system's file cache.
const directFlag = 0
