package faulttest

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// recorder writes down the calls on files of a directory.
type recorder struct {
	dir    string
	fault  Fault
	result *Result
	files  map[int]*openFile // by descriptor
	places int               // begins and ends of calls so far
}

// openFile is a file of the directory that the program has open.
type openFile struct {
	path     string
	number   int // of the call that opened it, -1 where it was opened to be read
	writable bool
	at       int64 // where the next write goes
}

// pending is a call that has begun.
type pending struct {
	Call
	number   int       // in the list of calls, -1 for one that is only followed
	opens    *openFile // of Open
	moves    *openFile // of a write or read that goes where the last one ended
	seeks    *openFile // of a seek
	override syscall.Errno
	kill     bool // when it returns
}

// watch returns the call that begins, or nil where it does not concern the
// directory. It refuses calls that it does not know.
func (r *recorder) watch(m memory, number uint64, args [6]uint64) (*pending, error) {
	p := &pending{number: -1}
	var err error
	switch number {
	case unix.SYS_OPENAT, unix.SYS_UNLINKAT, unix.SYS_MKDIRAT, unix.SYS_FCHMODAT, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2:
		p, err = r.named(m, p, number, args)
	case unix.SYS_MMAP:
		f := r.files[int(int32(args[4]))]
		if f == nil {
			return nil, nil
		}
		if args[2]&unix.PROT_WRITE != 0 && args[3]&unix.MAP_SHARED != 0 {
			return nil, fmt.Errorf("%s is mapped to be written: what is written so is not seen", f.path)
		}
		r.reads(p, Map, f)
	default:
		f := r.files[int(int32(args[0]))]
		if f == nil {
			return nil, nil
		}
		p, err = r.described(m, p, f, number, args)
	}
	if err != nil || p == nil || p.Op == "" {
		return p, err
	}
	r.places++
	p.Begin, p.number = r.places, len(r.result.Calls)
	if p.opens != nil {
		p.opens.number, p.File = p.number, p.number
	}
	r.result.Calls = append(r.result.Calls, p.Call)
	return p, nil
}

// named is a call that names a file.
func (r *recorder) named(m memory, p *pending, number uint64, args [6]uint64) (*pending, error) {
	text, err := m.text(args[1])
	if err != nil {
		return nil, err
	}
	var inside bool
	if p.Path, inside = r.inside(text); !inside {
		return nil, nil
	}
	switch number {
	case unix.SYS_OPENAT:
		flags := args[2]
		p.opens = &openFile{path: p.Path, number: -1, writable: flags&unix.O_ACCMODE != unix.O_RDONLY}
		if flags&unix.O_APPEND != 0 {
			return nil, fmt.Errorf("%s is opened to be appended to: where writes go is not known", p.Path)
		}
		if p.opens.writable || flags&unix.O_CREAT != 0 {
			p.Op, p.Truncates = Open, flags&unix.O_TRUNC != 0
		} else {
			r.reads(p, LookAt, p.opens)
		}
	case unix.SYS_UNLINKAT:
		p.Op = Remove
	case unix.SYS_MKDIRAT:
		p.Op = MakeDir
	case unix.SYS_FCHMODAT:
		p.Op = Chmod
	default:
		p.Op = Rename
		if text, err = m.text(args[3]); err != nil {
			return nil, err
		}
		if p.To, inside = r.inside(text); !inside {
			return nil, fmt.Errorf("%s is renamed to %s, out of the directory", p.Path, text)
		}
	}
	return p, nil
}

// inside returns a path relative to the directory, and whether it is in it.
func (r *recorder) inside(path string) (string, bool) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.dir, path)
	}
	rel, err := filepath.Rel(r.dir, path)
	return rel, err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}

