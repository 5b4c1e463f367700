package arena

// maxSeed bounds the seeds of players, so that they are whole numbers to every
// reader of JSON.
const maxSeed = 1<<53 - 1

// Seed returns the seed, less than 2⁵³, of a piece of work: of the game with a
// number from 0 on, for the side 0 that begins or 1.
func Seed(seed uint64, number, side int) uint64 {
	return mix(mix(mix(seed)+uint64(number))+uint64(side)) & maxSeed
}

// mix turns numbers that are near each other into ones that are not (SplitMix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
