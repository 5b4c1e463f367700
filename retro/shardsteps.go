package retro

import (
	"sync/atomic"

	"backsolve/internal/bitslice"
	"backsolve/internal/memory"
	"backsolve/retro/internal/plylog"
	"backsolve/retro/internal/work"
)

// shardedSteps solves a class in shards ply by ply. The logs of the class are what shards
// exchange: in ply t, a shard reads what all were labelled in ply t−1, in windows that fit in
// memory. Won states join the won plane once all shards are done with the ply, so that the order
// of the shards does not matter. A section of a shard's planes is read only where links lead
// from it to new labels, and written only where it got any.
type shardedSteps struct {
	*sharded
	by       *bySteps
	gathered *frontier // states that a pass pushes to
	loaded   []bool    // by section: whether its planes are in memory
	opened   bool      // whether any section was read in this turn
}

// solveSteps labels the class of the shards ply by ply.
func (s *sharded) solveSteps() error {
	p := newShardedSteps(s)
	defer p.free()
	if err := p.prepareSteps(); err != nil {
		return err
	}
	for i := range s.shards {
		s.choose(i)
		if err := p.open(); err != nil {
			return err
		}
	}
	for l, ply := s.level, 1; ply <= p.until() || l.won.Any(ply-1) || l.lost.Any(ply-1); ply++ {
		s.progress.Pass()
		if err := p.takeWins(ply - 1); err != nil {
			return err
		}
		for i := range s.shards {
			s.choose(i)
			if err := p.label(ply); err != nil {
				return err
			}
		}
	}
	return nil
}

func newShardedSteps(s *sharded) *shardedSteps {
	return &shardedSteps{sharded: s, by: &bySteps{fixpoint: s.fixpoint}, loaded: make([]bool, s.level.file.sections())}
}

// lostAbove has the lost states of the class above, nil for the fullest class.
func (p *shardedSteps) lostAbove() *plylog.Log {
	if p.above == nil {
		return nil
	}
	return p.above.lost
}

// until returns the ply up to which the class above may decide states.
func (p *shardedSteps) until() int { return max(p.by.ready.Plies(), p.lostAbove().Plies()) }

// prepareSteps allocates what prepare does not.
func (p *shardedSteps) prepareSteps() (err error) {
	if p.by.toAbove, err = newLinkage(p.job, false, p.share, 0, len(p.class.Masks)); err != nil {
		return err
	}
	if err = p.reserveFrontiers(p.window, &p.gathered); err != nil {
		return err
	}
	if p.above != nil {
		if p.by.delta, err = newFrontier(p.ledger, p.window, len(p.above.class.Masks), p.above.words); err != nil {
			return err
		}
	}
	return p.newFileLogs(p.level.file, &p.by.ready, &p.level.won, &p.level.lost)
}

func (p *shardedSteps) free() {
	p.result.WorkWritten += p.by.ready.FileBytes()
	p.result.WorkRead += p.by.ready.BytesRead()
	p.by.freeSteps()
	p.gathered.free()
}

// sections returns the sections of the shard in work.
func (p *shardedSteps) sections() (first, end int) {
	return p.shards[p.current].first, p.shards[p.current].end
}

// pass is propagate, in which pushed states are gathered apart from those that were labelled
// before in the same ply.
func (p *shardedSteps) pass(s step, sources ...source) error {
	s.to = p.gathered
	return p.propagate(s, sources...)
}

