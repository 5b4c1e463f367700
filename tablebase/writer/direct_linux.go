package writer

import "golang.org/x/sys/unix"

func init() { directFlag = unix.O_DIRECT }
