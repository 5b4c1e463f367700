package retro

import (
	"sync/atomic"

	"backsolve/internal/bitslice"
	"backsolve/internal/memory"
	"backsolve/internal/plan"
	"backsolve/retro/internal/plylog"
	"backsolve/retro/internal/work"
)

// shardedSteps solves a class in shards ply by ply. The logs of the class are what shards
// exchange: in ply t, a shard reads what all were labelled in ply t−1, in windows that fit in
// memory. Won states join the won plane once all shards are done with the ply, so that the order
// of the shards does not matter. A section of a shard's planes is read only where links lead
// from it to new labels, and written only where it got any. Frontiers have the length of a shard, but for news.
type shardedSteps struct {
	*sharded
	by     *bySteps
	loaded []bool // by section: whether its planes are in memory
	opened bool   // whether any section was read in this turn
	held   int    // words of news that take memory
}

func (s *sharded) solveSteps() error {
	p, err := newShardedSteps(s)
	defer p.by.freeSteps()
	if err != nil {
		return err
	}
	for i := range s.shards {
		p.choose(i)
		if err := p.open(); err != nil {
			return err
		}
	}
	for l, ply := s.level, 1; ply <= p.by.until() || l.won.Any(ply-1) || l.lost.Any(ply-1); ply++ {
		s.progress.Pass()
		p.takeWins(ply - 1)
		for i := range s.shards {
			p.choose(i)
			if err := p.label(ply); err != nil {
				return err
			}
		}
	}
	return nil
}

// newShardedSteps allocates what prepare does not. After an error, too, the steps must be freed.
func newShardedSteps(s *sharded) (p *shardedSteps, err error) {
	by := &bySteps{fixpoint: s.fixpoint}
	p = &shardedSteps{sharded: s, by: by, loaded: make([]bool, s.level.file.sections())}
	ofShard := func(int) ([]uint64, error) { return p.window(p.share) }
	if err = p.reserveFrontiers(ofShard, &p.newWon, &p.newLost, &p.gathered); err != nil {
		return p, err
	}
	p.nextLost = p.newLost
	return p, p.newFileLogs(p.level.file, &by.ready, &by.wonAbove, &p.level.won, &p.level.lost)
}

func (p *shardedSteps) choose(i int) {
	p.sharded.choose(i)
	for _, n := range []*frontier{p.newWon, p.newLost, p.gathered} {
		n.first = p.firstUnit / p.units.PerBlock
	}
}

// decideAbove is that of bySteps, for a half of the shard at once, in the memory of its planes, none of which
// is in use yet.
func (p *shardedSteps) decideAbove() error {
	g := p.by.newGrades()
	if p.above == nil {
		return p.by.decideWhole(g)
	}
	own, section := p.level.file.section, p.above.won.SectionWords()
	atOnce := max(p.share/2/own, 1) * own
	defer g.free(memory.FreeArray[uint64])
	err := addPlanes(&g.planes, g.digits(), p.above.planeWords(), memory.NewArray[uint64])
	if err == nil {
		err = addPlanes(&g.lowest, g.digits(), atOnce, memory.NewArray[uint64])
	}
	if err != nil {
		return err
	}
	needed := p.neededAbove(section)
	window := int(plan.ShardPlanes(true))*p.share/g.digits() - atOnce
	return p.by.decideInWindows(g, func(section int) bool { return needed[section].Load() }, func(do func(first, end int)) {
		p.eachWindowAbove(needed, section, window, func(first, end int) {
			do(first, end)
			for _, plane := range g.planes {
				memory.Release(plane, first*section, min(end*section, len(plane)))
			}
		})
	})
}

// open labels a shard's terminal states, and finds the plies in which its candidates are ready.
func (p *shardedSteps) open() error {
	if err := p.decideAbove(); err != nil {
		return err
	}
	p.run(p.by.openTerminals)
	first, end := p.sections(p.level.won)
	for i := first; i < end; i++ {
		p.loaded[i] = true
	}
	return p.leave(0, true)
}

func (p *shardedSteps) label(ply int) error {
	p.loadSections(func(section int) bool { return p.by.ready.Has(ply-1, section) || p.by.wonAbove.Has(ply-1, section) })
	p.by.takeReady(ply-1, p.gathered)
	direct := false
	p.eachNews(p.level.won, ply-1, func() {
		p.loadTouched()
		if direct = direct || p.dense(p.news, p.by.directCost()); !direct { // else all candidates are tested below
			p.propagate(p.losing(), p.news)
		}
	})
	p.propagate(p.losing(), nil) // those that are ready
	if direct {
		p.run(func(w *work.Worker, unit int) {
			if p.loaded[unit*p.units.Words/p.level.file.section] {
				p.by.testCandidates(w, unit)
			}
		})
	}
	p.eachNews(p.level.lost, ply-1, func() {
		p.loadTouched()
		// They join the won plane later.
		label := func(w *work.Worker, unit int, touched, summary []uint64) {
			p.fixpoint.label(w, nil, p.newWon, unit, touched, summary)
		}
		p.propagate(step{label: label, among: p.undecided}, p.news)
	})
	p.by.labelWonAbove(ply-1, nil)
	return p.leave(ply, false)
}

