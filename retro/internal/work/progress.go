package work

import (
	"sync"

	"backsolve/tablebase"
)

// Progress notifies a function of events, one at a time. It is safe for concurrent use.
type Progress struct {
	to    func(tablebase.Event) // may be nil
	lock  sync.Mutex
	event tablebase.Event
}

// NewProgress returns the progress of a solve of the given number of states. to may be nil.
func NewProgress(to func(tablebase.Event), states uint64) *Progress {
	return &Progress{to: to, event: tablebase.Event{Stage: tablebase.Solving, Unit: "states", Total: states}}
}

// notify changes the current event, for this once unless it lasts, and sends it.
func (p *Progress) notify(lasts bool, change func(*tablebase.Event)) {
	if p.to == nil {
		return
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	e := p.event
	if change(&e); lasts {
		p.event = e
	}
	p.to(e)
}

// Begin reports that a class is begun, with the number of states decided before.
func (p *Progress) Begin(class int, before uint64) {
	p.notify(true, func(e *tablebase.Event) { e.Stage, e.At, e.Done = tablebase.Solving, class, before })
}

// Pass reports that a pass inside the class is begun.
func (p *Progress) Pass() {
	p.notify(true, func(e *tablebase.Event) { e.Stage = tablebase.Propagating })
}

// Advance reports that more states are decided.
func (p *Progress) Advance(states uint64) {
	p.notify(true, func(e *tablebase.Event) { e.Done += states })
}

// Sealed reports that a class is sealed. The next one may be in work already.
func (p *Progress) Sealed(class int) {
	p.notify(false, func(e *tablebase.Event) { e.Stage, e.At = tablebase.Sealed, class })
}

// Stopping reports that the solve ends once a class is sealed.
func (p *Progress) Stopping(class int) {
	p.notify(false, func(e *tablebase.Event) { e.Stage, e.At = tablebase.Stopping, class })
}
