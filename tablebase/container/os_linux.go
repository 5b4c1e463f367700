package container

import (
	"os"

	"golang.org/x/sys/unix"

	"backsolve/tablebase/format"
)

// adviseSoon advises the system that a run of a file will be read soon. Errors change nothing.
func adviseSoon(file *os.File, w format.Extent) {
	raw, err := file.SyscallConn()
	if err != nil {
		return
	}
	raw.Control(func(fd uintptr) { unix.Fadvise(int(fd), w.Offset, w.Length, unix.FADV_WILLNEED) })
}
