package game

import "math/big"

// StateCount returns the number of states of a board, symmetric ones counted and the
// player to move held fixed: (Marks + 1)^cells.
func StateCount(i Info) *big.Int {
	cells := int64(Size(i.Size).Cells())
	return new(big.Int).Exp(big.NewInt(int64(i.Marks+1)), big.NewInt(cells), nil)
}
