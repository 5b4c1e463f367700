package retro

import (
	"fmt"

	"backsolve/retro/internal/work"
)

// Tally counts the states of some blocks, each as often as it has images in the whole
// game, by the weight of the index and by steps or nimbers.
type Tally = work.Tally

// Part is a run of settled blocks of a class, as it goes from one process to another. Equal
// blocks make equal parts, whoever settled them.
type Part struct {
	// Class is the number of marked cells, First the number of the first block in the
	// class, and Words the length of a block's slice in words.
	Class, First, Words int
	// Win has the won states, block by block; who has not won has lost.
	Win []uint64
	// Digits are the binary digits of the steps, or nimbers, the lowest first, as many
	// as the greatest of the part takes.
	Digits [][]uint64
	// Tally counts the states.
	Tally Tally
}

// Blocks returns the number of blocks.
func (p *Part) Blocks() int { return len(p.Win) / max(p.Words, 1) }

// newPart returns blocks of a level and what they add up to. It shares their memory.
func newPart(l *level, first, blocks int, sum *Tally) *Part {
	of := func(plane []uint64) []uint64 { return plane[(first-l.first)*l.words:][:blocks*l.words] }
	p := &Part{Class: l.class.Class, First: first, Words: l.words, Win: of(l.win), Tally: *sum}
	for _, plane := range l.digits[:sum.MostDigits()] {
		p.Digits = append(p.Digits, of(plane))
	}
	p.Tally.Trim()
	return p
}

// check says why a part cannot be one of the class.
func (p *Part) check(c *work.Class, o Options) error {
	blocks := p.Blocks()
	switch {
	case p.Class != c.Class.Class || p.Words != c.Words():
		return fmt.Errorf("a part of class %d, whose slices have %d words, is none of class %d with %d", p.Class, p.Words, c.Class.Class, c.Words())
	case p.First < 0 || blocks < 1 || len(p.Win) != blocks*p.Words || p.First+blocks > len(c.Masks):
		return fmt.Errorf("class %d has no %d blocks from %d on", p.Class, blocks, p.First)
	case len(p.Digits) > 0 && !o.numbered():
		return fmt.Errorf("a part of class %d has steps or nimbers, which nobody asked for", p.Class)
	case p.Tally.MostDigits() != len(p.Digits):
		return fmt.Errorf("a part of class %d counts numbers of %d digits, and has %d", p.Class, p.Tally.MostDigits(), len(p.Digits))
	}
	for _, plane := range p.Digits {
		if len(plane) != len(p.Win) {
			return fmt.Errorf("a part of class %d has planes of %d and of %d words", p.Class, len(p.Win), len(plane))
		}
	}
	for _, by := range [][]uint64{p.Tally.Wins, p.Tally.Losses, p.Tally.TerminalWins, p.Tally.TerminalLosses} {
		if len(by) != c.IndexBits+1 {
			return fmt.Errorf("a part of class %d counts %d weights, not %d", p.Class, len(by), c.IndexBits+1)
		}
	}
	return nil
}

// take takes the planes of a part.
func (l *level) take(p *Part) error {
	for len(l.digits) < len(p.Digits) {
		if err := l.addDigit(); err != nil {
			return err
		}
	}
	copy(l.win[p.First*l.words:], p.Win)
	for d, plane := range p.Digits {
		copy(l.digits[d][p.First*l.words:], plane)
	}
	return nil
}
