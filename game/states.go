package game

import "math/big"

// StateCount returns the number of states of an n×n board, symmetric ones counted
// and the player to move held fixed: (Marks + 1)^(n²).
func StateCount(i Info) *big.Int {
	cells := int64(i.Size * i.Size)
	return new(big.Int).Exp(big.NewInt(int64(i.Marks+1)), big.NewInt(cells), nil)
}
