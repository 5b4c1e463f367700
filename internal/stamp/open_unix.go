//go:build unix

package stamp

import (
	"os"

	"golang.org/x/sys/unix"
)

// Open is an open file whose stamp can be read. It holds the descriptor: os.File neither gives
// that safely while another goroutine closes the file, nor describes the file without
// allocating. Once the file is closed, another file may have the descriptor; its stamp differs.
type Open int

// Watch returns the file, which must be open.
func Watch(file *os.File) Open { return Open(file.Fd()) }

// Stamp returns the stamp of the file, or the zero one on failure. It does not allocate.
func (f Open) Stamp() Stamp {
	var s unix.Stat_t
	for {
		switch err := unix.Fstat(int(f), &s); err {
		case nil:
			return Stamp{s.Size, s.Mtim.Nano(), s.Ctim.Nano()}
		case unix.EINTR:
		default:
			return Stamp{}
		}
	}
}
