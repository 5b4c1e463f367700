package chart

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// scale is the range and the ticks of an axis in places: values, or decimal logarithms on a
// logarithmic axis.
type scale struct {
	min, max float64
	log      bool
	discrete bool // whole numbers
	flush    bool // no gap between the axis and the data
	ticks    []tick
}

// tick is a mark on an axis, small without a label.
type tick struct {
	place float64
	label string
}

const mostTicks = 10

// newScale returns a scale that shows all values.
func newScale(a Axis, values []float64) (*scale, error) {
	if a.From != a.To {
		values = append(slices.Clip(values), a.From, a.To)
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("the axis %q has no values", a.Name)
	}
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("the axis %q has no place for %g", a.Name, v)
		}
	}
	if a.Log {
		return newLogScale(a, values)
	}
	s := &scale{min: slices.Min(values), max: slices.Max(values)}
	if s.min == s.max {
		s.min, s.max = s.min-0.5, s.max+0.5
	}
	s.ticks = steps(s.min, s.max, niceStep((s.max-s.min)/mostTicks))
	return s, nil
}

// newPlaces returns the scale of the places of bars.
func newPlaces(a Axis, places []int) (*scale, error) {
	if len(places) == 0 {
		return nil, fmt.Errorf("the axis %q has no places", a.Name)
	}
	least, most := float64(slices.Min(places)), float64(slices.Max(places))
	// Fewer bars are not drawn wider.
	const fewPlaces = 6
	margin := 0.5 + max(0, fewPlaces-1-(most-least))/2
	s := &scale{min: least - margin, max: most + margin, discrete: true, flush: true}
	const mostPlaces = 26
	s.ticks = steps(least, most, max(1, niceStep((most-least)/mostPlaces)))
	return s, nil
}

// newLogScale returns a logarithmic scale.
func newLogScale(a Axis, values []float64) (*scale, error) {
	if least := slices.Min(values); least < 0 {
		return nil, fmt.Errorf("the axis %q is logarithmic and has no place for %g", a.Name, least)
	}
	positive := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return v == 0 })
	if len(positive) == 0 {
		return nil, fmt.Errorf("the axis %q is logarithmic and has no value above 0", a.Name)
	}
	low, high := slices.Min(positive), slices.Max(positive)
	if low == high {
		low, high = low/2, high*2
	}
	s := &scale{min: math.Log10(low), max: math.Log10(high), log: true, ticks: decades(low, high)}
	if len(positive) < len(values) {
		// The 0 is half a decade away, or a tenth of the axis if that is more.
		s.min -= max(0.5, (s.max-s.min)/10)
		s.ticks = append(s.ticks, tick{s.min, "0"})
	}
	return s, nil
}

// place returns the place of a value. On a logarithmic axis smaller values lie at its beginning,
// as the 0 does.
func (s *scale) place(v float64) float64 {
	if s.log {
		return max(s.min, math.Log10(max(v, 0)))
	}
	return v
}

// niceStep returns the least 1, 2 or 5 times a power of ten that is not below a length.
func niceStep(length float64) float64 {
	power := math.Pow10(int(math.Floor(math.Log10(length))))
	for _, factor := range []float64{1, 2, 5} {
		if factor*power >= length*(1-1e-9) {
			return factor * power
		}
	}
	return 10 * power
}

// steps returns ticks at the multiples of a step.
func steps(low, high, step float64) (ticks []tick) {
	const slack = 1e-9
	for i := int(math.Ceil(low/step - slack)); float64(i) <= high/step+slack; i++ {
		v := float64(i) * step
		ticks = append(ticks, tick{min(max(v, low), high), label(v, step)})
	}
	return ticks
}

// decades returns ticks at the powers of ten, with small ones between them. If there are few
// powers, others have labels as well.
func decades(low, high float64) (ticks []tick) {
	first, last := int(math.Floor(math.Log10(low))), int(math.Ceil(math.Log10(high)))
	every := (last-first)/mostTicks + 1
	for power := first; power <= last; power++ {
		for digit := 1.0; digit < 10; digit++ {
			v := digit * math.Pow10(power)
			if v < low || v > high {
				continue
			}
			t := tick{place: math.Log10(v)}
			if digit == 1 && power%every == 0 || high < 100*low && (digit == 2 || digit == 5) {
				t.label = label(v, v)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// label formats a multiple of a step: 0.25, 1000, 20k.
func label(v, step float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if abs := math.Abs(v); abs >= 1e4 && abs >= unit.size {
			return strconv.FormatFloat(round(v/unit.size), 'f', -1, 64) + unit.name
		}
	}
	digits := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// round removes rounding errors.
func round(v float64) float64 { return math.Round(v*1e6) / 1e6 }
