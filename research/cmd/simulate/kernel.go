package main

import (
	"math"
	"slices"
	"sort"
)

// kernel is the clock, the future events and the flows: of bytes through the store, and of core
// seconds through the cores of a machine that all share. Events at the same time happen in the
// order of their creation.
type kernel struct {
	now    float64 // seconds
	events events
	pipe   pipe
	shared pipe // cores; unlimited if each machine has its own
}

// event happens at a time, or once a number of bytes have flowed through the pipe.
type event struct {
	at float64
	do func()
}

// events are in order, the next at the end. Of events at the same time the first added is next.
type events []event

func (e *events) add(at float64, do func()) {
	i := sort.Search(len(*e), func(i int) bool { return (*e)[i].at <= at })
	*e = slices.Insert(*e, i, event{at, do})
}

func (e events) next() event { return e[len(e)-1] }

func (e *events) pop() event {
	next := e.next()
	*e = (*e)[:len(*e)-1]
	return next
}

// after schedules an event.
func (k *kernel) after(seconds float64, do func()) { k.events.add(k.now+seconds, do) }

// run runs events until done or until none is left.
func (k *kernel) run(done func() bool) {
	for !done() {
		from := &k.pipe
		next, flows := from.next(k.now)
		if at, computes := k.shared.next(k.now); computes && (!flows || at < next) {
			from, next, flows = &k.shared, at, true
		}
		if len(k.events) == 0 && !flows {
			return
		}
		if flows && (len(k.events) == 0 || next < k.events.next().at) {
			k.now = next
			from.finish(k.now)()
			continue
		}
		e := k.events.pop()
		k.now = e.at
		e.do()
	}
}

// send transfers bytes between a machine and the store, and calls done after the last one.
func (k *kernel) send(bytes float64, done func()) {
	if bytes == 0 || math.IsInf(k.pipe.link, 1) && math.IsInf(k.pipe.whole, 1) {
		k.after(0, done)
		return
	}
	k.pipe.add(k.now, bytes, done)
}

// compute calls done after so many seconds, or later if cores are shared and others compute.
func (k *kernel) compute(seconds float64, done func()) {
	if seconds == 0 || k.shared.whole == 0 || math.IsInf(k.shared.whole, 1) {
		k.after(seconds, done)
		return
	}
	k.shared.add(k.now, seconds, done)
}

// pipe is the traffic of the store. All flows are equally fast: as a machine's network allows,
// or their share of the store's rate. So one number is what has flowed through each since the
// beginning, and a flow ends when that has grown by its bytes.
type pipe struct {
	link, whole float64 // bytes a second of a flow and of all
	flowed      float64 // bytes through a flow that was there from the beginning
	at          float64 // the time of flowed
	flows       events  // by what will have flowed at their end
	active      int
}

func (p *pipe) rate() float64 { return min(p.link, p.whole/float64(p.active)) }

// advance updates what has flowed.
func (p *pipe) advance(now float64) {
	if p.active > 0 {
		p.flowed += (now - p.at) * p.rate()
	}
	p.at = now
}

func (p *pipe) add(now, bytes float64, done func()) {
	p.advance(now)
	p.flows.add(p.flowed+bytes, done)
	p.active++
}

// next returns when the next flow ends, if there is one.
func (p *pipe) next(now float64) (float64, bool) {
	if len(p.flows) == 0 {
		return 0, false
	}
	return max(now, p.at+(p.flows.next().at-p.flowed)/p.rate()), true
}

// finish ends the next flow and returns its event.
func (p *pipe) finish(now float64) func() {
	f := p.flows.pop()
	p.flowed, p.at = f.at, now
	p.active--
	return f.do
}
