package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"backsolve/player"
)

// iterationsValue is a flag that takes whole numbers and ranges of them with a
// step: 0-1000/100,1200. Nothing stands for none.
type iterationsValue struct {
	text    string
	numbers []int
}

// standardIterations are those of the published ladders.
const standardIterations = "0-1000/100,1200-2000/200,2500-5000/500,6000,8000,10000"

// reportIterations go on to where most boards have reached their plateau.
const reportIterations = standardIterations + ",20000,50000,100000"

// maxNumbers bounds a list of numbers of iterations.
const maxNumbers = 10_000

// newIterations returns the flag with a value that can be read.
func newIterations(text string) iterationsValue {
	v := iterationsValue{}
	if err := v.Set(text); err != nil {
		panic(err) // it is written in this program
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
			return fmt.Errorf("%q are more than %d numbers; give fewer", text, maxNumbers)
		}
		for n := from; n <= to; n += step {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	v.text, v.numbers = text, slices.Compact(numbers)
	return nil
}

// parseRange reads a number, or a range of them with a step.
func parseRange(text string) (from, to, step int, err error) {
	wrong := fmt.Errorf("%.40q is no number of iterations and no range of them; give for example 100,500 or 0-1000/100,2000", text)
	ends, every, ranged := strings.Cut(text, "/")
	first, last, _ := strings.Cut(ends, "-")
	if !ranged {
		last, every = first, "1"
		if ends != first {
			return 0, 0, 0, wrong
		}
	}
	for _, number := range []struct {
		text string
		n    *int
	}{{first, &from}, {last, &to}, {every, &step}} {
		if *number.n, err = strconv.Atoi(number.text); err != nil {
			return 0, 0, 0, wrong
		}
	}
	if from < 0 || to < from || step < 1 {
		return 0, 0, 0, wrong
	}
	return from, to, step, nil
}

// blundersValue is a flag that takes probabilities, separated by commas.
type blundersValue []float64

// standardBlunders are those of the published ladders.
var standardBlunders = blundersValue{0, 0.01, 0.05, 0.1, 0.2, 0.5}

func (v *blundersValue) Type() string { return "LIST" }

func (v *blundersValue) String() string {
	var texts []string
	for _, p := range *v {
		texts = append(texts, floatText(p))
	}
	return strings.Join(texts, ",")
}

func (v *blundersValue) Set(text string) error {
	var blunders []float64
	for part := range strings.SplitSeq(text, ",") {
		p, err := strconv.ParseFloat(part, 64)
		if err != nil || !(p >= 0 && p <= 1) {
			return fmt.Errorf("%.40q is no probability; give numbers from 0 to 1, for example 0,0.05,0.5", part)
		}
		blunders = append(blunders, p)
	}
	slices.Sort(blunders)
	*v = slices.Compact(blunders)
	return nil
}

// policiesValue is a flag that takes policies, separated by commas.
type policiesValue []player.Policy

func (v *policiesValue) Type() string { return "LIST" }

func (v *policiesValue) String() string {
	var texts []string
	for _, p := range *v {
		texts = append(texts, string(p))
	}
	return strings.Join(texts, ",")
}

func (v *policiesValue) Set(text string) error {
	var policies []player.Policy
	for part := range strings.SplitSeq(text, ",") {
		p := player.Policy(part)
		if p != player.Optimal && p != player.Shortest {
			return fmt.Errorf("%.40q is no policy; give %s, %s or both separated by a comma", part, player.Optimal, player.Shortest)
		}
		if !slices.Contains(policies, p) {
			policies = append(policies, p)
		}
	}
	*v = policies
	return nil
}

// floatText writes a number as short as it can be read back.
func floatText(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
