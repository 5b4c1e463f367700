package retro

import (
	"fmt"
	"slices"
)

// ply takes a shard's turn with steps. The round is the ply.
func (w *ShardWorker) ply(t ShardTask) error {
	p, s := w.steps, w.class
	if t.Round > 0 { // restore has opened it
		w.takeWins(t.Round)
		p.choose(t.Shard)
		if err := p.label(t.Round); err != nil {
			return err
		}
	}
	s.shards[t.Shard].rounds = t.Round + 1
	first, end := p.sections(s.level.won)
	labelled := false
	for section := first; section < end; section++ {
		labelled = labelled || s.level.won.Has(t.Round, section) || s.level.lost.Has(t.Round, section)
	}
	s.setLabelled(t.Shard, t.Round, labelled)
	return nil
}

func (w *ShardWorker) takeWins(plies int) {
	for ; w.taken < plies; w.taken++ {
		w.steps.takeWins(w.taken)
	}
}

// hear reads what other workers' shards labelled in the rounds before. With steps that goes to the
// logs. Without, the states that others lost are news in one turn alone, whose loadLost reads them with
// those won; hear only adds won states that were missed.
func (w *ShardWorker) hear(t ShardTask) error {
	for round := range t.Round {
		for k := range t.Shards {
			want, labelled := allKnown, t.Labelled[round]>>k&1 == 1
			if !w.o.Steps && k != t.Shard {
				want = wonKnown
			}
			w.class.setLabelled(k, round, labelled)
			if w.heard[round][k] >= want || want == wonKnown && round == t.Round-1 {
				continue
			}
			take := func(l SectionLabels) error {
				if want == wonKnown {
					return w.addWon(l, round)
				}
				return w.logs().add(l.Section, PlyLabels{round, l.Won, l.Lost}, &w.buffer[0])
			}
			if labelled {
				if err := w.labels(k, round, take); err != nil {
					return err
				}
			}
			w.heard[round][k] = want
		}
	}
	return nil
}

func (w *ShardWorker) labels(k, round int, take func(l SectionLabels) error) error {
	s := w.class
	return w.source.Labels(k, round, func(l SectionLabels) error {
		if l.Section < s.shards[k].first || l.Section >= s.shards[k].end {
			return fmt.Errorf("shard %d has no section %d", k, l.Section)
		}
		return take(l)
	})
}

// addWon adds the won states of a section to the won plane. The first ones, half of the states, are
// news to nobody, as shards test all their blocked states in the next turn. So they are not logged.
func (w *ShardWorker) addWon(l SectionLabels, round int) error {
	s, b := w.class, &w.buffer[0]
	if round > 0 || len(l.Won) == 0 {
		return s.add(l.Section, PlyLabels{round, l.Won, nil}, b)
	}
	if err := s.won.Unpack(l.Section, l.Won, b); err != nil {
		return err
	}
	first, end := s.level.file.bounds(l.Section)
	w.words = slices.Grow(w.words[:0], end-first)[:end-first]
	clear(w.words)
	for i, at := range b.At {
		w.words[at] = b.Words[i]
	}
	s.known[l.Section] = 1
	return s.level.file.write(winPlane, l.Section, w.words)
}

// loadLost loads the states that a shard lost in a round into the frontier of news. Those won are added
// to the won plane, unless they are there.
func (w *ShardWorker) loadLost(k, round int) error {
	s, known, b := w.class, &w.heard[round][k], &w.buffer[0]
	if *known == allKnown {
		s.load(s.news, s.lost, round, s.shards[k].first, s.shards[k].end)
		return nil
	}
	err := w.labels(k, round, func(l SectionLabels) error {
		if len(l.Lost) > 0 {
			if err := s.lost.Unpack(l.Section, l.Lost, b); err != nil {
				return err
			}
			first, _ := s.level.file.bounds(l.Section)
			s.news.add(w.pool.Workers[0], first, b.At, b.Words)
		}
		if *known == unknown {
			return w.addWon(l, round)
		}
		return nil
	})
	if err == nil {
		*known = wonKnown
	}
	return err
}

// bring brings a shard to its state before its turn.
func (w *ShardWorker) bring(t ShardTask) error {
	if err := w.hear(t); err != nil {
		return err
	}
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
	w.steps.choose(t.Shard)
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

func (w *ShardWorker) fetchAbove() error {
	s := w.class
	needed := s.neededAbove(s.above.file.section)
	if err := w.guard(w.pool.Cause()); err != nil {
		return err
	}
	for section := range needed {
		if w.known[section] || !needed[section].Load() {
			continue
		}
		of, err := w.source.Above(section)
		if err == nil {
			err = s.above.takeSection(of, &w.buffer[0])
		}
		if err != nil {
			return err
		}
		w.known[section] = true
	}
	return nil
}
