package cluster

import (
	"sync"
	"time"

	"backsolve/internal/plan"
	"backsolve/partition"
)

// Progress says how far a solve is.
type Progress struct {
	// Class is the class in progress. Done of its Tasks are finished.
	Class int `json:"class"`
	Tasks int `json:"tasks"`
	Done  int `json:"tasks_done"`
	// Decided of the States to be stored are decided, PerSecond of them a second since the
	// coordinator began.
	Decided   uint64  `json:"states_decided"`
	States    uint64  `json:"stored_states"`
	PerSecond float64 `json:"per_second"`
	// Left estimates the time to the end in seconds; it is negative if unknown.
	Left float64 `json:"seconds_left"`
	// Repeated is how many tasks had to be repeated since the coordinator began.
	Repeated int `json:"tasks_repeated"`
}

// progress tracks the Progress of a solve. It is safe for concurrent use.
type progress struct {
	space  *partition.Space
	blocks []int64 // by class
	began  time.Time
	halved bool                        // classes are solved in halves
	work   func(share float64) float64 // planned, of a share of the states

	lock   sync.Mutex // guards what follows
	now    Progress
	before uint64 // states decided when the coordinator began
}

func (p *progress) begin(space *partition.Space, o plan.Options, halved bool) {
	p.space, p.blocks, p.began, p.halved = space, partition.BlockCounts(space), time.Now(), halved
	p.work = plan.WorkOf(plan.New(space, o).Classes)
	p.now.Class = -1
	for class, blocks := range p.blocks {
		p.now.States += uint64(blocks) << uint(space.IndexBits[class])
	}
}

func (p *progress) beginStage(c stage, tasks int) {
	p.lock.Lock()
	defer p.lock.Unlock()
	first := p.now.Class < 0
	p.now.Class, p.now.Tasks, p.now.Done, p.now.Decided = c.Class, tasks, 0, 0
	decided := c.Class + 1
	if c.Write {
		decided = c.Class
	}
	for above := decided; above < len(p.blocks); above++ {
		p.now.Decided += uint64(p.blocks[above]) << uint(p.space.IndexBits[above])
	}
	if p.halved && !c.Set {
		p.now.Decided += p.states(c.Class, int(p.blocks[c.Class]))
	}
	if first {
		p.before = p.now.Decided
	}
}

// add notes that a task is finished (1), or that its result was revoked (−1).
func (p *progress) add(g shard, sign int) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.now.Done += sign
	if !g.Check && !g.Write {
		p.now.Decided += uint64(sign) * p.states(g.Class, g.Blocks)
	}
}

// states returns the number of states in blocks of a class, or of half a class.
func (p *progress) states(class, blocks int) uint64 {
	states := uint64(blocks) << uint(p.space.IndexBits[class])
	if p.halved {
		states /= 2
	}
	return states
}

func (p *progress) repeat() {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.now.Repeated++
}

func (p *progress) read() Progress {
	p.lock.Lock()
	defer p.lock.Unlock()
	now := p.now
	now.Left = -1
	if seconds := time.Since(p.began).Seconds(); now.Decided > p.before && seconds > 0 {
		now.PerSecond = float64(now.Decided-p.before) / seconds
		work := func(decided uint64) float64 { return p.work(float64(decided) / float64(now.States)) }
		now.Left = (work(now.States) - work(now.Decided)) / (work(now.Decided) - work(p.before)) * seconds
	}
	return now
}
