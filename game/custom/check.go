package custom

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"backsolve/game"
)

// Fault says what is wrong with a game, and where.
type Fault struct {
	// Position is the text of a position that shows it, "" if none does.
	Position string
	// What is wrong, as a sentence.
	What string
}

func (f *Fault) Error() string {
	if f.Position == "" {
		return f.What
	}
	return fmt.Sprintf("at %s: %s", f.Position, f.What)
}

// FaultAt returns the fault of the rules that shows at a position: that its number is not its
// own, or else what the format and the values say.
func FaultAt(r interface{ Text(Child) (string, error) }, at Child, what string, values ...any) error {
	text, err := r.Text(at)
	if err != nil {
		return err
	}
	return &Fault{text, fmt.Sprintf(what, values...)}
}

// TextOr returns the text of a position, or its number if it has no text.
func TextOr(r interface{ Text(Child) (string, error) }, at Child) string {
	if text, err := r.Text(at); err == nil {
		return text
	}
	return at.String()
}

// Catch, deferred, returns the *Fault with which a method of the rules panicked because it has no
// error to return, as methods of rules files do.
func Catch(err *error) {
	switch cause := recover().(type) {
	case nil:
	case *Fault:
		*err = cause
	default:
		panic(cause)
	}
}

// caught, deferred, turns a panic of the rules into a *Fault at a position, unless it is one
// already.
func caught(err *error, at func() string) {
	switch cause := recover().(type) {
	case nil:
	case *Fault:
		*err = cause
	default:
		fault := &Fault{What: fmt.Sprintf("the rules panic: %v, at %s", cause, panicked())}
		*err, fault.Position = fault, at()
	}
}

const mostMoves = 1<<16 - 1

var nameForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Check tests a game against its contract before it is solved: in every position that random
// games from the start reach, drawn by a seed, and in the images of these. For a Dense game it
// also tests as many ranks of each unit, and moves backward. The error is a *Fault. A game that
// passes may still be wrong where no game has led.
func Check[S comparable](g Game[S], games int, seed uint64) (err error) {
	defer caught(&err, func() string { return "" })
	if name := g.Name(); len(name) > 60 || !nameForm.MatchString(name) {
		return &Fault{What: fmt.Sprintf("the name %q is not at most 60 lower-case letters, digits and hyphens", name)}
	}
	c := newChecker(newRules(g))
	if err := c.units(); err != nil {
		return err
	}
	if c.tiers < 1 || c.tiers > MaxTiers {
		return &Fault{What: fmt.Sprintf("Tiers returns %d, not 1 to %d", c.tiers, MaxTiers)}
	}
	if boarded, ok := any(g).(Boarded); ok {
		if _, err := ParseBoard(boarded.Board()); err != nil {
			return &Fault{What: err.Error()}
		}
	}
	r, met := rand.New(rand.NewPCG(seed, 0)), map[S]bool{}
	for range games {
		// A game that never ends is left after a while.
		for s, plies := g.Start(), 0; plies < 1000; plies++ {
			if err := c.position(s, !met[s]); err != nil {
				return err
			}
			if !met[s] {
				if err := c.backward(r); err != nil {
					return err
				}
			}
			met[s] = true
			if len(c.own.after) == 0 {
				break
			}
			s = c.own.after[r.IntN(len(c.own.after))]
		}
	}
	return c.ranks(games, r)
}

// checker tests a game against its contract, as an Expander where it expands.
type checker[S comparable] struct {
	r                 *rules[S]
	tiers             int
	symmetric         Symmetric[S] // nil if not implemented
	turner            Turner[S]    // nil if not implemented
	namer             MoveNamer[S] // nil if not implemented
	own, one, another view[S]
	images            []S
	names             map[string]S
}

func newChecker[S comparable](r *rules[S]) *checker[S] {
	c := &checker[S]{r: r, tiers: r.Tiers(), names: map[string]S{}}
	c.symmetric, _ = r.Game.(Symmetric[S])
	c.turner, _ = r.Game.(Turner[S])
	c.namer, _ = r.Game.(MoveNamer[S])
	return c
}

