package retro

import (
	"context"
	"fmt"
	"slices"

	"backsolve/partition"
	"backsolve/retro/internal/plylog"
	"backsolve/retro/internal/work"
)

// ShardWorker solves shards of classes for a scheduler in other processes. What it does in a turn
// depends only on the class above and on what shards labelled in earlier rounds, so that any worker
// can take over a shard. It keeps what it has read in work files. It is not safe for concurrent use
// and must be closed.
type ShardWorker struct {
	engine
	source ShardSource
	class  *sharded
	known  []bool    // sections of the class above that are in its file
	heard  [][]heard // by round and shard
	sealed []bool    // shards of the class
	buffer plylog.Buffer
}

// heard is what is known of the labels of a shard in a round.
type heard uint8

const (
	unknown heard = iota
	logged        // its turn was taken here
	added         // to the won plane, too; that must not have labels of the round in work
)

// ShardSource has what other workers have found.
type ShardSource interface {
	// Above fills the outcomes of a section of the class above.
	Above(section int, win, lose []uint64) error
	// Labels calls take for each section in which a shard of the class labelled any states in a
	// round.
	Labels(shard, round int, take func(l SectionLabels) error) error
}

// SectionLabels are the states of a section that a shard labelled in a round, in the form of logs.
type SectionLabels struct {
	Section   int
	Won, Lost []byte // nil where there are none
}

// ShardTask is a turn of a shard.
type ShardTask struct {
	Class, Shards, Shard, Round int
	// Labelled has for each round before whether each shard labelled any states in it.
	Labelled [][]bool
}

// NewShardWorker cuts a space, within the limits of the options, to solve shards of its classes. A
// *MemoryError says that the limit is too small. Once ctx ends, methods return its cause.
func NewShardWorker(ctx context.Context, space *partition.Space, o Options, source ShardSource) (*ShardWorker, error) {
	if space.Kind == partition.FixedSlice {
		return nil, fmt.Errorf("%s is not solved in shards", space.Board())
	}
	w := &ShardWorker{engine: newEngine(space, o.WithDefaults(), standard), source: source}
	w.elsewhere = true
	w.progress = work.NewProgress(nil, 0)
	if err := w.begin(ctx, space); err != nil {
		w.ledger.Close()
		return nil, err
	}
	return w, nil
}

// Close frees the memory and the work files.
func (w *ShardWorker) Close() {
	w.drop()
	w.cut.Free()
	w.ledger.Close()
}

// drop forgets the class in work and the one above.
func (w *ShardWorker) drop() {
	if w.class != nil {
		w.class.freeShards()
		w.class.level.free()
		w.class = nil
	}
	if w.previous != nil {
		w.previous.free()
		w.previous = nil
	}
}

// enter begins a class in shards, unless it is in work. It keeps what it knows of the class above.
func (w *ShardWorker) enter(t ShardTask) error {
	if t.Class < 0 || t.Class > w.cut.MaskBits || t.Shards < 1 || t.Shard < 0 || t.Shard >= t.Shards || len(t.Labelled) < t.Round {
		return fmt.Errorf("there is no shard %d of %d of class %d in round %d", t.Shard, t.Shards, t.Class, t.Round)
	}
	if s := w.class; s != nil && s.class.Class.Class == t.Class && len(s.shards) == t.Shards {
		return nil
	}
	if s := w.class; s != nil && s.class.Class.Class == t.Class+1 {
		w.known = make([]bool, s.level.file.sections())
		for i, of := range s.shards {
			for section := of.first; section < of.end; section++ {
				w.known[section] = w.sealed[i]
			}
		}
		s.freeShards()
		w.freePrevious()
		w.previous, w.class = s.level, nil
	}
	if w.previous == nil || w.class != nil || w.previous.class.Class != t.Class+1 {
		w.drop()
		if t.Class < w.cut.MaskBits {
			l := newLevel(w.cut.Class(t.Class+1), w.ledger)
			var err error
			if l.file, err = w.newPlaneFile(l.class, outcomePlanes); err != nil {
				return err
			}
			w.previous, w.known = l, make([]bool, l.file.sections())
		}
	}
	c := work.NewClass(w.cut, t.Class, w.pool)
	c.ResetCounts(0)
	s := newSharded(&job{engine: &w.engine, class: c, above: w.previous, level: newLevel(c.Class, w.ledger)})
	s.barrier = true
	w.class, w.heard, w.sealed = s, nil, make([]bool, t.Shards)
	return s.prepare(t.Shards)
}

