// Package generic solves any game whose positions have numbers of 64 bits: it finds all
// states that play can reach, tier by tier from the first, and their values, tier by tier
// from the last. What it has done lies in a work directory, so that a solve resumes after
// a kill; the system's page cache holds as much of it as fits.
package generic

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"backsolve/game/custom"
	"backsolve/internal/parallel"
	"backsolve/internal/radix"
	"backsolve/tablebase"
	"backsolve/tablebase/sparse"
)

// ErrRules is the cause when the rules of a game contradict themselves.
var ErrRules = errors.New("the rules break the contract of package custom")

// Options say how to solve.
type Options struct {
	// Threads is how many goroutines work, 0 for one on each processor.
	Threads int
	// Memory bounds the bytes that the solve takes besides its files, 0 for no bound. A tier
	// with loops needs 6 bytes a state, and is solved faster with more.
	Memory int64
	// Outcomes leaves out the steps. Without it, a game is refused if a line of best play has
	// MostPlies plies or more.
	Outcomes bool
	// Force has Make overwrite a table, and start over where an interrupted solve is of other
	// rules or damaged.
	Force bool
	// Progress is called now and then, by one goroutine at a time; it may be nil.
	Progress func(tablebase.Event)
}

// The stages of a solve, besides tablebase.Solving: estimating what it takes; finding the states;
// then, after their values, writing the table.
const (
	Planning    = "plan"
	Enumerating = "enumerate"
	Writing     = "write"
	// Enumerated: the tier has been found, and has Done states.
	Enumerated = "enumerated"
)

// Solution has the values of all states that play can reach. Its files lie in the work
// directory until Remove.
type Solution struct {
	rules     custom.Rules
	o         Options
	threads   int
	mostMoves int // that a goroutine collects at once, 0 for no limit
	work      *work
	expanders sync.Pool // of custom.Expander
	keys      []tierKeys
	lock      sync.Mutex // of runs and now
	now       tablebase.Event
	runs      [][]file   // by tier
	solved    []file     // the values of tiers, the last tier's first
	values    [][]score  // by tier, nil where it is not solved
	outcomes  [][]uint32 // by tier of ranks, 16 in a word, nil where values has it or it is not solved
	begun     begun
	states    int
	saved     time.Time // when the last checkpoint was made, or the solve began
}

// Solve solves a game in a work directory, which it makes, or resumes the solve there. The
// error wraps ErrRules, ErrWork, ErrMemory, or is the context's or the system's.
func Solve(ctx context.Context, dir string, rules custom.Rules, o Options) (*Solution, error) {
	return open(ctx, dir, rules, o, func(s *Solution) error {
		if ranked, ok := rules.(custom.Ranked); ok {
			return s.solveRanked(ctx, ranked)
		}
		return s.solveAll(ctx)
	})
}

