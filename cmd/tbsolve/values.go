package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

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

// choiceValue is a flag that takes one of some words.
type choiceValue struct {
	choice  string
	choices []string
}

func (v *choiceValue) String() string { return v.choice }
func (v *choiceValue) Type() string   { return "word" }

func (v *choiceValue) Set(text string) error {
	if !slices.Contains(v.choices, text) {
		return fmt.Errorf("give one of %s", strings.Join(v.choices, ", "))
	}
	v.choice = text
	return nil
}
