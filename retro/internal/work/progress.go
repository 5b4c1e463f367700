package work

import "sync"

// Event is a moment of a solve.
type Event struct {
	Class  int  // number of marked cells of the class in work
	Pass   int  // of propagating labels inside the class, 0 before that
	Sealed bool // the class is in the file; until then it is solved again after a crash
	// Stopping says that the solve was asked to end, and ends when the class, which is
	// solved, is in the file.
	Stopping bool
	// Done of the States to be stored are decided.
	Done, States uint64
}

// Progress tells what goes on, by one thread at a time.
type Progress struct {
	to    func(Event) // nil: nobody
	lock  sync.Mutex
	event Event
}

// NewProgress tells a function, unless it is nil, of a solve of so many states.
func NewProgress(to func(Event), states uint64) *Progress {
	return &Progress{to: to, event: Event{States: states}}
}

// tell changes the state of progress and passes it on.
func (p *Progress) tell(change func(*Event)) {
	if p.to == nil {
		return
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	change(&p.event)
	p.to(p.event)
}

// Begin tells that a class is begun, before which so many states were decided.
func (p *Progress) Begin(class int, before uint64) {
	p.tell(func(v *Event) { v.Class, v.Pass, v.Done = class, 0, before })
}

// Advance tells that so many states more are decided.
func (p *Progress) Advance(states uint64) {
	p.tell(func(v *Event) { v.Done += states })
}

// Pass tells that a pass inside the class is begun.
func (p *Progress) Pass(pass int) {
	p.tell(func(v *Event) { v.Pass = pass })
}

// Sealed tells that a class is sealed. The next one may be in work already.
func (p *Progress) Sealed(class int) {
	p.tellOf(class, func(v *Event) { v.Sealed = true })
}

// Stopping tells that the solve ends when a class is sealed.
func (p *Progress) Stopping(class int) {
	p.tellOf(class, func(v *Event) { v.Stopping = true })
}

// tellOf tells something of a class that is not in work any more.
func (p *Progress) tellOf(class int, what func(*Event)) {
	if p.to == nil {
		return
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	v := p.event
	v.Class, v.Pass = class, 0
	what(&v)
	p.to(v)
}
