//go:build unix

package container

import (
	"os"

	"golang.org/x/sys/unix"
)

// openFlags have O_NONBLOCK, as a pipe without a writer would block; regular files ignore it.
const openFlags = os.O_RDONLY | unix.O_NONBLOCK

// adviseRandom keeps the system from reading ahead, as lookups touch single pages.
func adviseRandom(mapped []byte) { unix.Madvise(mapped, unix.MADV_RANDOM) }