// open labels the terminal states of a shard, and finds the plies in which its candidates are
// ready.
func (p *shardedSteps) open() error {
	from, to := p.words(p.current)
	memory.Clear(p.candidates, from, to)
	if err := p.readAbove(); err != nil {
		return err
	}
	if err := p.run(p.by.dropTerminals, nil); err != nil {
		return err
	}
	for ply := p.above.lastWon(); ply > 0; ply-- {
		err := p.eachWindow(p.above.won, ply, p.by.delta, func() error {
			return p.pass(p.by.readying(), source{p.by.toAbove, p.by.delta})
		})
		if err != nil {
			return err
		}
		if err := p.retire(p.nextLost, p.by.ready, ply, nil); err != nil {
			return err
		}
	}
	if err := p.run(p.by.readyRest, nil); err != nil {
		return err
	}
	if err := p.retire(p.nextLost, p.by.ready, 0, nil); err != nil {
		return err
	}
	if err := p.run(p.by.openTerminals, nil); err != nil {
		return err
	}
	first, end := p.sections()
	for i := first; i < end; i++ {
		p.loaded[i] = true
	}
	return p.leave(0, true)
}

// lastWon returns the last ply with won states, 0 where there is no class.
func (l *level) lastWon() int {
	if l == nil {
		return 0
	}
	return l.won.Plies() - 1
}

// label labels the states of a shard that are decided in a ply.
func (p *shardedSteps) label(ply int) error {
	first, end := p.sections()
	err := p.loadSections(func(section int) bool { return p.by.ready.Has(ply-1, section) })
	if err == nil {
		err = p.by.takeReady(ply-1, p.gathered, first, end)
	}
	if err != nil {
		return err
	}
	won, direct := source{p.within, p.news}, false
	err = p.eachWindow(p.level.won, ply-1, p.news, func() error {
		if err := p.loadTouched(won); err != nil {
			return err
		}
		if direct = direct || p.dense(won, p.by.directCost()); direct {
			return nil // all candidates are tested below
		}
		return p.pass(p.losing(), won)
	})
	if err == nil {
		err = p.pass(p.losing()) // those that are ready
	}
	if err == nil && direct {
		err = p.run(func(w *work.Worker, unit int) {
			if p.loaded[unit*p.units.Words/p.level.file.section] {
				p.by.testCandidates(w, unit)
			}
		}, nil)
	}
	for _, lost := range []struct {
		log *plylog.Log
		source
	}{{p.level.lost, source{p.within, p.news}}, {p.lostAbove(), source{p.by.toAbove, p.by.delta}}} {
		if err != nil {
			return err
		}
		err = p.eachWindow(lost.log, ply-1, lost.from, func() error {
			if err := p.loadTouched(lost.source); err != nil {
				return err
			}
			return p.pass(step{label: p.labelWonLater, among: p.undecided}, lost.source)
		})
	}
	if err != nil {
		return err
	}
	return p.leave(ply, false)
}

// labelWonLater labels touched undecided states as won, but not yet in the won plane.
func (p *shardedSteps) labelWonLater(w *work.Worker, unit int, touched, summary []uint64) {
	p.fixpoint.label(w, nil, p.newWon, unit, touched, summary)
}

// takeWins adds the won states of a ply to the won plane.
func (p *shardedSteps) takeWins(ply int) error {
	log := p.level.won
	if !log.Any(ply) {
		return nil
	}
	return p.class.Pool.Run(log.Sections(), func(w *work.Worker, section int) {
		p.class.Pool.Fail(log.Read(ply, section, &w.Log))
		first, _ := log.Section(section)
		for i, at := range w.Log.At {
			p.level.win[first+int(at)] |= w.Log.Words[i]
		}
	}, nil)
}

// eachWindow loads a ply of a log into an empty frontier, as many sections at once as a shard
// has, and calls a function for each window that has any states.
func (p *shardedSteps) eachWindow(log *plylog.Log, ply int, n *frontier, do func() error) error {
	if !log.Any(ply) {
		return nil
	}
	has := func(section int) bool { return log.Has(ply, section) }
	return eachWindow(0, log.Sections(), max(p.share/log.SectionWords(), 1), has, func(first, end int) error {
		if err := p.by.load(n, log, ply, first, end); err != nil {
			return err
		}
		if err := do(); err != nil {
			return err
		}
		from, _ := log.Section(first)
		_, to := log.Section(end - 1)
		err := p.clear(n)
		memory.Release(n.plane, from, to)
		return err
	})
}

