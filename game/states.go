package game

import "math/big"

// StateCount returns the number of states of a board, symmetric ones counted
// and the player to move held fixed: (Marks + 1)^(n²).
func StateCount(r Rules) *big.Int {
	cells := int64(r.Size() * r.Size())
	return new(big.Int).Exp(big.NewInt(int64(r.Marks()+1)), big.NewInt(cells), nil)
}
