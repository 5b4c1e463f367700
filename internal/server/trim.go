package server

import (
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

const (
	// flood is how many open connections, at some 20 kB each, make a collection worthwhile.
	flood     = 1000
	trimDelay = time.Second
)

// trimmer returns the memory of a flood of connections to the system when half of them have closed. Answers allocate next to
// nothing, so no collection would run before the one that the runtime forces after two minutes.
type trimmer struct {
	collect func()

	mu      sync.Mutex
	most    int // connections open at once since the last collection
	open    int
	waiting bool
}

// giveBack collects twice: pools survive the first collection.
func giveBack() {
	runtime.GC()
	debug.FreeOSMemory()
}

func (e *trimmer) noteOpened() { e.note(1) }
func (e *trimmer) noteClosed() { e.note(-1) }

func (e *trimmer) note(change int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.open += change
	e.most = max(e.most, e.open)
	if e.most >= flood && e.open < e.most/2 && !e.waiting {
		e.waiting = true
		time.AfterFunc(trimDelay, e.trim)
	}
}

func (e *trimmer) trim() {
	e.collect()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.most, e.waiting = e.open, false
}
