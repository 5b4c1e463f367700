// Package custom defines the interface of a user's own game: its positions, their moves and a
// number for each position. Package retro/generic solves such a game, and package
// tablebase/sparse keeps the values of all positions that play can reach.
//
// A two-player game is suitable if it has no chance and no hidden information and if its
// positions fit into 64 bits. Captures, promotion, drops, passes, repetition and boards of any
// shape are fine. The players move in turn. A game in which a player moves twice has positions in
// which the other one can only pass.
package custom

import (
	"cmp"
	"fmt"
	"sync"

	"backsolve/game"
)

// Game is a game over positions of type S. A position has everything that the rules depend on,
// the player to move included, unless positions are always seen from the player to move. All
// methods must be safe for concurrent use and depend on nothing but their arguments.
type Game[S comparable] interface {
	// Name names the game and its board in files and on command lines: at most 60
	// lower-case letters, digits and hyphens, connect4-5x5.
	Name() string
	// Start returns the position that the game begins with.
	Start() S
	// Terminal says whether the game is over, and how for the player to move.
	Terminal(s S) (outcome game.Outcome, over bool)
	// Moves appends the positions after each legal move, as the other player sees them. It is
	// called only if the game is not over, and then there must be one.
	Moves(dst []S, s S) []S
	// Key returns the number of a position. Positions may share a number only if they have the
	// same value, as mirror images do.
	Key(s S) uint64
	// FromKey returns a position with the given number: FromKey(Key(s)) is s, or an image of it.
	// It is called only for numbers that Key has returned. If 64 bits are too few for all
	// positions, see TierKeyed.
	FromKey(key uint64) S
	// Format returns the text of a position, without line breaks.
	Format(s S) string
	// Parse reads a position that Format has written.
	Parse(text string) (S, error)
}

// Tiered is implemented by games whose positions fall into tiers: no move leads to a lower tier.
// Tiers save memory and time, as one is solved at a time. A game without them is one tier that
// loops.
type Tiered[S comparable] interface {
	// Tiers returns the number of tiers, at most MaxTiers.
	Tiers() int
	// Tier returns the tier of a position, from 0 to Tiers()-1: the stones on the
	// board, say.
	Tier(s S) int
	// Loops reports whether moves may stay within a tier.
	Loops(tier int) bool
}

// TierKeyed is implemented by games with tiers in which positions of different tiers may
// share a number. So there may be 2^64 positions in each tier.
type TierKeyed[S comparable] interface {
	// FromTierKey returns a position of a tier with the given number. It is called instead of
	// FromKey.
	FromTierKey(tier int, key uint64) S
}

// MaxTiers is the largest number of tiers.
const MaxTiers = 1 << 12

// MoveNamer is implemented by games that name their moves. See MoveNames for others.
type MoveNamer[S comparable] interface {
	// MoveName returns the name of the move that leads from one position to another, without
	// spaces, or "" for the default name. Moves of one position have different names.
	MoveName(from, to S) string
}

// Describer is implemented by games that describe themselves in help, page and API.
type Describer interface {
	// Describe returns the title, such as Connect Four 5×5, and the rules in a sentence or two.
	Describe() (title, rules string)
}

// Drawer is implemented by games that draw their positions.
type Drawer[S comparable] interface {
	// Diagram draws a position in lines of text.
	Diagram(s S) string
}

// Symmetric is implemented by games whose Key gives all images of a position one number. Check
// verifies that.
type Symmetric[S comparable] interface {
	// Images appends positions that are worth the same as s.
	Images(dst []S, s S) []S
}

// Rules are a game by the numbers of its positions, as the solver sees it.
type Rules interface {
	// Name is the game's.
	Name() string
	// Start is the first position.
	Start() Child
	Tiers() int
	Loops(tier int) bool
	// NewExpander returns an Expander, which must not be used concurrently.
	NewExpander() Expander
	// NewChecker returns an Expander that checks the game against its contract wherever it
	// expands, which takes several times as long.
	NewChecker() Expander
	// Text returns the text of a position. The error is a *Fault if no position has the number, as
	// in a forged table, or if the rules panic.
	Text(at Child) (string, error)
	// Check returns the error that Text returns for a number that no position has.
	Check(at Child) error
}

// Expander finds the moves of positions. It is not safe for concurrent use.
type Expander interface {
	// Expand returns how the game has ended, or appends the position after each move. The
	// error is a *Fault if the rules panic.
	Expand(dst []Child, from Child) (children []Child, outcome game.Outcome, over bool, err error)
}

// Child is a position given by its number and tier.
type Child struct {
	Key  uint64
	Tier int
}

// String names a position that has no text.
func (c Child) String() string { return fmt.Sprintf("the number %d of tier %d", c.Key, c.Tier) }

// Compare orders positions by tier and number.
func (c Child) Compare(d Child) int {
	return cmp.Or(cmp.Compare(c.Tier, d.Tier), cmp.Compare(c.Key, d.Key))
}

