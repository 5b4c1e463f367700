//go:build unix

package reader

import (
	"os"

	"golang.org/x/sys/unix"
)

// openFlags open a file for reading. Without waiting, for a pipe without a writer
// would block; a regular file is read all the same.
const openFlags = os.O_RDONLY | unix.O_NONBLOCK

// adviseRandom tells the system that lookups touch a page here and a page
// there, so that it reads no others ahead. It is only advice: an error changes
// nothing.
func adviseRandom(mapped []byte) { unix.Madvise(mapped, unix.MADV_RANDOM) }
