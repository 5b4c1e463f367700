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

// hear reads what shards labelled in the rounds before, and adds it to the won plane.
func (w *ShardWorker) hear(t ShardTask) error {
	for round := range t.Round {
		for k, labelled := range t.Labelled[round] {
			if w.heard[round][k] == added {
				continue
			}
			if err := w.hearShard(k, round, labelled); err != nil {
				return err
			}
			w.heard[round][k] = added
		}
	}
	return nil
}

// hearShard reads what a shard labelled in a round, and adds it to the won plane.
func (w *ShardWorker) hearShard(k, round int, labelled bool) error {
	s := w.class
	won, lost := w.logs()
	if w.heard[round][k] == unknown {
		s.setLabelled(k, round, labelled)
	}
	if w.heard[round][k] == unknown && labelled {
		err := w.source.Labels(k, round, func(l SectionLabels) error {
			if l.Section < s.shards[k].first || l.Section >= s.shards[k].end {
				return fmt.Errorf("shard %d has no section %d", k, l.Section)
			}
			return appendLabels(won, lost, l.Section, PlyLabels{round, l.Won, l.Lost}, &w.buffer)
		})
		if err != nil {
			return err
		}
	}
	if w.o.Steps {
		return nil // takeWins adds them
	}
	file := s.level.file
	win := make([]uint64, file.section)
	for section := s.shards[k].first; section < s.shards[k].end; section++ {
		if round > 0 && !s.won.Has(round, section) {
			continue
		}
		first, end := file.bounds(section)
		win := win[:end-first]
		if clear(win); round > 0 {
			if err := file.take(winPlane, section, win); err != nil {
				return err
			}
		}
		if err := s.won.Read(round, section, &w.buffer); err != nil {
			return err
		}
		for i, at := range w.buffer.At {
			win[at] |= w.buffer.Words[i]
		}
		if err := file.write(winPlane, section, win); err != nil {
			return err
		}
	}
	return nil
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

// restorePly opens a shard, and labels what it labelled before its turn.
func (w *ShardWorker) restorePly(t ShardTask) error {
	w.class.choose(t.Shard)
	if w.class.above != nil {
		if err := w.fetchAbove(); err != nil {
			return err
		}
	}
	err := w.steps.open()
	if err == nil && t.Round > 0 {
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
