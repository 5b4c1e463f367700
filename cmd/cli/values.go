package cli

import (
	"fmt"
	"math"
	"runtime"
	"strconv"

	"github.com/dustin/go-humanize"
)

// CountValue is a flag that takes a whole number within bounds.
type CountValue struct {
	Count    int
	Max      int
	Standard string // what help shows as the default
}

// NewCount returns a flag with a default.
func NewCount(count, most int) CountValue {
	return CountValue{Count: count, Max: most, Standard: strconv.Itoa(count)}
}

func (v *CountValue) String() string { return v.Standard }
func (v *CountValue) Type() string   { return "N" }

func (v *CountValue) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > v.Max {
		return fmt.Errorf("give a whole number from 1 to %d", v.Max)
	}
	v.Count = n
	return nil
}

// BytesValue is a flag that takes an amount of memory, 0 where it is not given.
type BytesValue int64

// leastMemory is below what any solve takes.
const leastMemory = 1 << 20

func (v *BytesValue) String() string { return "" }
func (v *BytesValue) Type() string   { return "BYTES" }

func (v *BytesValue) Set(text string) error {
	n, err := humanize.ParseBytes(text)
	if err != nil || n > math.MaxInt64 {
		return fmt.Errorf("give an amount like 8GiB, 500MB or 8000000000")
	}
	if n < leastMemory {
		return fmt.Errorf("nothing can be solved in less than %s", BytesText(leastMemory))
	}
	*v = BytesValue(n)
	return nil
}

// MaxThreads is more than any machine has a use for.
const MaxThreads = 4096

// ThreadsValue returns the value of a flag for threads, all cores unless it is given.
func ThreadsValue() CountValue {
	return CountValue{Count: runtime.GOMAXPROCS(0), Max: MaxThreads, Standard: "all cores"}
}
