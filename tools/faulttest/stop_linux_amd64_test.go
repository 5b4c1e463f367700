package faulttest

import (
	"bytes"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// syscallStop is the system's struct ptrace_syscall_info.
type syscallStop struct {
	op      uint8
	_       [3]uint8
	arch    uint32
	program uint64
	stack   uint64
	number  uint64 // at the begin which call, at the end what it returned
	args    [6]uint64
}

// What a syscallStop is.
const (
	stopEntry = 1
	stopExit  = 2
)

// stopAt says at which system call a thread has stopped.
func stopAt(tid int) (s syscallStop, err error) {
	_, _, errno := unix.RawSyscall6(unix.SYS_PTRACE, unix.PTRACE_GET_SYSCALL_INFO,
		uintptr(tid), unsafe.Sizeof(s), uintptr(unsafe.Pointer(&s)), 0, 0)
	if errno != 0 {
		return s, errno
	}
	return s, nil
}

// memory is the memory of a stopped thread.
type memory int

// bytes reads length bytes.
func (m memory) bytes(at uint64, length int) ([]byte, error) {
	b := make([]byte, length)
	if length == 0 {
		return b, nil
	}
	local := []unix.Iovec{{Base: &b[0], Len: uint64(length)}}
	n, err := unix.ProcessVMReadv(int(m), local, []unix.RemoteIovec{{Base: uintptr(at), Len: length}}, 0)
	return b[:max(0, n)], err
}

// text reads a string that a zero byte ends, page by page, as the next one may
// not be there.
func (m memory) text(at uint64) (string, error) {
	var all []byte
	page := uint64(os.Getpagesize())
	for {
		b, err := m.bytes(at, int(page-at%page))
		if err != nil {
			return "", err
		}
		if end := bytes.IndexByte(b, 0); end >= 0 {
			return string(append(all, b[:end]...)), nil
		}
		all = append(all, b...)
		at += uint64(len(b))
	}
}
