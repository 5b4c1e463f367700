package retro

import (
	"backsolve/bitslice"
	"backsolve/partition"
)

// DiskBytes returns the bytes that a solve takes on the disk at most: the table, and with
// steps the logs of two neighbouring classes.
func DiskBytes(space *partition.Space, o Options, packed bool) int64 {
	need := TableBytes(space, o, packed)
	if o.Steps {
		need += LogBytes(space, o)
	}
	return need
}

// TableBytes returns the bytes of the classes of a table that are to be solved. Without
// steps, and not packed, that is exact but for some pages; with steps it is an estimate,
// as the solve finds how many binary digits they have.
func TableBytes(space *partition.Space, o Options, packed bool) int64 {
	const headerAndPadding = 3 * 4096
	total := int64(0)
	for class, blocks := range partition.BlockCounts(space) {
		if class < o.DownTo {
			continue
		}
		words := int64(bitslice.Words(space.IndexBits[class]))
		total += 8*int64(float64(blocks*words)*StateBits(space, o, class, packed)) + 8*blocks + headerAndPadding
	}
	return total
}

// What a state takes in a packed table, at most, as the tables that were measured in
// docs/reference/format.md and docs/reports/results.md lead to expect.
const (
	packedOutcome = 0.6 // of the bits of the outcomes
	packedSteps   = 2.0 // bits for the steps
	nimberDigits  = 4   // of the nimbers of the boards that have been solved, at most
)

// StateBits returns the bits that the table of a solve, packed or not, keeps of each state of
// a class.
func StateBits(space *partition.Space, o Options, class int, packed bool) float64 {
	outcome, steps := float64(space.Planes()), 0.0
	switch {
	case o.Steps:
		steps = float64(StepDigits(space, class))
	case o.Nimbers:
		steps = min(nimberDigits, float64(StepDigits(space, class)))
	}
	if packed {
		return packedOutcome*outcome + min(packedSteps, steps)
	}
	return outcome + steps
}
