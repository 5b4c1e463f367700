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
	// Position is the text of the position that shows it, "" where none does.
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

// FaultAt returns the fault of the rules that shows at a position: that its number is not its own,
// or else what the format and the values say.
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

// caught, when deferred, turns a panic of the rules into a *Fault at a position, unless it is one.
func caught(err *error, at func() string) {
	if cause := recover(); cause != nil {
		if fault, ok := cause.(*Fault); ok {
			*err = fault
			return
		}
		*err = &Fault{What: fmt.Sprintf("the rules panic: %v, at %s", cause, panicked())}
		(*err).(*Fault).Position = at()
	}
}

// mostMoves is how many moves a position may have.
const mostMoves = 1<<16 - 1

var nameForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Check holds a game to its contract before it is solved: in every position that random
// games from the start meet, so many games by a seed, and in the images of these. The
// error is a *Fault. A game that passes may still be wrong where no game has led.
func Check[S comparable](g Game[S], games int, seed uint64) (err error) {
	defer caught(&err, func() string { return "" })
	c := checker[S]{g: g, seen: map[Child]seen[S]{}}
	c.tiered, _ = g.(Tiered[S])
	if name := g.Name(); len(name) > 60 || !nameForm.MatchString(name) {
		return &Fault{What: fmt.Sprintf("the name %q is not of at most 60 lower-case letters, digits and hyphens", name)}
	}
	if c.tiers = NewRules(g).Tiers(); c.tiers < 1 || c.tiers > MaxTiers {
		return &Fault{What: fmt.Sprintf("Tiers returns %d, not 1 to %d", c.tiers, MaxTiers)}
	}
	r := rand.New(rand.NewPCG(seed, 0))
	for range games {
		// A game that never ends is left after a while.
		for s, plies := g.Start(), 0; plies < 1000; plies++ {
			after, err := c.position(s)
			if err != nil {
				return err
			}
			if len(after) == 0 {
				break
			}
			s = after[r.IntN(len(after))]
		}
	}
	return nil
}

// checker holds a game to its contract.
type checker[S comparable] struct {
	g      Game[S]
	tiered Tiered[S]
	tiers  int
	seen   map[Child]seen[S]
}

// seen is what all positions with one key share.
type seen[S comparable] struct {
	first    S
	tier     int
	over     bool
	outcome  game.Outcome
	children []Child
}

