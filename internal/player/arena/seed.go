package arena

import "backsolve/internal/search"

// maxSeed bounds the seeds of players, so that they are whole numbers to every
// reader of JSON.
const maxSeed = 1<<53 - 1

// Seed returns the seed, less than 2⁵³, of a piece of work: of the game with a
// number from 0 on, for the side 0 that begins or 1.
func Seed(seed uint64, number, side int) uint64 {
	return search.Mix(search.Mix(search.Mix(seed)+uint64(number))+uint64(side)) & maxSeed
}
