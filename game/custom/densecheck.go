package custom

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

func (c *checker[S]) units() error {
	if c.r.units < 0 || c.r.units >= MaxTiers {
		return &Fault{What: fmt.Sprintf("Units returns %d, not 0 to %d", c.r.units, MaxTiers-1)}
	}
	for unit := range c.r.units {
		if size := c.r.dense.Size(unit); size > MostRanks {
			return &Fault{What: fmt.Sprintf("Size returns %d for unit %d, and may return %d at most", size, unit, uint64(MostRanks))}
		}
	}
	return nil
}

func (c *checker[S]) ranked(s S, at Child) error {
	if c.r.dense == nil {
		return nil
	}
	unit := c.r.unit(at.Tier)
	if unit < 0 || unit >= c.r.units {
		return c.fault(s, "it is in unit %d of %d", unit, c.r.units)
	}
	if size := c.r.dense.Size(unit); at.Key >= size {
		return c.fault(s, "it has the rank %d in unit %d of the size %d", at.Key, unit, size)
	}
	return nil
}

// ranks checks up to n positions of each unit, by ranks drawn at random: play may reach none of them,
// but all are solved.
func (c *checker[S]) ranks(n int, r *rand.Rand) error {
	for unit := range c.r.units {
		size := c.r.dense.Size(unit)
		for i := range min(size, uint64(n)) {
			if size > uint64(n) {
				i = r.Uint64N(size)
			}
			s, ok := c.r.dense.Unrank(unit, i)
			if !ok {
				continue
			}
			if at := c.r.number(s); at != (Child{i, c.r.unit(unit)}) {
				return c.fault(s, "Unrank returns it for rank %d of unit %d, but it has rank %d of unit %d", i, unit, at.Key, c.r.unit(at.Tier))
			}
			if err := c.position(s, true); err != nil {
				return err
			}
			if err := c.backward(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// backward checks that Unmoves is the inverse of Moves for one move from the position and one to it,
// drawn by lot.
func (c *checker[S]) backward(r *rand.Rand) error {
	if c.r.dense == nil {
		return nil
	}
	s, after := c.own.at, c.own.after
	if all, one := c.r.batched.Ranks(nil, after), (oneByOne[S]{c.r.dense}).Ranks(nil, after); !slices.Equal(all, one) {
		return c.fault(s, "Ranks returns %v for the positions after it, and Home and Rank return %v", all, one)
	}
	if c.r.leaver != nil {
		if err := sameMoves(rankedRules[S]{c.r}, c.r.number(s), c.own.over, c.own.children); err != nil {
			return err
		}
	}
	if len(after) > 0 {
		if err := c.inverse(s, after[r.IntN(len(after))]); err != nil {
			return err
		}
	}
	before := c.r.dense.Unmoves([]S{s}, s)
	if len(before) < 1 || before[0] != s {
		return c.fault(s, "Unmoves changes what is already in the slice; it must append")
	}
	if len(before) == 1 {
		return nil
	}
	from := before[1+r.IntN(len(before)-1)]
	if tier := c.r.tier(from); tier != c.own.tier {
		return c.fault(s, "it is in unit %d, and Unmoves returns %s in unit %d", c.r.unit(c.own.tier), c.r.Format(from), c.r.unit(tier))
	}
	if _, over := c.r.Terminal(from); over {
		return c.fault(s, "Unmoves returns %s, where the game is over", c.r.Format(from))
	}
	return c.inverse(from, s)
}

// sameMoves checks that a Ranker, which asks Leave, finds the same moves of a position as Moves. It is no method of
// checker, so that it is compiled once.
func sameMoves(rules Ranked, at Child, over bool, all []Child) error {
	var seen Seen
	if err := rules.NewRanker().Look(&seen, at); err != nil || over || seen.None {
		return err
	}
	want := slices.DeleteFunc(slices.Clone(all), func(to Child) bool { return to.Tier == at.Tier })
	slices.SortFunc(want, Child.Compare)
	slices.SortFunc(seen.Outside, Child.Compare)
	if inside := len(all) - len(want); seen.Inside != inside || !slices.Equal(seen.Outside, want) {
		return FaultAt(rules, at, "Leave returns that %d moves stay in its unit and %d leave it, and of those of Moves %d stay and %d leave, or they lead elsewhere", seen.Inside, len(seen.Outside), inside, len(want))
	}
	return nil
}

// inverse checks that a position is as often among the unmoves of one that a move leads to as that is
// among the moves. Images count as the same position; a position of which symmetries keep more has
// fewer images.
func (c *checker[S]) inverse(from, to S) error {
	own, at := c.r.number(from), c.r.number(to)
	if own.Tier != at.Tier {
		return nil
	}
	_, ofFrom := c.r.dense.Rank(from)
	_, ofTo := c.r.dense.Rank(to)
	if ofFrom < 1 || ofTo < 1 {
		return c.fault(from, "Rank returns that %d symmetries keep it, and %d keep %s; one always does", ofFrom, ofTo, c.r.Format(to))
	}
	count := func(all []S, at Child) (n int) {
		for _, s := range all {
			n += int(Bit(c.r.number(s) == at, 0))
		}
		return n
	}
	moves, unmoves := count(c.r.Moves(nil, from), at), count(c.r.dense.Unmoves(nil, to), own)
	if moves*ofTo != unmoves*ofFrom {
		return c.fault(from, "%d moves lead to %s or an image of it, and it or an image is %d times among the unmoves of that; %d and %d symmetries keep them", moves, c.r.Format(to), unmoves, ofFrom, ofTo)
	}
	return nil
}
