// Package endgame solves positions that no table knows, each as the start of a game of its own. Othello and
// Ultimate Tic-Tac-Toe are searched, and tiny endgames without a plan; others are solved by package retro, in
// memory or through work files. One that takes more time, memory or disk than allowed is refused with an estimate.
package endgame

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize"

	"backsolve/game"
	"backsolve/game/notakto"
	"backsolve/internal/probe"
	"backsolve/internal/recent"
	"backsolve/internal/search"
	"backsolve/partition"
	"backsolve/retro"
	"backsolve/tablebase"
)

// Limits bound the solving of endgames.
type Limits struct {
	// Timeout is the time for the answer to a question.
	Timeout time.Duration
	// Memory is the memory in bytes of all questions worked on at once, 0 for any.
	Memory int64
	// Threads is the number of threads for one question, 0 for all cores.
	Threads int
	// Concurrency is the number of questions worked on at once, 0 for one.
	Concurrency int
	// Scratch is the directory for work files where memory lacks, or empty, and Disk their bytes.
	Scratch string
	Disk    int64
}

func (l Limits) memoryPerQuestion() int64 { return l.Memory / int64(max(l.Concurrency, 1)) }

// smallTree is how many positions take milliseconds to visit, less than a plan does.
const smallTree = 1 << 13

// recentRatings is how many ratings are kept: a main line and a player ask for the same states again.
const recentRatings = 2000

// Solver solves endgames within limits. It is safe for concurrent use.
type Solver struct {
	limits  Limits
	running chan struct{} // a semaphore
	recent  recent.Cache[string, atomic.Pointer[probe.Rating]]
	small   int // positions; smallTree except in tests
}

// New returns a solver.
func New(l Limits) *Solver {
	l.Concurrency = max(l.Concurrency, 1)
	if l.Threads <= 0 {
		l.Threads = runtime.GOMAXPROCS(0)
	}
	return &Solver{limits: l, running: make(chan struct{}, l.Concurrency), small: smallTree, recent: recent.Cache[string, atomic.Pointer[probe.Rating]]{Limit: recentRatings}}
}

// Answerer returns an answerer for a board until ctx ends; see probe.Solver.
func (s *Solver) Answerer(ctx context.Context, rules game.Rules, steps bool) (probe.Answerer, error) {
	b, err := newBoard(rules)
	if err != nil {
		return nil, err
	}
	switch b.(type) {
	case searchedEndgame:
		steps = false // find who wins, but not how soon
	case bounded:
		steps = true
	}
	return &probe.Rater{
		Rules: rules, Source: probe.FromSearch, Steps: steps,
		Context: func() (context.Context, context.CancelFunc) {
			return context.WithTimeoutCause(ctx, s.limits.Timeout, errTimeout)
		},
		RateState: func(ctx context.Context, rules game.Rules, state game.State) (probe.Rating, error) {
			outcome, over := rules.Terminal(state)
			if !over {
				return s.rate(ctx, b, rules, state, steps)
			}
			r := probe.Rating{Value: probe.TerminalValue(outcome, steps)}
			if b, ok := b.(searchedEndgame); ok {
				r.Score = b.scoreOf(b.ending.Score(state))
			}
			return r, nil
		},
	}, nil
}

func newBoard(rules game.Rules) (board, error) {
	info := rules.Info()
	if info.Name == notakto.Game.Name && game.Size(info.Size).Plain() {
		return notaktoEndgame{rules: rules, info: info}, nil
	}
	if ending, ok := search.NewEnding(rules); ok {
		return searchedEndgame{ending: ending}, nil
	}
	grid, ok := game.GridOf(rules)
	if ok && partition.Solvable(info) == nil {
		space, err := partition.New(grid)
		return gridEndgame{rules: grid, space: space}, err
	}
	why := unknown("no position of %v can be solved on demand, as even endgames have too many states", info)
	if b, ok := newBounded(rules, why); ok {
		return b, nil
	}
	return nil, why
}

type board interface {
	// endgame returns the endgame of a state that is not over.
	endgame(s game.State, steps bool) (endgame, error)
}

type endgame interface {
	// cost estimates the effort of solving it.
	cost(l Limits) cost
	// solve returns the moves in any order. The error is the cause of ctx if that ends.
	solve(ctx context.Context, l Limits) (probe.Value, []probe.Rated, error)
}

type cost struct {
	seconds float64 // of one thread
	bytes   int64   // of memory
	disk    int64   // bytes of work files
}

// LimitError reports that an endgame takes more than allowed. It is a probe.ErrUnknown.
type LimitError struct {
	Seconds float64 // by the clock
	Bytes   int64
	Disk    int64 // bytes of work files, 0 if there are none
	Limits  Limits
}

