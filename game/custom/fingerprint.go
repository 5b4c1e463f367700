package custom

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"slices"
)

// Fingerprint returns a number that tells rules from changed ones. It depends on keys, tiers, moves
// and ends of a few hundred positions of random games, but not on the order of moves. Rules that
// differ elsewhere alone have the same. It ends at a position where the rules panic.
func Fingerprint(rules Rules) uint64 {
	const positions, plies = 300, 60
	hash, r, e := fnv.New64a(), rand.NewPCG(1, 1), rules.NewExpander()
	write := func(n uint64) { hash.Write(binary.LittleEndian.AppendUint64(nil, n)) }
	at := rules.Start()
	var children []Child
	for i := range positions {
		after, outcome, over, err := e.Expand(children[:0], at)
		if err != nil {
			break
		}
		write(at.Key)
		if over {
			write(uint64(outcome))
		}
		slices.SortFunc(after, Child.Compare)
		after = slices.Compact(after)
		for _, c := range after {
			write(uint64(c.Tier))
			write(c.Key)
		}
		if at = rules.Start(); len(after) > 0 && i%plies < plies-1 {
			at = after[r.Uint64()%uint64(len(after))]
		}
		children = after
	}
	return hash.Sum64()
}