// guard forgets the class after an error: its planes may be half done.
func (w *ShardWorker) guard(err error) error {
	if err != nil {
		w.drop()
		w.pool = work.NewPool(w.pool.Context(), w.o.Threads, w.o.TasksPerThread)
	}
	return err
}

// Turn takes a shard's turn, unless its result is known here. It reports whether any states were
// labelled.
func (w *ShardWorker) Turn(t ShardTask) (labelled bool, err error) {
	if err = w.enter(t); err != nil {
		return false, w.guard(err)
	}
	s := w.class
	for len(w.heard) <= t.Round {
		w.heard = append(w.heard, make([]heard, t.Shards))
	}
	if w.heard[t.Round][t.Shard] != unknown {
		return s.labelled(t.Shard, t.Round), nil
	}
	if err = w.hear(t); err == nil {
		err = w.restore(t)
	}
	if err != nil {
		return false, err
	}
	if err = w.guard(s.turn(t.Shard, t.Round)); err != nil {
		return false, err
	}
	w.heard[t.Round][t.Shard] = logged
	return s.labelled(t.Shard, t.Round), nil
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
	if w.heard[round][k] == unknown {
		s.beginRound(round)
		s.setLabelled(k, round, labelled)
	}
	if w.heard[round][k] == unknown && labelled {
		err := w.source.Labels(k, round, func(l SectionLabels) error {
			if l.Section < s.shards[k].first || l.Section >= s.shards[k].end {
				return fmt.Errorf("shard %d has no section %d", k, l.Section)
			}
			for _, of := range []struct {
				log   *plylog.Log
				chunk []byte
			}{{s.won, l.Won}, {s.lost, l.Lost}} {
				if len(of.chunk) == 0 {
					continue
				}
				if err := of.log.AppendChunk(round, l.Section, of.chunk, &w.buffer); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
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

// forgetAbove gives back the disk that the class above takes, once shards are opened.
func (w *ShardWorker) forgetAbove() (err error) {
	if above := w.class.above; above != nil && slices.Contains(w.known, true) {
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
	file := s.above.file
	win, lose := make([]uint64, file.section), make([]uint64, file.section)
	for section := range needed {
		if w.known[section] || !needed[section].Load() {
			continue
		}
		first, end := file.bounds(section)
		if err := w.source.Above(section, win[:end-first], lose[:end-first]); err != nil {
			return err
		}
		if err := s.above.write(first, win[:end-first], lose[:end-first]); err != nil {
			return err
		}
		w.known[section] = true
	}
	return nil
}

// Labels calls give for each section in which a shard labelled any states in a round whose turn was
// taken here, or is known.
func (w *ShardWorker) Labels(shard, round int, give func(l SectionLabels) error) error {
	s := w.class
	var other plylog.Buffer
	for section := s.shards[shard].first; section < s.shards[shard].end; section++ {
		won, err := s.won.Chunk(round, section, &w.buffer)
		if err != nil {
			return err
		}
		lost, err := s.lost.Chunk(round, section, &other)
		if err != nil {
			return err
		}
		if won != nil || lost != nil {
			if err := give(SectionLabels{section, won, lost}); err != nil {
				return err
			}
		}
	}
	return nil
}

// Seal calls give with the outcomes of each section of a shard, after all rounds.
func (w *ShardWorker) Seal(t ShardTask, give func(section int, win, lose []uint64) error) error {
	if err := w.enter(t); err != nil {
		return w.guard(err)
	}
	s := w.class
	for len(w.heard) <= t.Round {
		w.heard = append(w.heard, make([]heard, t.Shards))
	}
	if !w.sealed[t.Shard] {
		err := w.hear(t)
		if err == nil {
			err = w.restore(t)
		}
		if err != nil {
			return err
		}
		if err := w.guard(s.sealShard(t.Shard)); err != nil {
			return err
		}
		w.sealed[t.Shard], s.shards[t.Shard].rounds = true, 0
	}
	win, lose := make([]uint64, s.level.file.section), make([]uint64, s.level.file.section)
	for section := s.shards[t.Shard].first; section < s.shards[t.Shard].end; section++ {
		first, end := s.level.file.bounds(section)
		dst := [][]uint64{win[:end-first], lose[:end-first]}
		if err := s.level.readOutcomes(dst, first); err != nil {
			return err
		}
		if err := give(section, dst[0], dst[1]); err != nil {
			return err
		}
	}
	return nil
}
