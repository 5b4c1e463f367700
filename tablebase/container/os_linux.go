package container

import (
	"os"

	"golang.org/x/sys/unix"

	"backsolve/tablebase/format"
)

func init() {
	// The system starts to read. Errors change nothing.
	adviseSoon = func(file *os.File, run format.Extent) {
		if raw, err := file.SyscallConn(); err == nil {
			raw.Control(func(fd uintptr) { unix.Fadvise(int(fd), run.Offset, run.Length, unix.FADV_WILLNEED) })
		}
	}
}
