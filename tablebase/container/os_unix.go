//go:build unix

package container

import "golang.org/x/sys/unix"

func init() {
	openFlags |= unix.O_NONBLOCK // a pipe without a writer would block; regular files ignore it
	// Lookups touch single pages, so the system need not read ahead.
	adviseRandom = func(mapped []byte) { unix.Madvise(mapped, unix.MADV_RANDOM) }
}
