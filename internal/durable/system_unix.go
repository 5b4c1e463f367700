//go:build unix

package durable

import (
	"errors"
	"io/fs"
	"os"
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

func otherNames(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && s.Nlink > 1
}

// syncDir waits until the names in a directory are on the disk. There are
// filesystems over a network that flush no directories, and say so.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOTSUP) {
		return err
	}
	return nil
}
