package work

import "sync"

// Event reports the progress of a solve.
type Event struct {
	Class  int  // the class in work
	Pass   int  // of propagating labels inside the class, 0 before that
	Sealed bool // the class is in the file and survives a crash
	// Stopping says that the solve was asked to end, and will end once the class, which is
	// solved, is in the file.
	Stopping bool
	// Done of the States to be stored are decided.
	Done, States uint64
}

// Progress notifies a function of events, one at a time. It is safe for concurrent use.
type Progress struct {
	to    func(Event) // may be nil
	lock  sync.Mutex
	event Event
}

// NewProgress returns the progress of a solve of the given number of states. to may be nil.
func NewProgress(to func(Event), states uint64) *Progress {
	return &Progress{to: to, event: Event{States: states}}
}

// notify changes the current event and sends it.
func (p *Progress) notify(change func(*Event)) {
	p.send(func() Event {
		change(&p.event)
		return p.event
	})
}

// notifyOf sends an event about a class other than the one in work.
func (p *Progress) notifyOf(class int, change func(*Event)) {
	p.send(func() Event {
		v := p.event
		v.Class, v.Pass = class, 0
		change(&v)
		return v
	})
}

func (p *Progress) send(event func() Event) {
	if p.to != nil {
		p.lock.Lock()
		defer p.lock.Unlock()
		p.to(event())
	}
}

// Begin reports that a class is begun, with the number of states decided before.
func (p *Progress) Begin(class int, before uint64) {
	p.notify(func(v *Event) { v.Class, v.Pass, v.Done = class, 0, before })
}

// Advance reports that more states are decided.
func (p *Progress) Advance(states uint64) { p.notify(func(v *Event) { v.Done += states }) }

// Pass reports that a pass inside the class is begun.
func (p *Progress) Pass(pass int) { p.notify(func(v *Event) { v.Pass = pass }) }

// Sealed reports that a class is sealed. The next one may be in work already.
func (p *Progress) Sealed(class int) { p.notifyOf(class, func(v *Event) { v.Sealed = true }) }

// Stopping reports that the solve ends once a class is sealed.
func (p *Progress) Stopping(class int) { p.notifyOf(class, func(v *Event) { v.Stopping = true }) }