// view is a position and the properties that all positions with its key must share.
type view[S comparable] struct {
	at       S
	tier     int
	over     bool
	outcome  game.Outcome
	buffer   []S
	after    []S     // after each move
	children []Child // their numbers
	sum      uint64  // these, mixed: if it differs, moves may lead to one position in other ways
	sorted   []Child // these, each once; empty until needed
}

// Expand implements Expander, and checks the game's contract at the position and at those after
// its moves: these must have the same value as the positions that their numbers stand for.
func (c *checker[S]) Expand(dst []Child, from Child) (children []Child, outcome game.Outcome, over bool, err error) {
	defer caught(&err, func() string { return TextOr(c.r, from) })
	if err := c.r.Check(from); err != nil {
		return dst, 0, false, err
	}
	if err := c.position(c.r.position(from), true); err != nil {
		return dst, 0, false, err
	}
	return append(dst, c.own.children...), c.own.outcome, c.own.over, nil
}

// position looks at a position, and checks it if wanted.
func (c *checker[S]) position(s S, check bool) (err error) {
	defer caught(&err, func() (text string) {
		defer func() {
			if recover() != nil {
				text = fmt.Sprintf("%+v", s)
			}
		}()
		return c.r.Format(s)
	})
	if err := c.properties(&c.own, s); err != nil || !check {
		return err
	}
	for _, part := range []func() error{c.moves, c.checkShared, c.text, c.sides, c.moveNames} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// moves checks that each move leads to the position that its number stands for, or to an image
// that is checked with it or is like it.
func (c *checker[S]) moves() error {
	for i, s := range c.own.after {
		back := c.r.position(c.own.children[i])
		if back == s {
			continue
		}
		if c.symmetric != nil {
			if c.images = c.symmetric.Images(c.images[:0], back); slices.Contains(c.images, s) {
				continue
			}
		}
		if err := c.checkReturned(s, back, c.own.children[i].Key); err != nil {
			return err
		}
		if err := c.properties(&c.another, back); err != nil {
			return err
		}
		if err := c.checkAlike(s, &c.another); err != nil {
			return err
		}
	}
	return nil
}

// checkReturned checks that FromKey returns a position with the number of the given one.
func (c *checker[S]) checkReturned(s, back S, key uint64) error {
	if again := c.r.key(back); again != key {
		return c.fault(s, "its number is %d, but %s returns a position with the number %d", key, c.r.inverse(), again)
	}
	return nil
}

// checkShared checks that the position is like the one that its number stands for, and like its
// images.
func (c *checker[S]) checkShared() error {
	s, key := c.own.at, c.r.key(c.own.at)
	back := c.r.position(Child{key, c.own.tier})
	if err := c.checkReturned(s, back, key); err != nil {
		return err
	}
	c.images = append(c.images[:0], back)
	if c.symmetric != nil {
		c.images = c.symmetric.Images(c.images, s)
	}
	for _, image := range c.images {
		if image == s {
			continue
		}
		if got := c.r.key(image); got != key {
			return c.fault(s, "its number is %d, but its image %s has %d", key, c.r.Format(image), got)
		}
		if err := c.checkAlike(image, &c.own); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker[S]) sides() error {
	if c.turner == nil {
		return nil
	}
	s := c.own.at
	turn := c.turner.Turn(s)
	if turn != game.X && s == c.r.Game.Start() {
		return c.fault(s, "the game begins here, but Turn does not return X")
	}
	for _, child := range c.own.after {
		if c.turner.Turn(child) == turn {
			return c.fault(s, "Turn returns the same side for the position %s after a move", c.r.Format(child))
		}
	}
	return nil
}

// properties finds the properties that positions with the same number must share.
func (c *checker[S]) properties(v *view[S], s S) error {
	v.at, v.tier, v.after, v.children, v.sum, v.sorted = s, c.r.tier(s), nil, v.children[:0], 0, v.sorted[:0]
	if v.tier < 0 || v.tier >= c.tiers {
		return c.fault(s, "it is in tier %d of %d", v.tier, c.tiers)
	}
	if v.outcome, v.over = c.r.Terminal(s); v.over {
		if v.outcome > game.Lose {
			return c.fault(s, "it ends with the outcome %d, which is not an outcome", v.outcome)
		}
		return nil
	}
	v.outcome = 0
	v.buffer = c.r.Moves(append(v.buffer[:0], s), s)
	if len(v.buffer) < 1 || v.buffer[0] != s {
		return c.fault(s, "Moves changes what is already in the slice; it must append")
	}
	v.after = v.buffer[1:]
	if n := len(v.after); n == 0 || n > mostMoves {
		return c.fault(s, "it is not over and has %d moves; there must be 1 to %d", n, mostMoves)
	}
	for _, child := range v.after {
		to := c.r.number(child)
		if to.Tier < v.tier || to.Tier == v.tier && !c.r.Loops(to.Tier) {
			return c.fault(s, "it is in tier %d, and a move leads to %s in tier %d; moves may only stay where Loops allows it, or lead to a higher tier", v.tier, c.r.Format(child), to.Tier)
		}
		if err := c.ranked(child, to); err != nil {
			return err
		}
		v.children, v.sum = append(v.children, to), v.sum+(mix(to.Key)^uint64(to.Tier))
	}
	return nil
}

// checkAlike looks at a position, and reports how it differs from another with the same number.
func (c *checker[S]) checkAlike(s S, other *view[S]) error {
	v := &c.one
	if err := c.properties(v, s); err != nil {
		return err
	}
	switch {
	case v.tier != other.tier:
		return c.fault(s, "it has the same number as %s, which is in tier %d, not %d", c.r.Format(other.at), other.tier, v.tier)
	case v.over != other.over || v.outcome != other.outcome:
		return c.fault(s, "it has the same number as %s, which ends differently", c.r.Format(other.at))
	case v.sum != other.sum && !slices.Equal(v.numbers(), other.numbers()):
		return c.fault(s, "it has the same number as %s, which has other moves", c.r.Format(other.at))
	}
	return nil
}

// numbers returns the children, sorted and each once.
func (v *view[S]) numbers() []Child {
	if len(v.sorted) == 0 {
		v.sorted = append(v.sorted, v.children...)
		slices.SortFunc(v.sorted, Child.Compare)
		v.sorted = slices.Compact(v.sorted)
	}
	return v.sorted
}

func (c *checker[S]) text() error {
	s, text := c.own.at, c.r.Format(c.own.at)
	if text == "" || strings.ContainsAny(text, "\r\n") {
		return c.fault(s, "its text %q is empty or has several lines", text)
	}
	switch back, err := c.r.Parse(text); {
	case err != nil:
		return c.fault(s, "Parse does not read what Format writes: %v", err)
	case back != s:
		return c.fault(s, "Parse reads what Format writes as another position")
	}
	return nil
}

func (c *checker[S]) moveNames() error {
	if c.namer == nil {
		return nil
	}
	s := c.own.at
	clear(c.names)
	for _, child := range c.own.after {
		name := c.namer.MoveName(s, child)
		if name == "" { // the usual one
			continue
		}
		if strings.ContainsAny(name, " \t\r\n") {
			return c.fault(s, "the move to %s has the name %q, which contains spaces", c.r.Format(child), name)
		}
		if other, ok := c.names[name]; ok && other != child {
			return c.fault(s, "the moves to %s and %s are both called %s", c.r.Format(other), c.r.Format(child), name)
		}
		c.names[name] = child
	}
	return nil
}

// panicked returns the line of the rules that panicked, as a deferred function sees it.
func panicked() string {
	callers := make([]uintptr, 32)
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers)])
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, "runtime.") || !more {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
	}
}

func (c *checker[S]) fault(s S, what string, values ...any) error {
	return &Fault{Position: c.r.Format(s), What: fmt.Sprintf(what, values...)}
}
