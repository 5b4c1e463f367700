package writer

import "golang.org/x/sys/unix"

// directFlag opens a file around the system's file cache.
const directFlag = unix.O_DIRECT