// loadTouched reads the sections of the shard from which links lead to a frontier.
func (p *shardedSteps) loadTouched(s source) error {
	return p.loadSections(func(section int) bool {
		from, to := p.level.file.bounds(section)
		for block := from / p.level.words; block < to/p.level.words; block++ {
			for _, l := range s.links.of(block) {
				if s.from.fresh(int(l.child)) {
					return true
				}
			}
		}
		return false
	})
}

// loadSections reads the wanted sections of the shard that are not in memory.
func (p *shardedSteps) loadSections(wanted func(section int) bool) error {
	first, end := p.sections()
	var any atomic.Bool
	err := p.class.Pool.RunRange(first, end, func(_ *work.Worker, section int) {
		if p.loaded[section] || !wanted(section) {
			return
		}
		p.loaded[section] = true
		any.Store(true)
		from, to := p.level.file.bounds(section)
		p.class.Pool.Fail(p.level.file.take(losePlane, section, p.undecided[from:to]))
		p.class.Pool.Fail(p.left.take(candidatesPlane, section, p.candidates[from:to]))
	}, nil)
	if any.Load() && !p.opened {
		p.opened = true
		p.turns++
	}
	return err
}

// ofSection returns the part of a summary for a section.
func (p *shardedSteps) ofSection(summary []uint64, section int) []uint64 {
	first, end := p.left.bounds(section)
	perSum, words := p.newWon.perSum, p.level.words
	return summary[first/words*perSum : end/words*perSum]
}

// leave writes the sections of the shard that have changed in the ply, or all, to the work
// files, and their labels to the logs. It gives back their memory.
func (p *shardedSteps) leave(ply int, all bool) error {
	first, end := p.sections()
	err := p.class.Pool.RunRange(first, end, func(_ *work.Worker, section int) {
		loaded := p.loaded[section]
		p.loaded[section] = false
		if !loaded || !all && !p.by.ready.Has(ply-1, section) &&
			!bitslice.Any(p.ofSection(p.newWon.summary, section)) && !bitslice.Any(p.ofSection(p.newLost.summary, section)) {
			return
		}
		from, to := p.level.file.bounds(section)
		p.class.Pool.Fail(p.level.file.write(losePlane, section, p.undecided[from:to]))
		p.class.Pool.Fail(p.left.write(candidatesPlane, section, p.candidates[from:to]))
	}, nil)
	if err == nil {
		err = p.retire(p.newWon, p.level.won, ply, winsOf)
	}
	if err == nil {
		err = p.retire(p.newLost, p.level.lost, ply, lossesOf)
	}
	from, to := p.words(p.current)
	for _, plane := range [][]uint64{p.undecided, p.candidates, p.newWon.plane, p.newLost.plane, p.gathered.plane} {
		memory.Release(plane, from, to)
	}
	p.opened = false
	return err
}

// replay labels what the shard labelled before a ply, after open. The won plane gets the states of
// ply won.
func (p *shardedSteps) replay(ply, won int) error {
	if err := p.loadSections(func(int) bool { return true }); err != nil {
		return err
	}
	return p.eachSection(p.current, func(w *work.Worker, section int) {
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
		for _, log := range []*plylog.Log{p.level.won, p.level.lost} {
			read(log, ply, func(word int, states uint64) { p.undecided[word] &^= states })
		}
		p.class.Pool.Fail(p.level.file.write(losePlane, section, p.undecided[first:end]))
		p.class.Pool.Fail(p.left.write(candidatesPlane, section, p.candidates[first:end]))
		p.loaded[section] = false
	})
}

// retire is bySteps.retire for the shard.
func (p *shardedSteps) retire(n *frontier, log *plylog.Log, ply int, to countsBy) error {
	first, end := p.sections()
	return p.by.retire(n, log, ply, to, first, end)
}
