package retro

import (
	"runtime"

	"backsolve/internal/plan"
	"backsolve/partition"
	"backsolve/retro/internal/work"
	"backsolve/tablebase"
)

// Options control how a table is solved. Of all options, only Steps, Nimbers and DownTo
// decide the bytes of the table.
type Options struct {
	// Steps asks for the plies to the end of every state.
	Steps bool
	// Nimbers asks for the nimber of every state instead: that of the game in which
	// moves that end it are not allowed. The space must have nimbers.
	Nimbers bool
	// Threads is the number of threads, 0 for all cores.
	Threads int
	// TasksPerThread is the number of block tasks a pass is cut into for each
	// thread, 0 for 10, and from 16 threads on for 40.
	TasksPerThread int
	// Memory is a limit in bytes that the solve keeps, 0 for none. Classes that
	// exceed it are solved in shards, if LogPath is set.
	Memory int64
	// Progress, if set, is called with each event, by one goroutine at a time.
	Progress func(tablebase.Event)
	// Scheduler has the classes solved by other processes; nil means the threads of this one.
	Scheduler Scheduler
	// Trace, if set, watches the tasks of every pass over a class.
	Trace Trace
	// DownTo is the last class to solve. Unless it is 0, the table stays unfinished, and
	// another solve resumes below that class.
	DownTo int
	// LogPath is the prefix of the names of work files: the logs of large classes in a solve
	// with steps, and the planes of classes that are solved in shards. "" keeps all in memory.
	LogPath string
}

// Plan returns what a solve of a space with these options takes.
func (o Options) Plan(space *partition.Space) *plan.Plan {
	p := plan.Options{Steps: o.Steps, Nimbers: o.Nimbers, Threads: o.Threads, DownTo: o.DownTo}
	if o.LogPath != "" {
		p.Limit = o.Memory
	}
	return plan.New(space, p)
}

// WithDefaults returns the options with standard values in place of zeros.
func (o Options) WithDefaults() Options {
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.TasksPerThread <= 0 {
		o.TasksPerThread = 10
		if o.Threads >= 16 { // at the end of a pass all wait for the longest task, which costs more than short tasks do
			o.TasksPerThread = 40
		}
	}
	return o
}

func (o *Options) numbered() bool { return o.Steps || o.Nimbers }

// tuning decides which way the engine takes to the same bytes. Tests use other values to
// take every way on small boards.
type tuning struct {
	// partBits is the binary logarithm of the most words of a slice that are worked on at
	// once. A part is at least a group.
	partBits int
	// sectionBits is the binary logarithm of the words of a section of a log, and the most of a
	// section of a work file of shards.
	sectionBits int
	// heldWords is the length from which on a plane has its log in a file.
	heldWords int
	// farWords is the length from which on planes are prefetched.
	farWords int
	// pageWords is the length of a large page of memory.
	pageWords   int
	propagation propagation
	// inParts is the number of parts in which classes are graded, 0 for that of the plan.
	inParts int
	// inShards is the number of shards of all classes with as many sections, 0 for those of the plan.
	inShards int
}

// propagation is how labels travel: by cost unless it is one of these.
type propagation uint8

const (
	alwaysPull propagation = iota + 1
	alwaysPush
)

// standard is the tuning of all solves outside tests.
var standard = tuning{
	partBits: plan.PartBits, sectionBits: plan.SectionBits, heldWords: plan.HeldWords, farWords: 1 << 17, pageWords: 1 << 18,
}

// Trace watches how a solve divides its work.
type Trace = work.Trace

// MemoryError says that a solve does not fit its memory limit.
type MemoryError = work.MemoryError

// ErrUnusable means that an unfinished table cannot be one of this board.
var ErrUnusable = work.ErrUnusable