// NewRules returns a game by the numbers of its positions. They are Ranked if the game is Dense.
func NewRules[S comparable](g Game[S]) Rules {
	return newRules(g).ranked()
}

func newRules[S comparable](g Game[S]) *rules[S] {
	r := &rules[S]{Game: g}
	r.tiered, _ = g.(Tiered[S])
	if dense, ok := g.(Dense[S]); ok {
		if r.units = dense.Units(); r.units > 0 {
			r.dense = dense
			r.leaver, _ = g.(Leaver[S])
			if r.batched, ok = g.(Batched[S]); !ok {
				r.batched = oneByOne[S]{dense}
			}
		}
	}
	r.fingerprint = sync.OnceValue(func() uint64 {
		if f, ok := g.(Fingerprinted); ok {
			return f.Fingerprint()
		}
		return sampleHash(r, fingerprinted)
	})
	return r
}

type rules[S comparable] struct {
	Game[S]
	tiered      Tiered[S] // nil if there is one tier
	dense       Dense[S]  // nil without ranks
	leaver      Leaver[S] // nil if Moves finds all moves
	batched     Batched[S]
	units       int
	fingerprint func() uint64
}

// Source returns the file of rules, nil if the rules are written in Go.
func (r *rules[S]) Source() []byte {
	if file, ok := r.Game.(interface{ Source() []byte }); ok {
		return file.Source()
	}
	return nil
}

func (r *rules[S]) Fingerprint() uint64 { return r.fingerprint() }

func (r *rules[S]) Start() Child { return r.number(r.Game.Start()) }

func (r *rules[S]) Tiers() int {
	switch {
	case r.dense != nil:
		return r.units
	case r.tiered == nil:
		return 1
	}
	return r.tiered.Tiers()
}

func (r *rules[S]) Loops(tier int) bool {
	if r.dense != nil {
		return r.dense.Stays(r.unit(tier))
	}
	return r.tiered == nil || r.tiered.Loops(tier)
}

func (r *rules[S]) NewExpander() Expander {
	if own, ok := r.Game.(interface{ NewExpander() Expander }); ok {
		return own.NewExpander()
	}
	return &expander[S]{r: r}
}

func (r *rules[S]) NewChecker() Expander { return newChecker(r) }

func (r *rules[S]) Text(at Child) (text string, err error) {
	defer caught(&err, at.String)
	if err := r.Check(at); err != nil {
		return "", err
	}
	return r.Format(r.position(at)), nil
}

func (r *rules[S]) Check(at Child) (err error) {
	defer caught(&err, at.String)
	s := r.position(at)
	switch own := r.number(s); {
	case own.Key != at.Key:
		return &Fault{r.Format(s), fmt.Sprintf("%s returns it for the number %d, but its own number is %d", r.inverse(), at.Key, own.Key)}
	case own.Tier != at.Tier:
		return &Fault{r.Format(s), fmt.Sprintf("its number %d is also that of a position in tier %d, and it is in tier %d; give them different numbers, or implement FromTierKey", at.Key, at.Tier, own.Tier)}
	}
	return nil
}

type expander[S comparable] struct {
	r             *rules[S]
	after, before []S
	places        []Place
}

func (r *rules[S]) number(s S) Child { return Child{r.key(s), r.tier(s)} }

func (r *rules[S]) key(s S) uint64 {
	if r.dense == nil {
		return r.Key(s)
	}
	rank, _ := r.dense.Rank(s)
	return rank
}

func (r *rules[S]) tier(s S) int {
	if r.dense != nil {
		return r.units - 1 - r.dense.Home(s)
	}
	return tierOf(r.tiered, s)
}

func (r *rules[S]) position(at Child) S {
	if r.dense != nil {
		return r.unranked(at)
	}
	if keyed, ok := r.Game.(TierKeyed[S]); ok {
		return keyed.FromTierKey(at.Tier, at.Key)
	}
	return r.FromKey(at.Key)
}

// inverse is the name of the method that returns a position from its number.
func (r *rules[S]) inverse() string {
	if r.dense != nil {
		return "Unrank"
	}
	return "FromKey"
}

// NumberOf returns a function that finds a position's tier and number in the game's table.
func NumberOf[S comparable](g Game[S]) func(s S) Child { return newRules(g).number }

func tierOf[S comparable](tiered Tiered[S], s S) int {
	if tiered == nil {
		return 0
	}
	return tiered.Tier(s)
}

func (e *expander[S]) Expand(dst []Child, from Child) (children []Child, outcome game.Outcome, over bool, err error) {
	defer caught(&err, func() string { return TextOr(e.r, from) })
	s := e.r.position(from)
	if outcome, over := e.r.Terminal(s); over {
		return dst, outcome, true, nil
	}
	e.after = e.r.Moves(e.after[:0], s)
	for _, after := range e.after {
		dst = append(dst, e.r.number(after))
	}
	return dst, 0, false, nil
}
