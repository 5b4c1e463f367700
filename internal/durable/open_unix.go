//go:build unix

package durable

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// Flags of opening: asRead does not wait for a pipe, and asFile does not follow a link
// either. Neither changes how a regular file is read or written.
const (
	asRead = unix.O_NONBLOCK
	asFile = unix.O_NONBLOCK | unix.O_NOFOLLOW
)

// checkBefore finds nothing that asFile would not.
func checkBefore(string) error { return nil }

// otherNames reports whether a file has more than one name.
func otherNames(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && s.Nlink > 1
}
