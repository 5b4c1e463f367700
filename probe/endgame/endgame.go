// Package rest answers where there is no table: it takes a position as the root of
// the game that goes on from it, and solves that at once. Small rests are searched, larger
// ones swept by the engine, in memory or, where that is too small and it may, through work
// files. What takes more time, memory or disk than it may is refused with what it would take.
package endgame

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"backsolve/game"
	"backsolve/game/notakto"
	"backsolve/partition"
	"backsolve/probe"
	"backsolve/retro"
	"backsolve/search"
)

// Limits bound what is solved.
type Limits struct {
	// Timeout is the time for the answer to a question.
	Timeout time.Duration
	// Memory is the memory in bytes that all that is solved at once may take, 0 for
	// any.
	Memory int64
	// Threads is how many work on one question, 0 for all cores.
	Threads int
	// Concurrency is the number of questions worked on at once, 0 for one.
	Concurrency int
	// Scratch is the directory for the work files of what does not fit in memory, empty
	// where nothing may be written, and Disk the bytes that these may take.
	Scratch string
	Disk    int64
}

// share is the memory that one question may take, 0 for any.
func (l Limits) share() int64 { return l.Memory / int64(max(l.Concurrency, 1)) }

// Solver solves endgames within limits. It is safe for concurrent use by multiple goroutines.
type Solver struct {
	limits Limits
	slots  chan struct{}
	kept   *kept
}

// New returns a search.
func New(l Limits) *Solver {
	l.Concurrency = max(l.Concurrency, 1)
	if l.Threads <= 0 {
		l.Threads = runtime.GOMAXPROCS(0)
	}
	return &Solver{limits: l, slots: make(chan struct{}, l.Concurrency), kept: newKept()}
}

// Answerer returns what answers for a board until ctx ends, as probe.Solver says.
func (s *Solver) Answerer(ctx context.Context, rules game.Rules, steps bool) (probe.Answerer, error) {
	a := &answerer{search: s, ctx: ctx, rules: rules, steps: steps}
	info := rules.Info()
	grid, isGrid := game.GridOf(rules)
	ending, isFinite := search.NewEnding(rules)
	switch {
	case info.Name == notakto.Game.Name:
		a.board = notaktoBoard{rules, info}
	case isFinite:
		a.board, a.steps = endingBoard{rules, ending}, false // who wins is found, not how soon
	case !isGrid || partition.Solvable(info) != nil:
		return nil, unknown(fmt.Sprintf("no position of %v can be solved on the spot, as even the last ones are followed by too many others", info))
	default:
		space, err := partition.New(grid)
		if err != nil {
			return nil, err
		}
		a.board = gridBoard{grid, space}
	}
	return a, nil
}

// board is the positions of one board as what is left to be solved.
type board interface {
	// problem returns what is to be solved to rate a state that is not over.
	problem(s game.State, steps bool) (problem, error)
}

// problem is the rest of a game.
type problem interface {
	// cost is what solving it takes; the seconds are those of one thread.
	cost(l Limits) cost
	// solve returns the value of its root and of its moves, in any order. When ctx
	// ends, the error is its cause.
	solve(ctx context.Context, l Limits) (probe.Value, []probe.Rated, error)
}

// cost is what solving a rest takes.
type cost struct {
	seconds float64
	bytes   int64
	disk    int64 // bytes of work files
}

// LimitError says that solving a rest takes more than it may. It is a
// probe.ErrUnknown.
type LimitError struct {
	Seconds float64 // by the clock
	Bytes   int64
	Disk    int64 // bytes of work files, 0 where there would be none
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
	if e.Disk > e.Limits.Disk {
		allowed = append(allowed, humanize.IBytes(uint64(e.Limits.Disk))+" of work files")
	}
	return fmt.Sprintf("solving the rest of the game now takes about %s and %s, which is more than allowed: %s",
		secondsText(e.Seconds), memory, strings.Join(allowed, " and "))
}

// ExceedsTime reports whether it takes more time than it may.
func (e *LimitError) ExceedsTime() bool { return e.Seconds > e.Limits.Timeout.Seconds() }

// ExceedsMemory reports whether it takes more memory than it may.
func (e *LimitError) ExceedsMemory() bool {
	share := e.Limits.share()
	return share > 0 && e.Bytes > share
}

// Is makes the error a probe.ErrUnknown.
func (e *LimitError) Is(target error) bool { return target == probe.ErrUnknown }

