package games

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"backsolve/bitboard"
	"backsolve/game"
)

// What a board says of its symmetries holds: the image of a position ends as it does,
// and has the images of the positions that follow on it.
func TestSymmetries(t *testing.T) {
	everyBoard(t, func(t *testing.T, r game.Grid) {
		var group []bitboard.Perm
		switch kind := r.Info().Symmetries; kind {
		case game.OfSquare:
			group = bitboard.SquareGroup(r.Size())
		case game.OfLines:
			group = bitboard.LineGroup(r.Size())
		default:
			t.Skipf("of symmetries it says %q", kind)
		}
		rapid.Check(t, func(t *rapid.T) {
			p, g := drawPosition(t, r), rapid.SampledFrom(group).Draw(t, "symmetry")
			image := func(p game.Position) game.Position {
				return game.Position{X: g.Apply(p.X), O: g.Apply(p.O), Mark: p.Mark}
			}
			outcome, over := r.Terminal(p)
			if got, ends := r.Terminal(image(p)); got != outcome || ends != over {
				t.Fatalf("%s: over is %v with %v, its image %s: %v with %v", r.Format(p), over, outcome, r.Format(image(p)), ends, got)
			}
			want := map[game.Position]int{}
			for _, next := range following(r, p) {
				want[image(next)]++
			}
			got := map[game.Position]int{}
			for _, next := range following(r, image(p)) {
				got[next]++
			}
			if !maps.Equal(got, want) {
				t.Fatalf("on %s, the image of %s, follow %v, want %v", r.Format(image(p)), r.Format(p), slices.Collect(maps.Keys(got)), slices.Collect(maps.Keys(want)))
			}
		})
	})
}

// following returns the positions after all legal moves.
func following(r game.Grid, p game.Position) (all []game.Position) {
	for _, m := range r.Moves(nil, p) {
		all = append(all, r.Play(p, m))
	}
	return all
}
