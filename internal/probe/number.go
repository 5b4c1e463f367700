package probe

import (
	"strconv"

	"backsolve/tablebase"
)

// Number is a nimber or a score, or none, as the zero value is.
type Number struct {
	known bool
	value int32
}

// NewNumber returns a number of at most 32 bits.
func NewNumber(value int) Number { return Number{true, int32(value)} }

// Value returns the number, and whether there is one.
func (n Number) Value() (value int, known bool) { return int(n.value), n.known }

// Pointer returns the number, or nil.
func (n Number) Pointer() *int {
	if value, known := n.Value(); known {
		return &value
	}
	return nil
}

// String returns the number, or a dash if there is none.
func (n Number) String() string {
	if !n.known {
		return "-"
	}
	return strconv.Itoa(int(n.value))
}

// Signed is String with a plus before a number above 0.
func (n Number) Signed() string {
	if n.value > 0 {
		return "+" + n.String()
	}
	return n.String()
}

func (n Number) appendJSON(dst []byte, name string) []byte {
	if !n.known {
		return dst
	}
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	return strconv.AppendInt(dst, int64(n.value), 10)
}

func nimberOf(e tablebase.Entry) Number {
	if e.Nimber < 0 {
		return Number{}
	}
	return NewNumber(e.Nimber)
}
