package retro

import (
	"context"
	"fmt"

	"backsolve/internal/bitslice"
	"backsolve/internal/plan"
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
	steps  *shardedSteps // of the class, nil without steps
	taken  int           // plies whose won states are in the won plane
	known  []bool        // sections of the class above that are in its file
	heard  [][]knowledge // by round and shard
	sealed []bool        // shards of the class
	buffer [2]plylog.Buffer
	words  []uint64 // of a section, scratch memory
}

// knowledge is what is known of the labels of a shard in a round.
type knowledge uint8

const (
	unknown  knowledge = iota
	wonKnown           // its won states are in the won plane, or in their log
	allKnown           // the logs have all
)

// ShardSource reads what other workers have found.
type ShardSource struct {
	// Above returns a section of the class above.
	Above func(section int) (*SolvedSection, error)
	// Labels calls take for each section in which a shard of the class labelled any states in a
	// round.
	Labels func(shard, round int, take func(l SectionLabels) error) error
}

// SolvedSection is a solved section of a class.
type SolvedSection struct {
	Section   int
	Win, Lose []uint64
	// Plies has what was labelled in each ply, ascending; none without steps.
	Plies []PlyLabels
}

// PlyLabels are the states of a section that are decided in a ply, in the form of logs.
type PlyLabels struct {
	Ply       int
	Won, Lost []byte // empty where there are none
}

// SectionLabels are the states of a section that a shard labelled in a round, in the form of logs.
type SectionLabels struct {
	Section   int
	Won, Lost []byte // nil where there are none
}

// ShardTask is a turn of a shard.
type ShardTask struct {
	Class, Shards, Shard, Round int
	// Labelled has for each round before a bit a shard: whether it labelled any states in it.
	Labelled []uint64
}

// NewShardWorker cuts a space, within the limits of the options, to solve shards of its classes. A
// *MemoryError says that the limit is too small. Once ctx ends, methods return its cause.
func NewShardWorker(ctx context.Context, space *partition.Space, o Options, source ShardSource) (*ShardWorker, error) {
	if space.Kind == partition.FixedSlice {
		return nil, fmt.Errorf("%s is not solved in shards", space.Board())
	}
	w := &ShardWorker{engine: newEngine(space, o.WithDefaults(), standard), source: source}
	w.elsewhere = true
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

func (w *ShardWorker) drop() {
	if w.class != nil {
		w.freeClass()
		w.class.level.free()
		w.class = nil
	}
	w.previous.free()
	w.previous = nil
}

func (w *ShardWorker) freeClass() {
	if w.steps != nil {
		w.steps.by.freeSteps()
		w.steps = nil
	}
	w.class.freeShards()
}

// enter begins a class in shards, unless it is in work, and its round.
func (w *ShardWorker) enter(t ShardTask) error {
	err := w.enterClass(t)
	for err == nil && len(w.heard) <= t.Round {
		w.heard = append(w.heard, make([]knowledge, t.Shards))
	}
	return err
}

// enterClass is enter without the round. It keeps what it knows of the class above.
func (w *ShardWorker) enterClass(t ShardTask) error {
	if t.Class < 0 || t.Class > w.cut.MaskBits || t.Shards < 1 || t.Shards > plan.MaxWorkerShards || t.Shard < 0 || t.Shard >= t.Shards || len(t.Labelled) < t.Round {
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
		w.freeClass()
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
			if w.previous, w.known = l, make([]bool, l.file.sections()); w.o.Steps {
				if err := w.newFileLogs(l.file, &l.won, &l.lost); err != nil {
					return err
				}
			}
		}
	}
	w.cut.Keep(t.Class)
	c := work.NewClass(w.cut, t.Class, w.pool)
	c.ResetCounts(0)
	s := newSharded(&job{engine: &w.engine, class: c, above: w.previous, level: newLevel(c.Class, w.ledger)})
	s.barrier = true
	if !w.o.Steps {
		s.loadLost = w.loadLost
	}
	w.class, w.heard, w.sealed, w.taken = s, nil, make([]bool, t.Shards), 0
	err := s.prepare(t.Shards)
	if err == nil && w.o.Steps {
		w.steps, err = newShardedSteps(s)
	}
	return err
}

