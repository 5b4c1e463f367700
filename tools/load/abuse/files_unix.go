//go:build unix

package abuse

import (
	"fmt"
	"syscall"
)

// fileLimit says how many files a process may have open.
func fileLimit() string {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return "the limit of open files is not known"
	}
	return fmt.Sprintf("a process may have %d files open", l.Cur)
}