// secondsText writes a time for people.
func secondsText(seconds float64) string {
	const year = 365.25 * 86400
	switch {
	case seconds < 1.5:
		return "a second"
	case seconds < 120:
		return fmt.Sprintf("%.0f seconds", seconds)
	case seconds < 2*3600:
		return fmt.Sprintf("%.0f minutes", seconds/60)
	case seconds < 48*3600:
		return fmt.Sprintf("%.0f hours", seconds/3600)
	case seconds < 3*year:
		return fmt.Sprintf("%.0f days", seconds/86400)
	case seconds < 1000*year:
		return fmt.Sprintf("%.0f years", seconds/year)
	}
	return "thousands of years"
}

// unknown is why a rest is not solved at all. It is a probe.ErrUnknown.
type unknown string

func (e unknown) Error() string        { return string(e) }
func (e unknown) Is(target error) bool { return target == probe.ErrUnknown }

// errTime is the cause when the time to think is over.
var errTime = errors.New("the time to think is over")

// rate rates the moves of a state that is not over, in the order of the rules' moves.
func (s *Solver) rate(ctx context.Context, b board, rules game.Rules, state game.State, steps bool) (r rating, err error) {
	key := fmt.Sprint(rules.Info(), " ", rules.Format(state), " ", steps)
	if r, ok := s.kept.get(key); ok {
		return r, nil
	}
	p, err := b.problem(state, steps)
	if err != nil {
		return rating{}, err
	}
	c := p.cost(s.limits)
	tooMuch := &LimitError{c.seconds / float64(s.limits.Threads), c.bytes, c.disk, s.limits}
	share := s.limits.share()
	if tooMuch.Seconds > s.limits.Timeout.Seconds() || share > 0 && c.bytes > share || c.disk > s.limits.Disk {
		return rating{}, tooMuch
	}
	select {
	case s.slots <- struct{}{}:
	default:
		return rating{}, probe.ErrBusy
	}
	defer func() { <-s.slots }()
	l := s.limits
	l.Memory, l.Concurrency = share, 1
	var memory *retro.MemoryError
	r.Value, r.moves, err = p.solve(ctx, l)
	switch {
	case errors.As(err, &memory):
		tooMuch.Bytes = memory.Need
		return rating{}, tooMuch
	case errors.Is(err, errTime):
		tooMuch.Seconds = max(tooMuch.Seconds, 2*s.limits.Timeout.Seconds())
		return rating{}, tooMuch
	case err != nil:
		return rating{}, err
	}
	if err := r.inOrder(rules.Moves(nil, state)); err != nil {
		return rating{}, err
	}
	s.kept.put(key, r)
	return r, nil
}

// Estimate returns what solving the rest of a game at a state that is not over is
// reckoned to take: seconds by the clock and bytes of memory. The error wraps
// probe.ErrUnknown where it cannot be solved at all.
func (s *Solver) Estimate(rules game.Rules, state game.State, steps bool) (seconds float64, bytes int64, err error) {
	a, err := s.Answerer(context.Background(), rules, steps)
	if err != nil {
		return 0, 0, err
	}
	p, err := a.(*answerer).board.problem(state, steps)
	if err != nil {
		return 0, 0, err
	}
	c := p.cost(s.limits)
	return c.seconds / float64(s.limits.Threads), c.bytes, nil
}

// rating is the value of a position and of its moves. Where games end with a score its
// own is that of its best move.
type rating struct {
	probe.Value
	moves []probe.Rated
}

// inOrder puts the moves in the order of an answer, the best first, of equal ones those
// of greater score, and equal ones of these by their text, in which the rules give them;
// and checks that they lead to the value.
func (r *rating) inOrder(legal []game.Move) error {
	place := map[game.Move]int{}
	for i, m := range legal {
		place[m] = i
	}
	slices.SortFunc(r.moves, func(a, b probe.Rated) int {
		more, _ := a.Score.Value()
		less, _ := b.Score.Value()
		return cmp.Or(a.Compare(b.Value), less-more, place[a.Move]-place[b.Move])
	})
	if len(r.moves) != len(legal) || r.moves[0].Value != r.Value {
		return fmt.Errorf("the rest of the game is solved as %v, which its moves do not lead to: this is a mistake in the program, please report it", r.Value)
	}
	return nil
}
