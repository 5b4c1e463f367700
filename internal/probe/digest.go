package probe

import (
	"context"
	"fmt"
	"io"

	"backsolve/game"
	"backsolve/internal/search"
	"backsolve/partition"
)

// WriteRules writes a line for each of n positions of random play: the text, the index and the moves
// or the outcome. docs/reference/digest.md defines it; its SHA-256 is the digest of the rules.
func WriteRules(ctx context.Context, w io.Writer, rules game.Rules, n int) error {
	appendIndex := indexer(rules)
	var line []byte
	var moves []game.Move
	seed := uint64(1)
	for s := rules.Start(); n > 0; n-- {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		line = append(rules.AppendFormat(line[:0], s), '\t')
		line = append(appendIndex(line, s), '\t')
		outcome, over := rules.Terminal(s)
		if over {
			line = append(line, outcome.String()...)
		}
		moves = rules.Moves(moves[:0], s)
		for i, m := range moves {
			if i > 0 {
				line = append(line, ' ')
			}
			line = append(line, game.MoveText(rules, s, m)...)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
		if over {
			s = rules.Start()
		} else {
			s = rules.Play(s, moves[search.Mix(seed)%uint64(len(moves))])
			seed += 0x9e3779b97f4a7c15 // as the generator SplitMix64 does
		}
	}
	return nil
}

// indexer returns a function that appends where a table stores a state: class, canonical mask and
// index, a hyphen for a board without such tables. Symmetries that keep the mask make several
// indexes the same state; it is the least.
func indexer(rules game.Rules) func(dst []byte, s game.State) []byte {
	var space *partition.Space
	if grid, ok := game.GridOf(rules); ok {
		space, _ = partition.New(grid) // nil for a board without tables
	}
	if space == nil {
		return func(dst []byte, _ game.State) []byte { return append(dst, '-') }
	}
	return func(dst []byte, s game.State) []byte {
		p := s.(game.Position)
		mask, at := space.Mask(p), space.Locate(p)
		for g := range space.Symmetries.Len() {
			if space.Symmetries.Image(g, mask) == at.Mask {
				at.Index = min(at.Index, space.Under(p, mask, g).Index)
			}
		}
		return fmt.Appendf(dst, "%d %d %d", at.Class, at.Mask, at.Index)
	}
}