// position checks a position and returns those after each move.
func (c *checker[S]) position(s S) (after []S, err error) {
	defer caught(&err, func() (text string) {
		defer func() {
			if recover() != nil {
				text = fmt.Sprintf("%+v", s)
			}
		}()
		return c.g.Format(s)
	})
	key := c.g.Key(s)
	now, after, err := c.look(s)
	if err != nil {
		return nil, err
	}
	at := c.at(key, now.tier)
	if before, ok := c.seen[at]; !ok {
		c.seen[at] = now
	} else if before.first == s {
		return after, nil
	} else if err := c.same(before, now); err != nil {
		return nil, err
	}
	if err := c.text(s); err != nil {
		return nil, err
	}
	back := position(c.g, Child{key, now.tier})
	if again := c.g.Key(back); again != key {
		return nil, c.fault(s, "its number is %d, but FromKey returns a position with the number %d", key, again)
	}
	images := []S{back}
	if symmetric, ok := c.g.(Symmetric[S]); ok {
		images = symmetric.Images(images, s)
	}
	for _, image := range images {
		if got := c.g.Key(image); got != key {
			return nil, c.fault(s, "its number is %d, that of its image %s is %d", key, c.g.Format(image), got)
		}
		of, _, err := c.look(image)
		if err == nil {
			err = c.same(now, of)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := c.sides(s, after); err != nil {
		return nil, err
	}
	return after, c.names(s, after)
}

// at returns what tells positions apart: the number, and the tier if the number is one of
// the tier's.
func (c *checker[S]) at(key uint64, tier int) Child {
	if _, keyed := c.g.(TierKeyed[S]); !keyed {
		tier = 0
	}
	return Child{key, tier}
}

// sides checks whose turn it is.
func (c *checker[S]) sides(s S, after []S) error {
	if turner, ok := c.g.(Turner[S]); ok {
		if start := c.g.Start(); s == start && turner.Turn(s) != game.X {
			return c.fault(s, "the game begins here, but Turn does not return X")
		}
		for _, child := range after {
			if turner.Turn(child) == turner.Turn(s) {
				return c.fault(s, "Turn returns the same side for the position %s after a move", c.g.Format(child))
			}
		}
	}
	return nil
}

// look finds out what positions with one number must share.
func (c *checker[S]) look(s S) (is seen[S], after []S, err error) {
	is = seen[S]{first: s, tier: c.tier(s)}
	if is.tier < 0 || is.tier >= c.tiers {
		return is, nil, c.fault(s, "it is in tier %d of %d", is.tier, c.tiers)
	}
	if is.outcome, is.over = c.g.Terminal(s); is.over {
		if is.outcome > game.Lose {
			return is, nil, c.fault(s, "it ends with the outcome %d, which is none", is.outcome)
		}
		return is, nil, nil
	}
	is.outcome = 0
	after = c.g.Moves([]S{s}, s)
	if len(after) < 1 || after[0] != s {
		return is, nil, c.fault(s, "Moves changes what stands in the slice already; it must append")
	}
	after = after[1:]
	if len(after) == 0 || len(after) > mostMoves {
		return is, nil, c.fault(s, "it is not over and has %d moves; there must be 1 to %d", len(after), mostMoves)
	}
	for _, child := range after {
		tier := c.tier(child)
		if tier < is.tier || tier == is.tier && c.tiered != nil && !c.tiered.Loops(tier) {
			return is, nil, c.fault(s, "it is in tier %d, and a move leads to %s in tier %d", is.tier, c.g.Format(child), tier)
		}
		is.children = append(is.children, Child{c.g.Key(child), tier})
	}
	slices.SortFunc(is.children, Child.Compare)
	is.children = slices.Compact(is.children)
	return is, after, nil
}

// same reports how two positions with one number differ.
func (c *checker[S]) same(a, b seen[S]) error {
	other := c.g.Format(b.first)
	switch {
	case a.tier != b.tier:
		return c.fault(a.first, "it has the number of %s, but that is in tier %d and not %d", other, b.tier, a.tier)
	case a.over != b.over || a.outcome != b.outcome:
		return c.fault(a.first, "it has the number of %s, but that ends otherwise", other)
	case !slices.Equal(a.children, b.children):
		return c.fault(a.first, "it has the number of %s, but that has other moves", other)
	}
	return nil
}

// text checks a position's text.
func (c *checker[S]) text(s S) error {
	text := c.g.Format(s)
	if text == "" || strings.ContainsAny(text, "\r\n") {
		return c.fault(s, "its text %q is empty or has several lines", text)
	}
	switch back, err := c.g.Parse(text); {
	case err != nil:
		return c.fault(s, "Parse does not read what Format writes: %v", err)
	case back != s:
		return c.fault(s, "Parse makes another position of what Format writes")
	}
	return nil
}

// names checks the names of moves.
func (c *checker[S]) names(s S, after []S) error {
	namer, ok := c.g.(MoveNamer[S])
	if !ok {
		return nil
	}
	names := map[string]S{}
	for _, child := range after {
		name := namer.MoveName(s, child)
		if name == "" || strings.ContainsAny(name, " \t\r\n") {
			return c.fault(s, "the move to %s has the name %q, which is empty or has spaces", c.g.Format(child), name)
		}
		if other, ok := names[name]; ok && other != child {
			return c.fault(s, "the moves to %s and %s are both called %s", c.g.Format(other), c.g.Format(child), name)
		}
		names[name] = child
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

func (c *checker[S]) tier(s S) int { return tierOf(c.tiered, s) }

func (c *checker[S]) fault(s S, what string, values ...any) error {
	return &Fault{Position: c.g.Format(s), What: fmt.Sprintf(what, values...)}
}
