package faulttest

// A program runs under ptrace; what it does to the files of a directory is written down in
// order, and it fails or dies at a chosen one of these system calls. Calls are counted over
// all threads. strace counts for each thread apart, so that the K-th write of a Go program
// is not the same one twice.

import (
	"errors"
	"syscall"
	"time"
)

// ErrUnavailable says that programs cannot be traced here.
var ErrUnavailable = errors.New("programs cannot be traced here")

// Op is what a system call does.
type Op string

// The system calls that change files, and close, which may report that an earlier
// change failed.
const (
	Open     Op = "open" // to be written, or made if it is not there
	Write    Op = "write"
	Truncate Op = "truncate"
	Sync     Op = "sync"
	Close    Op = "close" // of what was opened for writing
	Rename   Op = "rename"
	Remove   Op = "remove"
	MakeDir  Op = "mkdir"
	Chmod    Op = "chmod"
)

// The system calls that only read. They are written down where Fault.Reads asks for them.
const (
	LookAt Op = "open to read"
	Read   Op = "read"
	Map    Op = "map"
	List   Op = "list"
)

// Call is one system call on a file of the traced directory.
type Call struct {
	Op Op
	// Path is the file or directory, relative to the traced one; that of a
	// descriptor is the one it was opened by.
	Path string
	// To is the new name, of Rename alone.
	To string
	// File identifies an open file by the number of the call that opened it.
	File int
	// Truncates says of Open that it empties a file that is there.
	Truncates bool
	// Offset is where Write writes, Size how long Truncate leaves the file.
	Offset, Size int64
	// Data is what Write was to write; after it returned, what it wrote.
	Data []byte
	// Short says of Write that it wrote less than it was to.
	Short bool
	// Begin and End are the places of the call's begin and end among those of all
	// calls; End is 0 for one that has not returned.
	Begin, End int
	// Err is what the call returned, 0 for success.
	Err syscall.Errno
}

// Action is what happens at the chosen call.
type Action string

const (
	NoFault Action = ""
	// KillBefore kills the program in place of the call, KillAfter once it returns.
	KillBefore Action = "kill before"
	KillAfter  Action = "kill after"
	// KillWithin kills the program when half of a write is done.
	KillWithin Action = "kill within"
	// Fail makes the call fail, FailOnward also all later calls of its kind.
	Fail       Action = "fail"
	FailOnward Action = "fail onward"
	// Fill lets half of a write succeed. From then on every call that needs disk space
	// fails, as on a disk that fills up.
	Fill Action = "fill"
	// Hold delays the call.
	Hold Action = "hold"
)

// Fault says what happens at which call, counted from 1; 0 for none.
type Fault struct {
	At     int
	Action Action
	Errno  syscall.Errno // of the failing calls
	Hold   time.Duration
	// Reads has calls that only read written down and counted, too.
	Reads bool
}

// Command is a program to be traced.
type Command struct {
	// Dir is the directory whose files are watched, as an absolute path without
	// symbolic links; the program runs in it.
	Dir  string
	Args []string // the first is the program's path
	Env  []string
}

// Result is what a traced program did.
type Result struct {
	Calls []Call
	// Fired says that the fault happened.
	Fired bool
	// Status is the exit status, -1 where the program was killed.
	Status         int
	Stdout, Stderr string
}
