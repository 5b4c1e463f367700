package main

import (
	"container/heap"
	"math"
)

// kernel is a clock, what will happen, and what flows. Events at the same moment
// happen in the order in which they were made, so that nothing depends on chance.
type kernel struct {
	now    float64 // seconds
	events events
	made   int
	pipe   pipe
}

// event is something that happens when a clock has come to it: that of the kernel, or what
// has flowed through the pipe.
type event struct {
	at     float64
	number int
	do     func()
}

// events is a heap of events, the next on top.
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

// after has something happen so many seconds from now.
func (k *kernel) after(seconds float64, do func()) {
	k.made++
	heap.Push(&k.events, event{k.now + seconds, k.made, do})
}

// run lets things happen until done says that it is enough, or nothing is left.
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

// send has bytes flow between a machine and the store, and something happen when all
// have arrived.
func (k *kernel) send(bytes float64, done func()) {
	if bytes == 0 || math.IsInf(k.pipe.link, 1) && math.IsInf(k.pipe.whole, 1) {
		k.after(0, done)
		return
	}
	k.pipe.add(k.now, bytes, done)
}

// pipe is what the store gives and takes: each flow as fast as a worker's network can,
// or its part of what the store can, if that is less. All flows are then equally fast, so
// that what has flowed through any of them since the beginning is one number, and a flow
// is over when that has grown by its bytes.
type pipe struct {
	link, whole float64 // bytes a second of a flow and of all
	flowed      float64 // bytes through each flow, were it there from the beginning
	at          float64 // when that was
	flows       events  // at is what will have flowed when one is over
	active      int
}

// rate is how fast each flow is.
func (p *pipe) rate() float64 { return min(p.link, p.whole/float64(p.active)) }

// advance reckons what has flowed until now.
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

// next returns when the next flow is over, and whether there is any.
func (p *pipe) next(now float64) (float64, bool) {
	if len(p.flows) == 0 {
		return 0, false
	}
	return max(now, p.at+(p.flows[0].at-p.flowed)/p.rate()), true
}

// finish takes the flow away that is over now, and returns what is to happen.
func (p *pipe) finish(now float64) func() {
	f := heap.Pop(&p.flows).(event)
	p.flowed, p.at = f.at, now
	p.active--
	return f.do
}
