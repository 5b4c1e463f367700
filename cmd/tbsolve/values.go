package main

import (
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/dustin/go-humanize"
)

// countValue is a flag that takes a whole number within bounds.
type countValue struct {
	count    int
	max      int
	standard string // what help shows as the default
}

func (v *countValue) String() string { return v.standard }
func (v *countValue) Type() string   { return "number" }

func (v *countValue) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > v.max {
		return fmt.Errorf("give a whole number from 1 to %d", v.max)
	}
	v.count = n
	return nil
}

// bytesValue is a flag that takes an amount of memory, 0 where it is not given.
type bytesValue int64

// leastMemory is below what any solve takes.
const leastMemory = 1 << 20

func (v *bytesValue) String() string { return "" }
func (v *bytesValue) Type() string   { return "size" }

func (v *bytesValue) Set(text string) error {
	n, err := humanize.ParseBytes(text)
	if err != nil || n > math.MaxInt64 {
		return fmt.Errorf("give an amount like 8GiB, 500MB or 8000000000")
	}
	if n < leastMemory {
		return fmt.Errorf("nothing can be solved in less than %s", bytesText(leastMemory))
	}
	*v = bytesValue(n)
	return nil
}

// bytesText writes an amount of memory or disk space for people.
func bytesText(bytes int64) string { return humanize.IBytes(uint64(bytes)) }

// countText writes a number with commas.
func countText(n uint64) string { return humanize.BigComma(new(big.Int).SetUint64(n)) }

// rateText writes so many states a second: 38.4 M states/s.
func rateText(rate float64) string { return humanize.SIWithDigits(rate, 1, "") + " states/s" }
