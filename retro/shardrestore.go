package retro

import (
	"fmt"
	"slices"
)

// ply takes a shard's turn with steps. The round is the ply.
func (w *ShardWorker) ply(t ShardTask) error {
	p, s := w.steps, w.class
	if t.Round > 0 { // restore has opened it
		if err := w.takeWins(t.Round); err != nil {
			return err
		}
		s.choose(t.Shard)
		if err := p.label(t.Round); err != nil {
			return err
		}
	}
	s.shards[t.Shard].rounds = t.Round + 1
	first, end := p.sections()
	labelled := false
	for section := first; section < end; section++ {
		labelled = labelled || s.level.won.Has(t.Round, section) || s.level.lost.Has(t.Round, section)
	}
	s.setLabelled(t.Shard, t.Round, labelled)
	return nil
}

// takeWins adds the won states of the plies before to the won plane.
func (w *ShardWorker) takeWins(plies int) error {
	for ; w.taken < plies; w.taken++ {
		if err := w.steps.takeWins(w.taken); err != nil {
			return err
		}
	}
	return nil
}

// hear reads what other workers' shards labelled in the rounds before.
func (w *ShardWorker) hear(t ShardTask) error {
	for round := range t.Round {
		for k, labelled := range t.Labelled[round] {
			if w.heard[round][k] != unknown {
				continue
			}
			w.class.setLabelled(k, round, labelled)
			if labelled {
				if err := w.hearShard(k, round); err != nil {
					return err
				}
			}
			w.heard[round][k] = heard
		}
	}
	return nil
}

// hearShard reads what a shard labelled in a round. Without steps, its first won states are news to
// nobody: shards test all their blocked states in the next turn. So they go to the won plane alone.
func (w *ShardWorker) hearShard(k, round int) error {
	s := w.class
	won, lost := w.logs()
	file := s.level.file
	win := make([]uint64, file.section)
	return w.source.Labels(k, round, func(l SectionLabels) error {
		if l.Section < s.shards[k].first || l.Section >= s.shards[k].end {
			return fmt.Errorf("shard %d has no section %d", k, l.Section)
		}
		if w.o.Steps || round > 0 {
			return appendLabels(won, lost, l.Section, PlyLabels{round, l.Won, l.Lost}, &w.buffer)
		}
		if err := appendLabels(nil, lost, l.Section, PlyLabels{round, nil, l.Lost}, &w.buffer); err != nil || len(l.Won) == 0 {
			return err
		}
		if err := won.Unpack(l.Section, l.Won, &w.buffer); err != nil {
			return err
		}
		first, end := file.bounds(l.Section)
		win := win[:end-first]
		clear(win)
		for i, at := range w.buffer.At {
			win[at] = w.buffer.Words[i]
		}
		s.known[l.Section] = 1
		return file.write(winPlane, l.Section, win)
	})
}

// restore brings a shard to its state before its turn. What it labelled is in the logs.
func (w *ShardWorker) restore(t ShardTask) error {
	s := w.class
	if s.shards[t.Shard].rounds == t.Round && t.Round > 0 {
		return w.forgetAbove()
	}
	if w.steps != nil {
		return w.restorePly(t)
	}
	if s.current == t.Shard {
		s.exit()
	}
	s.shards[t.Shard].rounds = 0
	err := w.guard(s.enter(t.Shard))
	if err == nil && s.above != nil {
		err = w.fetchAbove()
	}
	if err != nil || t.Round == 0 {
		return err
	}
	return w.guard(s.restore(t.Round))
}

// restorePly opens a shard, and labels what it labelled before its turn. That also clears its part of
// the won plane, so it gets back the plies that the other parts have.
func (w *ShardWorker) restorePly(t ShardTask) error {
	w.class.choose(t.Shard)
	if w.class.above != nil {
		if err := w.fetchAbove(); err != nil {
			return err
		}
	}
	err := w.steps.open()
	if err == nil && max(t.Round, w.taken) > 0 {
		err = w.steps.replay(t.Round, w.taken)
	}
	return w.guard(err)
}

// forgetAbove gives back the disk that the class above takes, once shards are opened.
func (w *ShardWorker) forgetAbove() (err error) {
	if above := w.class.above; above != nil && !w.o.Steps && slices.Contains(w.known, true) {
		clear(w.known)
		above.file.close()
		above.file, err = w.newPlaneFile(above.class, outcomePlanes)
	}
	return err
}

// fetchAbove reads the sections of the class above that the shard in memory needs.
func (w *ShardWorker) fetchAbove() error {
	s := w.class
	needed, err := s.neededAbove()
	if err != nil {
		return w.guard(err)
	}
	for section := range needed {
		if w.known[section] || !needed[section].Load() {
			continue
		}
		of, err := w.source.Above(section)
		if err == nil {
			err = s.above.takeSection(of, &w.buffer)
		}
		if err != nil {
			return err
		}
		w.known[section] = true
	}
	return nil
}
