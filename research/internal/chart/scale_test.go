package chart

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func labels(s *scale) string {
	var all []string
	for _, t := range s.ticks {
		if t.label != "" {
			all = append(all, t.label)
		}
	}
	return strings.Join(all, " ")
}

func TestLabels(t *testing.T) {
	for _, c := range []struct {
		axis   Axis
		values []float64
		want   string
	}{
		{Axis{}, []float64{0, 100}, "0 10 20 30 40 50 60 70 80 90 100"},
		{Axis{}, []float64{0, 0.9}, "0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9"},
		{Axis{}, []float64{0, 43_046_721}, "0 5M 10M 15M 20M 25M 30M 35M 40M"},
		{Axis{}, []float64{-2, 2}, "-2.0 -1.5 -1.0 -0.5 0.0 0.5 1.0 1.5 2.0"},
		{Axis{}, []float64{7}, "6.5 6.6 6.7 6.8 6.9 7.0 7.1 7.2 7.3 7.4 7.5"},
		{Axis{From: 0, To: 50}, []float64{20}, "0 5 10 15 20 25 30 35 40 45 50"},
		{Axis{Log: true}, []float64{0, 100, 10_000}, "100 1000 10k 0"},
		{Axis{Log: true}, []float64{3, 70}, "5 10 20 50"},
		{Axis{Log: true}, []float64{0.001, 1}, "0.001 0.01 0.1 1"},
		{Axis{Log: true}, []float64{1, 1e12}, "1 100 10k 1M 100M 10G 1T"},
	} {
		s, err := newScale(c.axis, c.values)
		if err != nil {
			t.Fatal(err)
		}
		if got := labels(s); got != c.want {
			t.Errorf("%+v of %v: %s, want %s", c.axis, c.values, got, c.want)
		}
	}
	s, err := newPlaces(Axis{}, []int{0, 36})
	if err != nil || labels(s) != "0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 32 34 36" {
		t.Errorf("places: %s, %v", labels(s), err)
	}
}

// Every value lies on its axis, in order, and there is room for the labels.
func TestScalesHoldTheirValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, 1e13), 2, 20).Draw(t, "values")
		values = append(values, rapid.Float64Range(1e-6, 1e6).Draw(t, "above 0"))
		s, err := newScale(Axis{Log: rapid.Bool().Draw(t, "log")}, values)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(values)
		for i, v := range values {
			if at := s.place(v); at < s.min-1e-9 || at > s.max+1e-9 {
				t.Fatalf("%g lies at %g, outside of %g to %g", v, at, s.min, s.max)
			}
			if i > 0 && s.place(v) < s.place(values[i-1]) {
				t.Fatalf("%g lies before %g", v, values[i-1])
			}
		}
		if n := len(strings.Fields(labels(s))); n == 0 || n > mostTicks+4 {
			t.Fatalf("%d labels: %s", n, labels(s))
		}
	})
}
