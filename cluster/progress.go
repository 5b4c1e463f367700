package cluster

import (
	"context"
	"errors"
	"sync"
	"time"

	"backsolve/partition"
)

// Progress is how far a solve is.
type Progress struct {
	// Class is the class in work, of whose Tasks so many are Done.
	Class int `json:"class"`
	Tasks int `json:"tasks"`
	Done  int `json:"tasks_done"`
	// Decided of the States to be stored are decided, PerSecond of them since the
	// coordinator began.
	Decided   uint64  `json:"states_decided"`
	States    uint64  `json:"stored_states"`
	PerSecond float64 `json:"per_second"`
	// Left is the time to the end in seconds, negative where nothing tells it.
	Left float64 `json:"seconds_left"`
	// Repeated is how many tasks had to be done again since the coordinator began.
	Repeated int `json:"tasks_repeated"`
}

// progress follows a solve.
type progress struct {
	lock   sync.Mutex
	now    Progress
	space  *partition.Space
	counts []int64 // of blocks, by class
	began  time.Time
	before uint64 // states decided before that
	halved bool   // classes are solved half by half
}

func (p *progress) begin(space *partition.Space) {
	p.space, p.counts, p.began = space, partition.BlockCounts(space), time.Now()
	p.now.Class = -1
	for class, blocks := range p.counts {
		p.now.States += uint64(blocks) << uint(space.IndexBits[class])
	}
}

// layer tells that a class is begun, or a half of one.
func (p *progress) layer(l layer, tasks int) {
	p.lock.Lock()
	defer p.lock.Unlock()
	first := p.now.Class < 0
	p.now.Class, p.now.Tasks, p.now.Done, p.now.Decided = l.class, tasks, 0, 0
	for above := l.class + 1; above < len(p.counts); above++ {
		p.now.Decided += uint64(p.counts[above]) << uint(p.space.IndexBits[above])
	}
	if p.halved && !l.set {
		p.now.Decided += p.states(l.class, int(p.counts[l.class]))
	}
	if first {
		p.before = p.now.Decided
	}
}

// task tells that a task is done.
func (p *progress) task(g group) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.now.Done++
	if !g.check {
		p.now.Decided += p.states(g.class, g.blocks)
	}
}

// dropped tells that what came of a task does not count.
func (p *progress) dropped(g group) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.now.Done--
	if !g.check {
		p.now.Decided -= p.states(g.class, g.blocks)
	}
}

// states returns how many states blocks of a class have, or of a half of it.
func (p *progress) states(class, blocks int) uint64 {
	states := uint64(blocks) << uint(p.space.IndexBits[class])
	if p.halved {
		states /= 2
	}
	return states
}

// again tells that a task has to be done again.
func (p *progress) again() {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.now.Repeated++
}

// read returns how far the solve is.
func (p *progress) read() Progress {
	p.lock.Lock()
	defer p.lock.Unlock()
	now := p.now
	now.Left = -1
	if seconds := time.Since(p.began).Seconds(); now.Decided > p.before && seconds > 0 {
		now.PerSecond = float64(now.Decided-p.before) / seconds
		now.Left = float64(now.States-now.Decided) / now.PerSecond
	}
	return now
}

// beat keeps the lease, and tells how far the solve is, until it ends.
func (c *Coordinator) beat() {
	ticker := time.NewTicker(c.o.Alive / 6)
	defer ticker.Stop()
	for {
		select {
		case <-c.ctx.Done():
			return
		case <-ticker.C:
		}
		if err := c.lease.renew(c.ctx); errors.Is(err, ErrReplaced) {
			c.cancel(err)
			return
		} else if err != nil {
			continue // what waits for the cluster tells so
		}
		ctx, cancel := context.WithTimeout(c.ctx, callTimeout)
		c.conn.alive.Put(ctx, progressKey, encoded(c.progress.read())) // it is told again soon
		cancel()
	}
}
