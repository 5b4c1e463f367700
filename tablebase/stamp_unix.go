//go:build unix

package tablebase

import (
	"os"

	"golang.org/x/sys/unix"
)

// watched is a file whose stamp is asked for: its descriptor, since os.File gives that
// safely to none who asks while it is closed, or not without allocating. When it is closed
// another file may have it, whose stamp is another one.
type watched int

func watch(file *os.File) watched { return watched(file.Fd()) }

// stamp returns the stamp of the file, the zero one where the system does not tell. It does
// not allocate.
func (w watched) stamp() stamp {
	var s unix.Stat_t
	for {
		switch err := unix.Fstat(int(w), &s); err {
		case nil:
			seconds, nanos := s.Mtim.Unix()
			return stamp{s.Size, seconds, nanos}
		case unix.EINTR:
		default:
			return stamp{}
		}
	}
}
