package main

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
)

const (
	// cacheShare and streamShare are the shares of a worker's memory for the class above, and for
	// a group where no table is kept.
	cacheShare, streamShare = 0.8, 0.9
	mib                     = 1 << 20
	// groupBytes is the size of a group of a table, partBytes the least of one without.
	groupBytes, partBytes = mib, 8 * mib
	// mostGroups is how many groups a class of a table has at most.
	mostGroups = 2048
	// checkedRun is how many successive blocks are checked together, checkedShare the share of them.
	checkedRun, checkedShare = 16, 0.01
	// returned is for how many seconds a check waits, on the average, that its maker gets.
	returned = 0.05
)

// bag is a class in progress. Its groups are tasks in a queue.
type bag struct {
	*simulation
	kind   kind
	groups []group
	queue  []task // the next first
	idle   []*worker
	above  float64 // bytes of the class above
	// unread are the groups that the coordinator has not read yet, the next first.
	unread  []*group
	reading bool
	left    int // tasks that are not done
}

// group is a number of blocks of a class.
type group struct {
	cores  float64 // seconds of a core
	read   float64 // bytes of the class above that it needs
	write  float64 // bytes
	checks float64 // share of it that is solved again; 0 for no check
	runs   float64 // of a table's blocks that are checked, for each of which the group is read
	count  float64 // bytes that a check counts
	maker  *worker
}

// task is to solve a group, to check it, or to write it into the table.
type task struct {
	*group
	check, write bool
}

// worker takes tasks from the queue.
type worker struct {
	cached float64 // bytes of the class above that it has
	made   float64 // bytes of the class that it has solved
}

// bag simulates a class.
func (s *simulation) bag(j *job, c, above *class) {
	b := &bag{simulation: s, kind: j.kind, groups: s.divide(j, c, above)}
	if above != nil {
		b.above = above.bytes
	}
	for i := range b.groups {
		g := &b.groups[i]
		b.queue = append(b.queue, task{group: g})
		if b.left++; g.isChecked() {
			b.left++
		}
	}
	s.tasks += float64(b.left)
	s.sealed++
	for _, w := range s.machines {
		w.cached, w.made = min(w.made, cacheShare*s.memory), 0
		b.take(w)
	}
	b.run(func() bool { return b.left == 0 })
	if j.written {
		b.write()
	}
	s.now += s.latency + j.serial*c.bytes // of sealing
}

// divide divides a class into groups as the coordinator does.
func (s *simulation) divide(j *job, c, above *class) []group {
	var n float64
	if j.kind == tabled {
		size := groupBytes * max(1, j.fewer/float64(s.cluster.workers))
		n = min(mostGroups, math.Ceil(c.bytes/size))
	} else {
		n = math.Ceil(c.bytes / (streamShare * s.memory))
		n = max(n, min(float64(s.cluster.workers), math.Ceil(c.bytes/partBytes)))
	}
	n = max(1, min(n, c.blocks))
	groups := make([]group, int(n))
	base := math.Floor(c.blocks / n)
	larger := int(c.blocks - base*n) // groups of one more block, which come first
	first := 0.0                     // block
	for i := range groups {
		blocks := base
		if i < larger {
			blocks++
		}
		share := blocks / c.blocks
		g := group{cores: s.varied(c.cores * share), write: c.bytes * share, read: c.also * share}
		if j.kind == sharded { // planes are half of the bytes (see plan.Plan.ShardWork)
			g.read, g.write = (4+2*s.shards(c))*g.write, 4*g.write
		} else if above != nil {
			g.read += min(above.blocks, blocks*c.links) / above.blocks * above.bytes
		}
		if j.checked {
			g.checks = checkedShare
		}
		if j.checked && j.kind == tabled {
			g.runs = j.sampled(c.number, first, blocks)
			g.checks = min(1, checkedRun*g.runs/blocks)
		}
		if j.written {
			g.runs, g.count = g.runs+1, c.bytes*share // all are counted
		}
		groups[i], first = g, first+blocks
	}
	return groups
}

// sampled returns how many runs of some blocks are checked, by the hash of the program.
func (j *job) sampled(class int, first, blocks float64) (runs float64) {
	for run := int(first) / checkedRun; run*checkedRun < int(first+blocks); run++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %02d %d", j.sample, class, run))
		if float64(binary.LittleEndian.Uint64(sum[:])>>11)/(1<<53) < checkedShare {
			runs++
		}
	}
	return runs
}

