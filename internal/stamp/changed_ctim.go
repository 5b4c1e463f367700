//go:build linux || openbsd || dragonfly || solaris

package stamp

import (
	"io/fs"
	"syscall"
)

// changed returns when a file was last changed, in nanoseconds since 1970, 0 for unknown.
func changed(file fs.FileInfo) int64 {
	if s, ok := file.Sys().(*syscall.Stat_t); ok {
		return s.Ctim.Nano()
	}
	return 0
}
