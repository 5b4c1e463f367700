package search

import (
	"math/bits"

	"backsolve/game"
)

// Masks is a position on a grid without the names of the sides: the cells of the player to move
// and the opponent's, as in a game.Position. If every mark is an X, all are the mover's.
type Masks struct {
	Mover, Waiting uint64
}

// MasksOf returns the state of a position.
func MasksOf(p game.Position) Masks { return Masks{p.Mover(), p.Waiting()} }

func (s Masks) position() game.Position { return game.Position{X: s.Mover, O: s.Waiting} }

type grids struct{}

// Of returns the state of a game.Position.
func (grids) Of(p game.State) Masks { return MasksOf(p.(game.Position)) }

// Hash mixes the masks by multiplications.
func (grids) Hash(s Masks) uint64 {
	return (s.Mover*0x9e3779b97f4a7c15 ^ bits.RotateLeft64(s.Waiting*0xc2b2ae3d27d4eb4f, 32)) * 0x9fb21c651e98df25
}