// shards returns in how many shards a class is solved, +Inf if that cannot be: a plane of the class,
// which is half of its bytes, and five of a shard must fit into all workers.
func (s *simulation) shards(c *class) float64 {
	room := s.memory*float64(s.cluster.workers) - c.bytes/2
	if room <= 0 {
		return math.Inf(1)
	}
	return max(1, math.Ceil(5*c.bytes/2/room))
}

// take starts the next task on a worker, or lets it wait.
func (b *bag) take(w *worker) {
	if len(b.queue) == 0 {
		b.idle = append(b.idle, w)
		return
	}
	t := b.queue[0]
	b.queue = b.queue[1:]
	b.after(b.latency, func() {
		switch {
		case t.check && t.maker == w && len(b.machines) > 1:
			b.returned++
			b.after(2*returned*b.chance.Float64(), func() { b.add(t) }) // with equal delays two could get their own for ever
			b.take(w)
		case t.write:
			b.copy(w, t.group)
		case t.check:
			b.check(w, t.group)
		default:
			b.solve(w, t.group)
		}
	})
}

// solve has a worker read what it does not have, and compute meanwhile. It takes the next task
// while it writes.
func (b *bag) solve(w *worker, g *group) {
	missing := b.missing(w, g)
	b.outcome.read += missing
	b.both(missing, g.cores+missing*b.readCost[b.kind], b.threads, func() {
		g.maker = w
		b.take(w)
		b.written += g.write
		w.made += g.write
		b.both(g.write, g.write*b.writeCost, 1, func() { b.after(b.latency, func() { b.wrote(g) }) })
	})
}

// missing returns the bytes that a worker reads for a group.
func (b *bag) missing(w *worker, g *group) float64 {
	if b.above == 0 || b.kind != tabled {
		return g.read
	}
	missing := g.read * (1 - w.cached/b.above)
	w.cached = min(w.cached+missing, max(w.cached, cacheShare*b.memory), b.above)
	return missing
}

// wrote has a written group read by the coordinator or checked by a worker.
func (b *bag) wrote(g *group) {
	if b.left--; g.isChecked() {
		b.add(task{group: g, check: true})
	}
	if b.kind == tabled && g.count == 0 {
		b.left++
		b.unread = append(b.unread, g)
		b.receive()
	}
}

// isChecked reports whether a worker checks the group.
func (g *group) isChecked() bool { return g.checks > 0 || g.count > 0 }

// write has the workers write the class into the table. Who reads a group back is not simulated apart.
func (b *bag) write() {
	for i := range b.groups {
		b.queue = append(b.queue, task{group: &b.groups[i], write: true})
	}
	b.left = len(b.queue)
	b.tasks += float64(2 * b.left)
	idle := b.idle
	b.idle = nil
	for _, w := range idle {
		b.take(w)
	}
	b.run(func() bool { return b.left == 0 })
}

// copy has a worker read a group, write it into the table, read it back and count it.
func (b *bag) copy(w *worker, g *group) {
	b.outcome.read += 2 * g.write
	b.written += g.write
	b.both(3*g.write, g.write*(2*b.readCost[b.kind]+b.writeCost+b.countCost), b.threads, func() {
		b.take(w)
		b.after(2*b.latency, func() { b.left-- })
	})
}

// add adds a task to the queue.
func (b *bag) add(t task) {
	b.queue = append(b.queue, t)
	if len(b.idle) > 0 {
		w := b.idle[0]
		b.idle = b.idle[1:]
		b.take(w)
	}
}

// check has a worker read a group again and solve a share of it.
func (b *bag) check(w *worker, g *group) {
	bytes := g.write * g.runs
	if b.kind != tabled {
		bytes = g.write + g.checks*g.read
	}
	b.outcome.read += bytes
	b.both(bytes, g.checks*g.cores+bytes*b.readCost[b.kind]+g.count*b.countCost, b.threads, func() {
		b.left--
		b.take(w)
	})
}

// receive has the coordinator read written groups one by one.
func (b *bag) receive() {
	if b.reading || len(b.unread) == 0 {
		return
	}
	b.reading = true
	g := b.unread[0]
	b.collected += g.write
	b.both(g.write, g.write*b.countCost, b.threads, func() {
		b.unread, b.reading = b.unread[1:], false
		b.left--
		b.receive()
	})
}

// both transfers bytes and computes for seconds of a core on threads, and then calls done.
func (b *bag) both(bytes, cores float64, threads int, done func()) {
	pending := 2
	one := func() {
		if pending--; pending == 0 {
			done()
		}
	}
	b.send(bytes, one)
	b.compute(cores/float64(threads), one)
}