func (p *shardedSteps) takeWins(ply int) {
	log := p.level.won
	if !log.Any(ply) {
		return
	}
	p.forEach(0, log.Sections(), func(w *work.Worker, section int) {
		p.class.Pool.Fail(log.Read(ply, section, &w.Log))
		first, _ := log.Section(section)
		for i, at := range w.Log.At {
			p.level.win[first+int(at)] |= w.Log.Words[i]
		}
	})
}

// loadTouched reads the sections of the shard from which links lead to the news.
func (p *shardedSteps) loadTouched() {
	p.loadSections(func(section int) bool {
		from, to := p.level.file.bounds(section)
		for block := from / p.level.words; block < to/p.level.words; block++ {
			for _, l := range p.within.block(block) {
				if p.news.fresh(int(l.child)) {
					return true
				}
			}
		}
		return false
	})
}

// eachNews loads a ply of a log into the frontier of news, in windows that fit in memory.
func (p *shardedSteps) eachNews(log *plylog.Log, ply int, do func()) {
	section := log.SectionWords()
	has := p.onLargePages(section, log.Sections(), func(section int) bool { return log.Has(ply, section) })
	eachWindow(log.Sections(), max(p.share/section, 1), has, func(first, end int) {
		words := 0
		for i := first; i < end; i++ {
			if has(i) {
				words += section
			}
		}
		if p.held += words; p.held > p.share {
			memory.Release(p.news.plane, 0, len(p.news.plane))
			p.held = words
		}
		p.load(p.news, log, ply, first, end)
		do()
		p.clear(p.news)
	})
}

func (p *shardedSteps) loadSections(wanted func(section int) bool) {
	first, end := p.sections(p.level.won)
	var any atomic.Bool
	p.forEach(first, end, func(_ *work.Worker, section int) {
		if p.loaded[section] || !wanted(section) {
			return
		}
		p.loaded[section] = true
		any.Store(true)
		from, to := p.level.file.bounds(section)
		p.class.Pool.Fail(p.level.file.take(losePlane, section, p.undecided[from:to]))
		p.class.Pool.Fail(p.left.take(candidatesPlane, section, p.candidates[from:to]))
	})
	if any.Load() && !p.opened {
		p.opened = true
		p.turns++
	}
}

func (p *shardedSteps) ofSection(summary []uint64, section int) []uint64 {
	first, end := p.left.bounds(section)
	perSum, words := p.newWon.perSum, p.level.words
	return summary[first/words*perSum : end/words*perSum]
}

// leave writes the sections of the shard that have changed in the ply, or all, to the work
// files, and their labels to the logs. It gives back their memory.
func (p *shardedSteps) leave(ply int, all bool) error {
	first, end := p.sections(p.level.won)
	p.forEach(first, end, func(_ *work.Worker, section int) {
		loaded := p.loaded[section]
		p.loaded[section] = false
		if !loaded || !all && !p.by.ready.Has(ply-1, section) &&
			!bitslice.Any(p.ofSection(p.newWon.summary, section)) && !bitslice.Any(p.ofSection(p.newLost.summary, section)) {
			return
		}
		from, to := p.level.file.bounds(section)
		p.class.Pool.Fail(p.level.file.write(losePlane, section, p.undecided[from:to]))
		p.class.Pool.Fail(p.left.write(candidatesPlane, section, p.candidates[from:to]))
	})
	p.by.retire(p.newWon, p.level.won, ply)
	p.by.retire(p.newLost, p.level.lost, ply)
	from, to := p.words(p.current)
	memory.Release(p.undecided, from, to)
	memory.Release(p.candidates, from, to)
	p.opened = false
	return p.class.Pool.Cause()
}

// replay labels what the shard labelled before a ply, after open. The won plane gets plies below won.
func (p *shardedSteps) replay(ply, won int) error {
	p.loadSections(func(int) bool { return true })
	p.eachSection(p.current, func(w *work.Worker, section int) {
		first, end := p.level.file.bounds(section)
		read := func(log *plylog.Log, plies int, do func(word int, states uint64)) {
			for ply := range plies {
				p.class.Pool.Fail(log.Read(ply, section, &w.Log))
				for i, at := range w.Log.At {
					do(first+int(at), w.Log.Words[i])
				}
			}
		}
		read(p.by.ready, ply-1, func(word int, states uint64) { p.candidates[word] |= states })
		read(p.level.won, won, func(word int, states uint64) { p.level.win[word] |= states })
		for _, log := range p.level.both() {
			read(log, ply, func(word int, states uint64) { p.undecided[word] &^= states })
		}
		p.class.Pool.Fail(p.level.file.write(losePlane, section, p.undecided[first:end]))
		p.class.Pool.Fail(p.left.write(candidatesPlane, section, p.candidates[first:end]))
		p.loaded[section] = false
	})
	return p.class.Pool.Cause()
}
