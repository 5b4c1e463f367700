//go:build unix

package container

import (
	"os"

	"golang.org/x/sys/unix"
)

// openFlags open a file for reading. O_NONBLOCK, as a pipe without a writer would block; it
// does not affect regular files.
const openFlags = os.O_RDONLY | unix.O_NONBLOCK

// adviseRandom advises the system that lookups touch single pages, so that it reads no others
// ahead. Errors change nothing.
func adviseRandom(mapped []byte) { unix.Madvise(mapped, unix.MADV_RANDOM) }
