package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// iterationsValue is a flag of whole numbers and ranges with a step: 0-1000/100,1200. An
// empty text stands for none.
type iterationsValue struct {
	text    string
	numbers []int
}

// standardIterations are those of the published ladders.
const standardIterations = "0-1000/100,1200-2000/200,2500-5000/500,6000,8000,10000"

const maxNumbers = 10_000

// newIterations panics if the text is not valid.
func newIterations(text string) iterationsValue {
	v := iterationsValue{}
	if err := v.Set(text); err != nil {
		panic(err)
	}
	return v
}

func (v *iterationsValue) String() string { return v.text }
func (v *iterationsValue) Type() string   { return "LIST" }

func (v *iterationsValue) Set(text string) error {
	var numbers []int
	for part := range strings.SplitSeq(text, ",") {
		if text == "" {
			break
		}
		from, to, step, err := parseRange(part)
		if err != nil {
			return err
		}
		if (to-from)/step >= maxNumbers-len(numbers) {
			return fmt.Errorf("%q has more than %d numbers; give fewer", text, maxNumbers)
		}
		for n := from; n <= to; n += step {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	v.text, v.numbers = text, slices.Compact(numbers)
	return nil
}

// UnmarshalText reads the numbers of an experiment.
func (v *iterationsValue) UnmarshalText(text []byte) error { return v.Set(string(text)) }

// parseRange parses FROM-TO/STEP, or a number.
func parseRange(text string) (from, to, step int, err error) {
	if n, err := strconv.Atoi(text); err == nil && n >= 0 {
		return n, n, 1, nil
	}
	var rest string
	n, _ := fmt.Sscanf(text, "%d-%d/%d%s", &from, &to, &step, &rest)
	if n != 3 || from < 0 || to < from || step < 1 {
		return 0, 0, 0, fmt.Errorf("%.40q is not a number of iterations or a range of them; give for example 100,500 or 0-1000/100,2000", text)
	}
	return from, to, step, nil
}

// floatText returns the shortest text that parses to x.
func floatText(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
