package main

import "math"

const (
	// groupsEach is how many groups of a class there are for each worker at least, so that
	// the last ones do not keep all others waiting.
	groupsEach = 4
	// groupPart and cachePart are the parts of a worker's memory that a group in work and
	// the cache of the class above take.
	groupPart, cachePart = 0.4, 0.4
)

// bag is a class in work whose groups are tasks in a queue.
type bag struct {
	*simulation
	kernel
	groups []group
	queue  []int // the groups that are to be done, the next at the end
	// What is written and the coordinator has not read yet: bytes of groups, the next first.
	unread  []float64
	reading bool
	done    int // groups that the coordinator has read
}

// group is some blocks of a class.
type group struct {
	cores float64 // seconds of a core
	read  float64 // bytes of the class above that it needs
	write float64 // bytes
}

// worker takes groups from the queue.
type worker struct {
	pending int     // of reading and computing
	cached  float64 // bytes of the class above in its cache
}

// bag simulates a class of groups.
func (s *simulation) bag(c, above *class) {
	b := &bag{simulation: s, groups: s.cut(c, above)}
	b.pipe = pipe{link: s.network, whole: s.store}
	for i := len(b.groups) - 1; i >= 0; i-- {
		b.queue = append(b.queue, i)
	}
	aboveBytes := 0.0
	if above != nil {
		aboveBytes = above.bytes
	}
	for range s.cluster.workers {
		b.take(new(worker), aboveBytes)
	}
	b.run(func() bool { return b.done == len(b.groups) })
	s.seconds += b.now + s.latency // and it is sealed
}

// cut cuts a class into groups, no larger than a worker has room for and no fewer than
// keep all busy.
func (s *simulation) cut(c, above *class) []group {
	n := max(float64(groupsEach*s.cluster.workers), math.Ceil(c.bytes/(groupPart*s.memory)))
	n = max(1, min(n, c.blocks))
	groups := make([]group, int(n))
	base := math.Floor(c.blocks / n)
	larger := int(c.blocks - base*n) // of these there are so many, and they come first
	for i := range groups {
		blocks := base
		if i < larger {
			blocks++
		}
		part := blocks / c.blocks
		groups[i] = group{cores: s.varied(c.cores * part), write: c.bytes * part}
		if above != nil {
			groups[i].read = min(above.blocks, blocks*c.links) / above.blocks * above.bytes
		}
	}
	return groups
}

// take has a worker begin with the next group, if there is one.
func (b *bag) take(w *worker, above float64) {
	if len(b.queue) == 0 {
		return
	}
	g := &b.groups[b.queue[len(b.queue)-1]]
	b.queue = b.queue[:len(b.queue)-1]
	b.after(b.latency, func() { b.begin(w, g, above) })
}

// begin has a worker read what a group needs and is not in its cache, and compute
// beside that.
func (b *bag) begin(w *worker, g *group, above float64) {
	missing := g.read
	if above > 0 {
		missing *= 1 - w.cached/above
		w.cached = min(w.cached+missing, cachePart*b.memory, above)
	}
	b.outcome.read += missing
	w.pending = 2
	both := func() {
		if w.pending--; w.pending == 0 {
			b.finish(w, g, above)
		}
	}
	b.send(missing, both)
	b.after(g.cores/float64(b.threads), both)
}

// finish has a worker write a group, and take the next when that is acknowledged.
func (b *bag) finish(w *worker, g *group, above float64) {
	b.written += g.write
	b.send(g.write, func() {
		b.after(b.latency, func() {
			b.unread = append(b.unread, g.write)
			b.receive()
			b.take(w, above)
		})
	})
}

// receive has the coordinator read what is written, one group after the other as fast as its
// network can.
func (b *bag) receive() {
	if b.reading || len(b.unread) == 0 {
		return
	}
	b.reading = true
	b.outcome.read += b.unread[0]
	b.send(b.unread[0], func() {
		b.unread, b.reading = b.unread[1:], false
		b.done++
		b.receive()
	})
}
