package plan

import "backsolve/partition"

// Disk returns the most bytes of disk that the solve takes: the table and the work files.
func (p *Plan) Disk() int64 { return p.Table() + p.Logs() + p.ShardWork().Files }

// Table returns the length of the table in bytes: exact but for some pages without steps and unpacked, else an
// estimate, as only the solve finds how many digits steps have.
func (p *Plan) Table() (total int64) {
	for _, c := range p.Classes {
		total += p.tableBytes(c)
	}
	return total
}

func (p *Plan) tableBytes(c Class) int64 {
	const headerAndPadding = 3 * 4096
	return p.planeBytes(c) + 8*c.Blocks + headerAndPadding
}

func (p *Plan) planeBytes(c Class) int64 {
	return 8 * int64(float64(c.words())*p.stateBits(c.Class))
}

// TwoClasses returns the bytes of the planes of the two largest neighbouring classes.
func (p *Plan) TwoClasses() int64 { return p.two(p.planeBytes) }

func (p *Plan) two(of func(c Class) int64) (most int64) {
	above := int64(0)
	for _, c := range p.Classes {
		n := of(c)
		most, above = max(most, above+n), n
	}
	return most
}

// stateBits returns the bits of a state in the table. The constants for packed tables are upper bounds of what
// docs/reference/format.md and docs/reports/results.md measure.
func (p *Plan) stateBits(class int) float64 {
	const (
		packedOutcome = 0.6 // of the bits of the outcomes
		packedSteps   = 2.0 // bits for the steps
		archivedSteps = 1.3 // bits for those of lost states alone
		nimberDigits  = 4   // of the nimbers of the solved boards, at most
	)
	outcome, steps := float64(p.space.Planes()), float64(p.digits(class))
	if p.Nimbers {
		steps = min(nimberDigits, steps)
	}
	switch {
	case p.Archive:
		return packedOutcome*outcome + min(archivedSteps, steps)
	case p.Packed:
		return packedOutcome*outcome + min(packedSteps, steps)
	}
	return outcome + steps
}

// loggedBits is what a state takes in a log: on Quixo 5×5 it is 3.0 to 3.6 bits.
const loggedBits = 3.6

// Logs returns the most bytes of disk that the logs of a solve with steps take: of two neighbouring classes.
func (p *Plan) Logs() int64 {
	return p.two(func(c Class) int64 {
		if !p.Steps || p.space.Kind == partition.FixedSlice || c.words() < HeldWords {
			return 0
		}
		return int64(loggedBits * 8 * float64(c.words()))
	})
}
