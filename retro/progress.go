package retro

// tell changes the state of progress and passes it on.
func (e *engine) tell(change func(*Event)) {
	if e.Progress == nil {
		return
	}
	e.events.Lock()
	defer e.events.Unlock()
	change(&e.event)
	e.Progress(e.event)
}

func (e *engine) begin(class int) {
	e.tell(func(v *Event) { v.Class, v.Pass, v.Done = class, 0, e.before })
}

func (e *engine) advance(states uint64) {
	e.tell(func(v *Event) { v.Done += states })
}

func (e *engine) report(pass int) {
	e.tell(func(v *Event) { v.Pass = pass })
}

// sealed is told while the next class is in work already.
func (e *engine) sealed(class int) {
	if e.Progress == nil {
		return
	}
	e.events.Lock()
	defer e.events.Unlock()
	v := e.event
	v.Class, v.Pass, v.Sealed = class, 0, true
	e.Progress(v)
}
