package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"backsolve/cmd/cli"
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

// keepValue is what stays of a solve: the table, only the result, or beside that the
// table of the emptiest classes, of at most so many bytes.
type keepValue struct {
	word  string // "" where it is not given
	bytes int64
}

// The words of --keep.
const (
	keepTable   = "table"
	keepResult  = "result"
	keepOpening = "opening"
)

func (v *keepValue) String() string { return v.word }
func (v *keepValue) Type() string   { return "what" }

func (v *keepValue) Set(text string) error {
	word, size, sized := strings.Cut(text, "=")
	if !slices.Contains([]string{keepTable, keepResult, keepOpening}, word) || sized && word != keepOpening {
		return fmt.Errorf("give table, result, opening, or opening with a size, as in opening=2GiB")
	}
	v.word, v.bytes = word, cli.StandardOpening
	if sized {
		n, err := humanize.ParseBytes(size)
		if err != nil || n > math.MaxInt64 {
			return fmt.Errorf("give the size as in opening=2GiB, opening=500MB or opening=800000000")
		}
		v.bytes = int64(n)
	}
	return nil
}
