package outofcore

import (
	"slices"

	"backsolve/game"
	"backsolve/partition"
	"backsolve/tablebase"
)

// cutting divides a space into the halves in which it is solved, where it has any. Twice as
// many half slices fit in memory, so the class above is streamed half as often. A finished half
// also frees the same half of the class above. The half with the bit set comes first, as moves
// of the other half lead into it.
type cutting struct {
	space  *partition.Space
	halves partition.Halves
	// spaces are the halves in the order of solving, or the whole space.
	spaces []*partition.Space
	// asked are the positions whose values are noted, nil for the start position and its children.
	asked []game.Position
}

func newCutting(space *partition.Space) cutting {
	c := cutting{space: space, spaces: []*partition.Space{space}}
	if halves, ok := partition.Halve(space); ok {
		c.halves, c.spaces = halves, []*partition.Space{halves.Set, halves.Clear}
	}
	return c
}

func (c *cutting) cuts() ([]*partition.Cut, error) {
	if !c.halved() {
		cut, err := partition.NewCut(c.space)
		return []*partition.Cut{cut}, err
	}
	set, clear, err := c.halves.Cuts()
	return []*partition.Cut{set, clear}, err
}

func (c *cutting) halved() bool { return len(c.spaces) > 1 }

// Stage is a class or a half of one, as it is solved at once.
type Stage struct {
	// Number is its place in the order of solving.
	Number int
	// Half is 0 for the half that is solved first, and where the space has no halves.
	Class, Half int
	// Last says that this is the last stage of its class.
	Last bool
}

// Stages returns the stages of a space, in the order of solving.
func Stages(space *partition.Space) []Stage {
	c := newCutting(space)
	all := make([]Stage, c.stages())
	for number := range all {
		all[number] = c.stage(number)
	}
	return all
}

func (c *cutting) stages() int { return (c.space.MaskBits + 1) * len(c.spaces) }

func (c *cutting) stage(number int) Stage {
	half := number % len(c.spaces)
	return Stage{number, c.space.MaskBits - number/len(c.spaces), half, half == len(c.spaces)-1}
}

func (c *cutting) whole(of []ClassCounts) ClassCounts {
	if !c.halved() {
		return of[0]
	}
	set, clear := of[0], of[1]
	w := ClassCounts{Class: set.Class, IndexBits: set.IndexBits + 1, Blocks: set.Blocks}
	w.Counts.ByWeight = append(slices.Clone(clear.Counts.ByWeight), tablebase.OutcomeCounts{})
	for weight, n := range set.Counts.ByWeight {
		w.Counts.ByWeight[weight+1].Add(n)
	}
	return w
}

// FirstValue is the value of a noted position.
type FirstValue struct {
	Position game.Position
	// Won says whether the player to move wins it.
	Won bool
}

func (c *cutting) noted() []game.Position {
	if c.asked != nil {
		return c.asked
	}
	list := []game.Position{c.space.Position(partition.State{})}
	for _, m := range c.space.Moves(0, nil) {
		list = append(list, c.space.Position(partition.State{Class: 1, Mask: m.Child}))
	}
	for b := range c.space.IndexBits[0] {
		list = append(list, c.space.Position(partition.State{Index: 1 << uint(b)}))
	}
	return list
}

type first struct {
	FirstValue
	block int
	index uint32
}

// notedIn returns the noted positions of a stage, whose blocks are those of class.
func (c *cutting) notedIn(s Stage, class *partition.Class) (list []first) {
	for _, p := range c.noted() {
		half := 0
		if c.halved() && p.X&c.halves.Cells == 0 {
			half = 1
		}
		if at := c.spaces[half].Locate(p); at.Class == s.Class && half == s.Half {
			block, _ := slices.BinarySearch(class.Masks, at.Mask)
			list = append(list, first{FirstValue{Position: p}, block, at.Index})
		}
	}
	return list
}