// Check finds all states that play can reach, holds the rules to their contract at each, and returns
// how many there are. It works in a temporary directory. The error comes from Solve.
func Check(ctx context.Context, rules custom.Rules, o Options) (states int, err error) {
	dir, err := os.MkdirTemp("", "backsolve-rules-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s, err := open(ctx, dir, checked{rules}, o, func(*Solution) error { return nil })
	if err != nil {
		return 0, failed(dir, err)
	}
	return s.States(), s.Close()
}

// checked are rules that are held to their contract wherever they are asked. They have no ranks, so
// that states are found by moves forward.
type checked struct{ custom.Rules }

func (c checked) NewExpander() custom.Expander { return c.NewChecker() }
func (c checked) Fingerprint() uint64          { return custom.Fingerprint(c.Rules) }

// open opens or makes a work directory, finds all states, and goes on.
func open(ctx context.Context, dir string, rules custom.Rules, o Options, goOn func(*Solution) error) (*Solution, error) {
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if n := rules.Tiers(); n < 1 || n > custom.MaxTiers {
		return nil, fmt.Errorf("%w: it has %d tiers, of 1 to %d", ErrRules, n, custom.MaxTiers)
	}
	s := &Solution{rules: rules, o: o, threads: o.Threads, saved: time.Now()}
	if o.Memory > 0 { // a quarter, for edges and as many to sort them
		s.mostMoves = int(max(o.Memory/4/int64(o.Threads)/int64(2*unsafe.Sizeof(radix.Entry{})), 1))
	}
	s.expanders.New = func() any { return rules.NewExpander() }
	err := s.begin(dir)
	if _, ranked := rules.(custom.Ranked); err == nil && !ranked {
		err = s.enumerate(ctx)
	}
	if err == nil {
		err = goOn(s)
	}
	if err != nil {
		if s.work != nil {
			err = errors.Join(err, s.work.close())
		}
		return nil, err
	}
	return s, nil
}

func (s *Solution) expander() custom.Expander { return s.expanders.Get().(custom.Expander) }

func (s *Solution) begin(dir string) (err error) {
	first, err := newCheckpoint(s.rules)
	if err != nil {
		return err
	}
	first.Outcomes = s.o.Outcomes
	if s.work, err = openWork(dir, first); err != nil {
		return err
	}
	c := &s.work.done
	s.runs, s.values, s.solved = slices.Clone(c.Runs), make([][]score, first.Tiers), c.Values
	if c.Outcomes == s.o.Outcomes {
		s.begun = c.Begun
	}
	for _, f := range c.files() {
		if err := s.work.check(f); err != nil {
			return err
		}
	}
	for _, files := range c.Keys {
		keys, err := s.open(files)
		if err != nil {
			return err
		}
		s.keys = append(s.keys, keys)
		s.states += keys.len()
	}
	if len(s.keys) > 0 || len(c.Runs[0]) > 0 || c.Ranks != nil {
		return nil
	}
	f, err := s.work.write(encode(segment{}, []uint64{first.Start}))
	s.runs[s.rules.Start().Tier] = []file{f}
	return err
}

func newCheckpoint(rules custom.Rules) (checkpoint, error) {
	start, err := startOf(rules)
	if err != nil {
		return checkpoint{}, err
	}
	tiers := rules.Tiers()
	sizes, err := sizesOf(rules)
	return checkpoint{Game: rules.Name(), Start: start.Key, Tiers: tiers, Ranks: sizes, Rules: custom.ShortFingerprint(rules), Fingerprint: custom.Fingerprint(rules), Runs: make([][]file, tiers)}, err
}

func startOf(rules custom.Rules) (custom.Child, error) {
	start := rules.Start()
	if start.Tier < 0 || start.Tier >= rules.Tiers() {
		return start, fmt.Errorf("%w: the start is in tier %d of %d", ErrRules, start.Tier, rules.Tiers())
	}
	return start, nil
}

func (s *Solution) open(files []file) (tierKeys, error) {
	k := tierKeys{files: files}
	n := 0
	for _, f := range files {
		segment, err := s.work.segment(f)
		if err != nil {
			return k, err
		}
		k.segments, k.base = append(k.segments, segment), append(k.base, n)
		n += segment.n
	}
	return k, nil
}

// each calls f for 0..n-1, each once, by threads workers, until one call fails or the
// context ends. worker is below threads, and no two calls with the same one run at once.
func each(ctx context.Context, threads, n int, f func(worker, i int) error) error {
	var workers atomic.Int64
	err := parallel.Each(n, threads, func(next func() (int, bool)) error {
		worker := int(workers.Add(1)) - 1
		for i, more := next(); more && ctx.Err() == nil; i, more = next() {
			if err := f(worker, i); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return context.Cause(ctx)
}

// saveEvery is how long a solve works between checkpoints. Tests make it short.
var saveEvery = 2 * time.Second

// save makes a checkpoint, unless the last one is recent.
func (s *Solution) save() error {
	if time.Since(s.saved) < saveEvery {
		return nil
	}
	defer func() { s.saved = time.Now() }()
	c := s.work.done
	c.Keys, c.Outcomes = nil, s.o.Outcomes
	for _, k := range s.keys {
		c.Keys = append(c.Keys, k.files)
	}
	c.Runs, c.Values, c.Begun = slices.Clone(s.runs), s.solved, s.begun
	old := s.work.done.Begun
	if err := s.work.save(c); err != nil || old == s.begun || old == (begun{}) {
		return err
	}
	return s.work.drop([]file{old.Cells})
}

func (s *Solution) report(stage string, tier, done, states int) {
	s.lock.Lock()
	s.now = tablebase.Event{Stage: stage, At: tier, Unit: "states", Done: uint64(done), Total: uint64(states)}
	s.lock.Unlock()
	s.advance(0)
}

func (s *Solution) advance(states int) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.now.Done += uint64(states)
	tablebase.Tell(s.o.Progress, s.now)
}

// States returns the number of states.
func (s *Solution) States() int { return s.states }

// Tier returns the states of a tier, by ascending key.
func (s *Solution) Tier(tier int) iter.Seq2[uint64, sparse.Value] {
	return func(yield func(uint64, sparse.Value) bool) {
		if ranked, ok := s.rules.(custom.Ranked); ok {
			s.ranks(tier, ranked.Size(tier), yield)
			return
		}
		var keys []uint64
		for _, b := range s.keys[tier].tasks(1) {
			keys = b.of.block(keys[:0], b.first)
			if s.now.Stage == Writing && b.first%expandBlocks == 0 {
				s.advance(min(b.of.n-b.first*blockKeys, expandBlocks*blockKeys) / 2) // each tier is read twice
			}
			for i, key := range keys {
				if !yield(key, s.value(s.values[tier][b.base+b.first*blockKeys+i])) {
					return
				}
			}
		}
	}
}

func (s *Solution) ranks(tier int, n uint64, yield func(uint64, sparse.Value) bool) {
	for rank := range n {
		if s.now.Stage == Writing && rank%passCells == passCells-1 {
			s.advance(int(passCells / 2))
		}
		if v := s.known(tier, rank); v != 0 && !yield(rank, s.value(v)) {
			return
		}
	}
}

func (s *Solution) value(v score) sparse.Value {
	value := v.value()
	if s.o.Outcomes {
		value.Steps = -1
	}
	return value
}

// Remove removes the work directory. The solution must not be used any more.
func (s *Solution) Remove() error { return s.work.remove() }

// Close leaves the work directory as it is. The solution must not be used any more.
func (s *Solution) Close() error { return s.work.close() }
