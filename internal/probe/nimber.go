package probe

import (
	"strconv"

	"backsolve/tablebase"
)

// Nimber is the Grundy value of a position, if known: the size of the Nim heap that the
// position equals in an impartial game whose last mover wins (Sprague–Grundy theorem). The
// player to move loses if it is 0. The nimber of a sum of positions is the XOR of theirs.
// The zero value is unknown.
type Nimber struct {
	known bool
	value uint16
}

// NimberOf returns the nimber of a Grundy value, 0 ≤ value < 1<<16.
func NimberOf(value int) Nimber { return Nimber{true, uint16(value)} }

// Value returns the Grundy value, and whether it is known.
func (n Nimber) Value() (value int, known bool) { return int(n.value), n.known }

// String returns the Grundy value, or a dash if it is unknown.
func (n Nimber) String() string {
	if !n.known {
		return "-"
	}
	return strconv.Itoa(int(n.value))
}

// appendJSON appends the field of a known nimber.
func (n Nimber) appendJSON(dst []byte) []byte {
	if !n.known {
		return dst
	}
	return strconv.AppendUint(append(dst, `,"nimber":`...), uint64(n.value), 10)
}

// nimberOf returns the nimber that a table stores of a state.
func nimberOf(e tablebase.Entry) Nimber {
	if e.Nimber < 0 {
		return Nimber{}
	}
	return NimberOf(e.Nimber)
}
