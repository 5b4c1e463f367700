package probe

import "strconv"

// Nimber is what is known of a position's Grundy value: the size of the heap of Nim
// that the position equals in an impartial game whose last mover wins (the theorem of
// Sprague and Grundy). The player to move loses where it is 0, and that of a sum of
// positions is the XOR of theirs. The zero value says that it is not known.
type Nimber struct {
	known bool
	value uint16
}

// NimberOf returns the nimber of a Grundy value, 0 ≤ value < 1<<16.
func NimberOf(value int) Nimber { return Nimber{true, uint16(value)} }

// Value returns the Grundy value, and whether it is known.
func (n Nimber) Value() (value int, known bool) { return int(n.value), n.known }

// String returns the Grundy value, a dash where it is not known.
func (n Nimber) String() string {
	if !n.known {
		return "-"
	}
	return strconv.Itoa(int(n.value))
}

// appendJSON appends the field of a nimber that is known.
func (n Nimber) appendJSON(dst []byte) []byte {
	if !n.known {
		return dst
	}
	return strconv.AppendUint(append(dst, `,"nimber":`...), uint64(n.value), 10)
}