func (w *ShardWorker) logs() *logs {
	if w.o.Steps {
		return &w.class.level.logs
	}
	return &w.class.logs
}

// guard forgets the class after an error: its planes may be half done.
func (w *ShardWorker) guard(err error) error {
	if err != nil {
		w.drop()
		w.pool = work.NewPool(w.pool.Context, w.o.Threads, w.o.TasksPerThread)
	}
	return err
}

// Turn takes a shard's turn, unless its result is known here. It reports whether any states were
// labelled, and up to which round turns are needed whether or not any are.
func (w *ShardWorker) Turn(t ShardTask) (labelled bool, until int, err error) {
	if err = w.enter(t); err != nil {
		return false, 0, w.guard(err)
	}
	s := w.class
	if known := &w.heard[t.Round][t.Shard]; *known != allKnown {
		if err = w.bring(t); err != nil {
			return false, 0, err
		}
		if w.steps != nil {
			err = w.ply(t)
		} else {
			err = s.turn(t.Shard, t.Round)
		}
		if w.guard(err) != nil {
			return false, 0, err
		}
		*known = allKnown
	}
	if until = 1; w.steps != nil {
		until = w.steps.by.until()
	}
	return s.labelled(t.Shard, t.Round), until, nil
}

// CountColumns counts the states of a section of a class from its columns. The error wraps
// ErrMiscounted where they cannot be those of one.
func (w *ShardWorker) CountColumns(class, section int, outcomes, steps [][]uint64) (*StateCounts, error) {
	c, win, lose := work.NewClass(w.cut, class, w.pool), outcomes[winPlane], outcomes[losePlane]
	first, end := w.sectioning(c.Class).bounds(section)
	if section < 0 || first >= end || len(win) != end-first || len(lose) != end-first {
		return nil, fmt.Errorf("%w: %w", ErrMiscounted, errSection)
	}
	valid := bitslice.Valid(c.IndexBits)
	for i, x := range win {
		if x&lose[i]|(x|lose[i])&^valid != 0 {
			return nil, fmt.Errorf("%w: section %d of class %d", ErrMiscounted, section, class)
		}
	}
	counts, err := c.CountBlocks(first/c.Words(), win, lose, steps, w.o.Steps)
	if w.class != nil {
		w.class.class.ResetCounts(0)
	}
	return counts, err
}

// Labels calls give for each section in which a shard labelled any states in a round whose turn was
// taken here, or is known.
func (w *ShardWorker) Labels(shard, round int, give func(l SectionLabels) error) error {
	for section := w.class.shards[shard].first; section < w.class.shards[shard].end; section++ {
		p, err := w.logs().labels(round, section, &w.buffer)
		if err == nil && (p.Won != nil || p.Lost != nil) {
			err = give(SectionLabels{section, p.Won, p.Lost})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Seal calls give with each section of a shard, after all rounds.
func (w *ShardWorker) Seal(t ShardTask, give func(of *SolvedSection) error) error {
	if err := w.enter(t); err != nil {
		return w.guard(err)
	}
	s := w.class
	if !w.sealed[t.Shard] {
		if err := w.bring(t); err != nil {
			return err
		}
		if w.steps != nil {
			w.takeWins(t.Round)
		}
		s.round = t.Round
		if err := w.guard(s.sealShard(t.Shard)); err != nil {
			return err
		}
		w.sealed[t.Shard], s.shards[t.Shard].rounds = true, 0
	}
	for section := s.shards[t.Shard].first; section < s.shards[t.Shard].end; section++ {
		solved, err := s.level.solvedSection(section)
		if err != nil {
			return err
		}
		if err := give(solved); err != nil {
			return err
		}
	}
	return nil
}
