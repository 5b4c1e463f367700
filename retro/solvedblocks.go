package retro

import (
	"fmt"

	"backsolve/retro/internal/work"
)

// StateCounts counts states by the weight of the index and by steps or nimbers. Each state
// counts once for each of its images in the whole game.
type StateCounts = work.StateCounts

// SolvedBlocks is a run of solved blocks of a class, in the form that processes exchange. It
// depends on the blocks alone, not on the process that solved them.
type SolvedBlocks struct {
	// Class is the number of marked cells, First the number of the first block in the
	// class, and Words the length of a block's slice in words.
	Class, First, Words int
	// Win has the won states, block by block. All others are lost.
	Win []uint64
	// Digits are the binary digits of the steps or nimbers, lowest first, as many as are needed.
	Digits [][]uint64
}

// Blocks returns the number of blocks.
func (p *SolvedBlocks) Blocks() int { return len(p.Win) / max(p.Words, 1) }

func (p *SolvedBlocks) check(c *work.Class, o Options) error {
	blocks := p.Blocks()
	switch {
	case p.Class != c.Class.Class || p.Words != c.Words():
		return fmt.Errorf("a run of blocks of class %d, whose slices have %d words, does not fit class %d with %d", p.Class, p.Words, c.Class.Class, c.Words())
	case p.First < 0 || blocks < 1 || len(p.Win) != blocks*p.Words || p.First+blocks > len(c.Masks):
		return fmt.Errorf("class %d has no %d blocks from %d on", p.Class, blocks, p.First)
	case len(p.Digits) > 0 && !o.numbered():
		return fmt.Errorf("a run of blocks of class %d has steps or nimbers, which this solve does not have", p.Class)
	}
	for _, plane := range p.Digits {
		if len(plane) != len(p.Win) {
			return fmt.Errorf("a run of blocks of class %d has planes of %d and of %d words", p.Class, len(p.Win), len(plane))
		}
	}
	return nil
}

func (l *level) take(p *SolvedBlocks) error {
	if err := l.addDigits(len(p.Digits)); err != nil {
		return err
	}
	copy(l.win[p.First*l.words:], p.Win)
	for d, plane := range p.Digits {
		copy(l.digits[d][p.First*l.words:], plane)
	}
	return nil
}
