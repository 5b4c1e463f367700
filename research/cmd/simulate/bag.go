package main

import "math"

const (
	// groupsEach is the least number of groups of a class for each worker: with few, all would
	// wait for the last one.
	groupsEach = 4
	// groupShare and cacheShare are the shares of a worker's memory for a group and for the
	// cache of the class above.
	groupShare, cacheShare = 0.4, 0.4
)

// bag is a class in progress. Its groups are tasks in a queue.
type bag struct {
	*simulation
	kernel
	groups []group
	queue  []int // groups to solve, the next at the end
	// unread has the bytes of groups that the coordinator has not read yet, the next first.
	unread  []float64
	reading bool
	done    int // groups that the coordinator has read
}

// group is a number of blocks of a class.
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

// bag simulates a class.
func (s *simulation) bag(c, above *class) {
	b := &bag{simulation: s, groups: s.divide(c, above)}
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
	s.seconds += b.now + s.latency // of sealing
}

// divide divides a class into groups that fit a worker's memory and keep all workers busy.
func (s *simulation) divide(c, above *class) []group {
	n := max(float64(groupsEach*s.cluster.workers), math.Ceil(c.bytes/(groupShare*s.memory)))
	n = max(1, min(n, c.blocks))
	groups := make([]group, int(n))
	base := math.Floor(c.blocks / n)
	larger := int(c.blocks - base*n) // groups of one more block, which come first
	for i := range groups {
		blocks := base
		if i < larger {
			blocks++
		}
		share := blocks / c.blocks
		groups[i] = group{cores: s.varied(c.cores * share), write: c.bytes * share}
		if above != nil {
			groups[i].read = min(above.blocks, blocks*c.links) / above.blocks * above.bytes
		}
	}
	return groups
}

// take starts the next group on a worker, if there is one.
func (b *bag) take(w *worker, above float64) {
	if len(b.queue) == 0 {
		return
	}
	g := &b.groups[b.queue[len(b.queue)-1]]
	b.queue = b.queue[:len(b.queue)-1]
	b.after(b.latency, func() { b.begin(w, g, above) })
}

// begin has a worker read what is not in its cache, and compute meanwhile.
func (b *bag) begin(w *worker, g *group, above float64) {
	missing := g.read
	if above > 0 {
		missing *= 1 - w.cached/above
		w.cached = min(w.cached+missing, cacheShare*b.memory, above)
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

// finish has a worker write a group, and take the next one once that is acknowledged.
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

// receive has the coordinator read written groups one by one.
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
