package main

import (
	"container/heap"
	"math"
)

// kernel is the clock, the future events and the data flows. Events at the same time happen in
// the order of their creation.
type kernel struct {
	now    float64 // seconds
	events events
	made   int
	pipe   pipe
}

// event happens at a time, or once a number of bytes have flowed through the pipe.
type event struct {
	at     float64
	number int
	do     func()
}

// events is a heap, the next event on top.
type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].number < e[j].number
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// after schedules an event.
func (k *kernel) after(seconds float64, do func()) {
	k.made++
	heap.Push(&k.events, event{k.now + seconds, k.made, do})
}

// run runs events until done or until none is left.
func (k *kernel) run(done func() bool) {
	for !done() {
		next, flows := k.pipe.next(k.now)
		if len(k.events) == 0 && !flows {
			return
		}
		if flows && (len(k.events) == 0 || next < k.events[0].at) {
			k.now = next
			k.pipe.finish(k.now)()
			continue
		}
		e := heap.Pop(&k.events).(event)
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
	heap.Push(&p.flows, event{p.flowed + bytes, p.active, done})
	p.active++
}

// next returns when the next flow ends, if there is one.
func (p *pipe) next(now float64) (float64, bool) {
	if len(p.flows) == 0 {
		return 0, false
	}
	return max(now, p.at+(p.flows[0].at-p.flowed)/p.rate()), true
}

// finish ends the next flow and returns its event.
func (p *pipe) finish(now float64) func() {
	f := heap.Pop(&p.flows).(event)
	p.flowed, p.at = f.at, now
	p.active--
	return f.do
}
