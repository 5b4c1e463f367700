package server

import (
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

const (
	// flood is how many connections must have been open at once for their memory, some
	// 20 kB each, to be worth a collection of its own.
	flood = 1000
	// ebbTime is how long the rest of a flood may take to go before what it leaves is collected.
	ebbTime = time.Second
)

// ebb gives the memory of a flood of connections back to the system when half of them
// have gone. Answers allocate next to nothing, so that otherwise nothing would bring about
// a collection before the one that the runtime forces after two minutes.
type ebb struct {
	collect func()

	mu      sync.Mutex
	most    int // connections open at once since the last collection
	open    int
	waiting bool
}

func newEbb() *ebb { return &ebb{collect: giveBack} }

// giveBack collects twice: what pools keep outlives the first time.
func giveBack() {
	runtime.GC()
	debug.FreeOSMemory()
}

// come and go tell of a connection that is opened or closed.
func (e *ebb) come() { e.note(1) }
func (e *ebb) gone() { e.note(-1) }

func (e *ebb) note(change int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.open += change
	e.most = max(e.most, e.open)
	if e.most >= flood && e.open < e.most/2 && !e.waiting {
		e.waiting = true
		time.AfterFunc(ebbTime, e.turn)
	}
}

// turn collects, and begins to count anew.
func (e *ebb) turn() {
	e.collect()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.most, e.waiting = e.open, false
}