// described is a call on an open file.
func (r *recorder) described(m memory, p *pending, f *openFile, number uint64, args [6]uint64) (*pending, error) {
	p.Path, p.File = f.path, f.number
	switch number {
	case unix.SYS_WRITE, unix.SYS_PWRITE64:
		p.Op, p.Offset = Write, int64(args[3])
		if number == unix.SYS_WRITE {
			p.Offset, p.moves = f.at, f
		}
		var err error
		p.Data, err = m.bytes(args[1], int(args[2]))
		return p, err
	case unix.SYS_FTRUNCATE:
		p.Op, p.Size = Truncate, int64(args[1])
	case unix.SYS_FSYNC, unix.SYS_FDATASYNC:
		p.Op = Sync
	case unix.SYS_FCHMOD:
		p.Op = Chmod
	case unix.SYS_CLOSE:
		delete(r.files, int(int32(args[0])))
		if !f.writable {
			return nil, nil
		}
		p.Op = Close
	case unix.SYS_WRITEV, unix.SYS_PWRITEV, unix.SYS_PWRITEV2, unix.SYS_FALLOCATE,
		unix.SYS_SYNC_FILE_RANGE, unix.SYS_COPY_FILE_RANGE, unix.SYS_SENDFILE, unix.SYS_SPLICE, unix.SYS_DUP, unix.SYS_DUP3:
		return nil, fmt.Errorf("what system call %d does to %s is not known", number, f.path)
	case unix.SYS_READ, unix.SYS_PREAD64:
		if number == unix.SYS_READ {
			p.moves = f
		}
		r.reads(p, Read, f)
	case unix.SYS_LSEEK:
		p.seeks = f
	case unix.SYS_GETDENTS64:
		r.reads(p, List, f)
	default:
		return nil, nil
	}
	return p, nil
}

// reads marks a call as one that only reads a file, if such calls are recorded.
func (r *recorder) reads(p *pending, op Op, f *openFile) {
	if r.fault.Reads {
		p.Op, p.Path, p.File = op, f.path, f.number
	}
}

// returned writes down how a call went; a result below 0 is an error.
func (r *recorder) returned(p *pending, result int64) {
	if p.opens != nil && result >= 0 {
		r.files[int(result)] = p.opens
	}
	if p.moves != nil && result > 0 {
		p.moves.at += result
	}
	if p.seeks != nil && result >= 0 {
		p.seeks.at = result
	}
	if p.number < 0 {
		return
	}
	c := &r.result.Calls[p.number]
	r.places++
	c.End = r.places
	if result < 0 {
		c.Err = syscall.Errno(-result)
	} else if c.Op == Write {
		c.Short = int(result) < len(c.Data)
		c.Data = c.Data[:result]
	}
}

// What is done to a call that begins.
type strike string

const (
	pass  strike = ""
	skip  strike = "skip"
	halve strike = "halve"
	die   strike = "die"
)

// strike says what the fault does to the call that begins.
func (r *recorder) strike(p *pending) strike {
	at, half := r.fault.At-1, p.Op == Write && len(p.Data) > 1
	if p.number < max(at, 0) || r.fault.Action == NoFault {
		return pass
	}
	if p.number == at {
		r.result.Fired = true
		switch {
		case r.fault.Action == KillAfter:
			p.kill = true
			return pass
		case r.fault.Action == KillWithin && half:
			p.kill = true
			return halve
		case r.fault.Action == KillBefore, r.fault.Action == KillWithin:
			return die
		case r.fault.Action == Fill && half:
			return halve
		case r.fault.Action == Hold:
			time.Sleep(r.fault.Hold)
		}
	}
	switch r.fault.Action {
	case Fail:
		if p.number > at {
			return pass
		}
	case FailOnward:
		if p.Op != r.result.Calls[at].Op {
			return pass
		}
	case Fill:
		if !takesRoom(p.Op) {
			return pass
		}
	default:
		return pass
	}
	p.override = r.fault.Errno
	if p.Op == Close {
		return pass // it is closed all the same
	}
	return skip
}

// takesRoom reports whether an operation can fail on a full disk.
func takesRoom(op Op) bool {
	switch op {
	case Open, Write, Truncate, Sync, Rename, MakeDir:
		return true
	}
	return false
}
