package custom

import (
	"cmp"
	"fmt"
	"slices"

	"backsolve/game"
)

// Dense is implemented by games that number their positions with few gaps and know their moves
// backward. They are solved without finding out first which positions play can reach, in 2 bytes a
// position: their tables have all positions that have a rank. Package game/rank helps with ranks.
// The tiers of the table are the units, the last one first.
type Dense[S comparable] interface {
	// Units returns the number of groups of positions that are solved together. No move leads to
	// a higher unit. A game with 0 units has no ranks.
	Units() int
	// Size returns the number of ranks in a unit, at most MostRanks. Some may be of no position.
	Size(unit int) uint64
	// Stays reports whether moves may stay within a unit.
	Stays(unit int) bool
	// Home returns the unit of a position.
	Home(s S) int
	// Rank returns the number of a position in its unit, and how many symmetries keep it as it is:
	// 1 in a game without symmetry. Images of a position have one rank. Positions that are over may
	// share one if they end alike.
	Rank(s S) (rank uint64, symmetries int)
	// Unrank returns a position with the rank, and false if there is none.
	Unrank(unit int, rank uint64) (s S, ok bool)
	// Unmoves appends, for each move that leads to s from its own unit, the position before it.
	Unmoves(dst []S, s S) []S
}

// Leaver is implemented by games with ranks that count the moves within a unit without making them.
// The first look at the moves of each position takes a fraction of the time then.
type Leaver[S comparable] interface {
	// Leave appends the positions after the moves that lead to other units, and returns how many
	// moves stay.
	Leave(dst []S, s S) (left []S, stay int)
}

// Batched is implemented by games with ranks that rank several positions, as those after the moves of one,
// in less time than one by one.
type Batched[S comparable] interface {
	// Ranks appends what Home and Rank return for each position.
	Ranks(dst []Place, all []S) []Place
}

// Place is where the table has a position, and how many symmetries keep it.
type Place struct {
	Unit       int
	Rank       uint64
	Symmetries int
}

type oneByOne[S comparable] struct{ dense Dense[S] }

func (o oneByOne[S]) Ranks(dst []Place, all []S) []Place {
	for _, s := range all {
		rank, symmetries := o.dense.Rank(s)
		dst = append(dst, Place{o.dense.Home(s), rank, symmetries})
	}
	return dst
}

// MostRanks is the largest size of a unit.
const MostRanks = 1 << 40

// Ranked are Rules whose numbers are ranks.
type Ranked interface {
	Rules
	// Size returns the number of ranks in a tier.
	Size(tier int) uint64
	// NewRanker returns a Ranker, which must not be used concurrently.
	NewRanker() Ranker
}

// Ranker finds the moves of positions by their ranks. It is not safe for concurrent use. An error is
// a *Fault if the rules panic or contradict themselves.
type Ranker interface {
	// Look returns what is at a rank.
	Look(seen *Seen, at Child) error
	// Before appends the positions of the same tier from which moves lead to one. It may append some more than once.
	Before(dst []Parent, at Child) ([]Parent, error)
}

// Seen is what Look finds at a rank.
type Seen struct {
	None    bool // no position has the rank
	Over    bool
	Outcome game.Outcome // if it is over
	Inside  int          // how many moves stay in the tier
	Outside []Child      // the positions after the others
}

// Parent is a position from which moves lead to another one.
type Parent struct {
	Rank  uint64
	Moves int // that lead there
}

type rankedRules[S comparable] struct{ *rules[S] }

func (r *rules[S]) ranked() Rules {
	if r.dense == nil {
		return r
	}
	return rankedRules[S]{r}
}

// unit returns the unit of a tier, or the tier of a unit.
func (r *rules[S]) unit(tier int) int { return r.units - 1 - tier }

func (r *rules[S]) unranked(at Child) S {
	if unit := r.unit(at.Tier); at.Key < r.dense.Size(unit) {
		if s, ok := r.dense.Unrank(unit, at.Key); ok {
			return s
		}
	}
	panic(&Fault{What: fmt.Sprintf("Unrank finds no position with the rank %d in unit %d", at.Key, r.unit(at.Tier))})
}

func (r rankedRules[S]) Size(tier int) uint64 { return r.dense.Size(r.unit(tier)) }

func (r rankedRules[S]) NewRanker() Ranker { return &expander[S]{r: r.rules} }

func (e *expander[S]) Look(seen *Seen, at Child) (err error) {
	defer caught(&err, func() string { return TextOr(e.r, at) })
	*seen = Seen{Outside: seen.Outside[:0]}
	s, ok := e.r.dense.Unrank(e.r.unit(at.Tier), at.Key)
	if seen.None = !ok; !ok {
		return nil
	}
	if seen.Outcome, seen.Over = e.r.Terminal(s); seen.Over {
		return nil
	}
	if e.r.leaver != nil {
		e.after, seen.Inside = e.r.leaver.Leave(e.after[:0], s)
	} else { // what stays is counted and needs no rank
		all, unit := e.r.Moves(e.after[:0], s), e.r.unit(at.Tier)
		e.after = slices.DeleteFunc(all, func(after S) bool { return e.r.dense.Home(after) == unit })
		seen.Inside = len(all) - len(e.after)
	}
	e.places = e.r.batched.Ranks(e.places[:0], e.after)
	for _, p := range e.places {
		if tier := e.r.unit(p.Unit); tier == at.Tier {
			seen.Inside++
		} else {
			seen.Outside = append(seen.Outside, Child{p.Rank, tier})
		}
	}
	return nil
}

func (e *expander[S]) Before(dst []Parent, at Child) (parents []Parent, err error) {
	defer caught(&err, func() string { return TextOr(e.r, at) })
	s, from, unit := e.r.position(at), len(dst), e.r.unit(at.Tier)
	size := e.r.dense.Size(unit)
	e.before = append(e.r.dense.Unmoves(e.before[:0], s), s)
	e.places = e.r.batched.Ranks(e.places[:0], e.before)
	last := len(e.before) - 1
	for i, p := range e.places[:last] {
		if p.Unit != unit || p.Rank >= size {
			return dst, FaultAt(e.r, at, "Unmoves returns %s, whose unit is %d and whose rank is %d of %d", e.r.Format(e.before[i]), p.Unit, p.Rank, size)
		}
		dst = append(dst, Parent{p.Rank, p.Symmetries})
	}
	// Where symmetries keep a position, one move of it stands for several that lead to images.
	all, n, symmetries := dst[from:], 0, e.places[last].Symmetries
	if symmetries != 1 {
		slices.SortFunc(all, func(a, b Parent) int { return cmp.Compare(a.Rank, b.Rank) })
	}
	for i, p := range all {
		if i > 0 && p.Rank == all[n-1].Rank {
			all[n-1].Moves += p.Moves
			continue
		}
		all[n] = p
		n++
	}
	for i := 0; i < n && symmetries != 1; i++ {
		if all[i].Moves%symmetries != 0 {
			return dst, FaultAt(e.r, at, "%d symmetries keep it, and %d moves lead to it from rank %d", symmetries, all[i].Moves, all[i].Rank)
		}
		all[i].Moves /= symmetries
	}
	return dst[:from+n], nil
}