func (e *LimitError) Error() string {
	memory := "more memory than there is"
	if e.Bytes < 1<<50 {
		memory = humanize.IBytes(uint64(max(e.Bytes, 1<<20))) + " of memory"
	}
	if e.Disk > 0 {
		memory += " and " + humanize.IBytes(uint64(e.Disk)) + " of work files"
	}
	var allowed []string
	if e.ExceedsTime() {
		allowed = append(allowed, e.Limits.Timeout.String())
	}
	if e.ExceedsMemory() {
		allowed = append(allowed, humanize.IBytes(uint64(e.Limits.Memory))+" of memory")
	}
	if e.ExceedsDisk() {
		allowed = append(allowed, humanize.IBytes(uint64(e.Limits.Disk))+" of work files")
	}
	return fmt.Sprintf("solving the rest of the game now takes about %s and %s, which is more than allowed: %s",
		secondsText(e.Seconds), memory, strings.Join(allowed, " and "))
}

// ExceedsTime reports whether it takes too much time.
func (e *LimitError) ExceedsTime() bool { return e.Seconds > e.Limits.Timeout.Seconds() }

// ExceedsMemory reports whether it takes too much memory.
func (e *LimitError) ExceedsMemory() bool {
	limit := e.Limits.memoryPerQuestion()
	return limit > 0 && e.Bytes > limit
}

// ExceedsDisk reports whether its work files are too large.
func (e *LimitError) ExceedsDisk() bool { return e.Disk > e.Limits.Disk }

// Is makes the error a probe.ErrUnknown.
func (e *LimitError) Is(target error) bool { return target == probe.ErrUnknown }

func secondsText(seconds float64) string {
	const year = 365.25 * 86400
	if seconds < 1.5 {
		return "a second"
	}
	for _, unit := range []struct {
		below, seconds float64
		name           string
	}{{120, 1, "seconds"}, {2 * 3600, 60, "minutes"}, {48 * 3600, 3600, "hours"}, {3 * year, 86400, "days"}, {1000 * year, year, "years"}} {
		if seconds < unit.below {
			return fmt.Sprintf("%.0f %s", seconds/unit.seconds, unit.name)
		}
	}
	return "thousands of years"
}

func unknown(why string, args ...any) error {
	return tablebase.OfKind(fmt.Errorf(why, args...), probe.ErrUnknown)
}

var errTimeout = errors.New("the time limit is over")

func (s *Solver) rate(ctx context.Context, b board, rules game.Rules, state game.State, steps bool) (r probe.Rating, err error) {
	key := fmt.Sprint(rules.Info(), " ", rules.Format(state), " ", steps)
	if known := s.recent.Get(key, 1).Load(); known != nil {
		return *known, nil
	}
	if _, scored := b.(searchedEndgame); !scored {
		if r, ok := probe.SearchAll(ctx, rules, state, steps, s.small); ok {
			return s.finish(r, key, rules.Moves(nil, state))
		}
	}
	e, err := b.endgame(state, steps)
	if err != nil {
		return r, err
	}
	limit := s.estimate(e)
	if limit.ExceedsTime() || limit.ExceedsMemory() || limit.ExceedsDisk() {
		b, ok := newBounded(rules, limit)
		if !ok {
			return r, limit
		}
		if e, err = b.endgame(state, steps); err != nil {
			return r, err
		}
	}
	select {
	case s.running <- struct{}{}:
	default:
		return r, probe.ErrBusy
	}
	defer func() { <-s.running }()
	l := s.limits
	l.Memory, l.Concurrency = l.memoryPerQuestion(), 1
	var memory *retro.MemoryError
	r.Value, r.Moves, err = e.solve(ctx, l)
	switch {
	case errors.As(err, &memory):
		limit.Bytes = memory.Need
		return r, limit
	case errors.Is(err, errTimeout):
		limit.Seconds = max(limit.Seconds, 2*s.limits.Timeout.Seconds())
		return r, limit
	case err != nil:
		return r, err
	}
	return s.finish(r, key, rules.Moves(nil, state))
}

func (s *Solver) finish(r probe.Rating, key string, legal []game.Move) (probe.Rating, error) {
	if err := sortMoves(&r, legal); err != nil {
		return r, err
	}
	r.Score = r.Moves[0].Score
	s.recent.Get(key, 1).Store(&r)
	return r, nil
}

// estimate returns what solving an endgame takes as the error that may report it.
func (s *Solver) estimate(e endgame) *LimitError {
	c := e.cost(s.limits)
	return &LimitError{c.seconds / float64(s.limits.Threads), c.bytes, c.disk, s.limits}
}

// sortMoves puts the best first, ties by score and then in the order of the legal moves, of which those of
// unknown value are missing. It checks that they lead to the value.
func sortMoves(r *probe.Rating, legal []game.Move) error {
	order := map[game.Move]int{}
	for i, m := range legal {
		order[m] = i
	}
	slices.SortFunc(r.Moves, func(a, b probe.Rated) int {
		scoreA, _ := a.Score.Value()
		scoreB, _ := b.Score.Value()
		return cmp.Or(a.Compare(b.Value), scoreB-scoreA, order[a.Move]-order[b.Move])
	})
	r.Partial = len(r.Moves) < len(legal)
	if len(r.Moves) == 0 || r.Moves[0].Value != r.Value {
		return fmt.Errorf("the rest of the game is solved as %v, which its moves do not lead to: this is a bug; please report it", r.Value)
	}
	return nil
}
