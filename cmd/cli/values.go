package cli

import (
	"fmt"
	"math"
	"runtime"
	"strconv"

	"github.com/dustin/go-humanize"
)

// CountValue is a flag for a whole number from 1 to Max.
type CountValue struct {
	Count    int
	Max      int
	Standard string // the default in help
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

// BytesValue is a flag for an amount of memory of at least 1 MiB, 0 if it is not given.
type BytesValue int64

func (v *BytesValue) String() string { return "" }
func (v *BytesValue) Type() string   { return "BYTES" }

func (v *BytesValue) Set(text string) error {
	n, err := humanize.ParseBytes(text)
	if err != nil || n < 1<<20 || n > math.MaxInt64 {
		return fmt.Errorf("give at least 1MiB, for example 8GiB, 500MB or 8000000000")
	}
	*v = BytesValue(n)
	return nil
}

// MaxThreads bounds --threads.
const MaxThreads = 4096

// ThreadsValue returns the value of --threads, all cores by default.
func ThreadsValue() CountValue {
	return CountValue{Count: runtime.GOMAXPROCS(0), Max: MaxThreads, Standard: "all cores"}
}
