package main

import (
	"slices"
	"testing"
)

func TestIterations(t *testing.T) {
	v := newIterations(standardIterations)
	want := []int{
		0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1200, 1400, 1600, 1800, 2000,
		2500, 3000, 3500, 4000, 4500, 5000, 6000, 8000, 10000,
	}
	if !slices.Equal(v.numbers, want) || v.String() != standardIterations {
		t.Errorf("%v", v)
	}
	for text, want := range map[string][]int{
		"":              nil,
		"5":             {5},
		"7,5,5-7/2":     {5, 7},
		"0-10/4":        {0, 4, 8},
		"3-3/1":         {3},
		"0-9998/1,9999": nil,
	} {
		if err := v.Set(text); err != nil || want != nil && !slices.Equal(v.numbers, want) || text == "" && v.numbers != nil {
			t.Errorf("%q: %v, %v", text, v.numbers, err)
		}
	}
	for _, text := range []string{",", "-1", "1-5", "5-1/1", "0-10/0", "0-10/-1", "a", "1-a/1", "0-10000/1", "0-99999999999999/1", "1/2", "0-9/1/1"} {
		before := v
		if err := v.Set(text); err == nil || v.text != before.text {
			t.Errorf("%q is read as %v", text, v.numbers)
		}
	}
}

func TestOpponents(t *testing.T) {
	m := matchSeries{policies: []string{"shortest", "optimal", "shortest"}, blunders: []string{"0", "0.5", "0.50"}}
	want := []string{"shortest", "shortest:blunder=0.5", "optimal", "optimal:blunder=0.5"}
	if got, err := m.opponents(); err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	for _, p := range []string{"-0.1", "1.1", "NaN", "", "half"} {
		m.blunders = []string{p}
		if got, err := m.opponents(); err == nil {
			t.Errorf("a blunder of %s: %q", p, got)
		}
	}
	m.policies, m.blunders = []string{"best"}, []string{"0"}
	if got, err := m.opponents(); err == nil {
		t.Errorf("%q", got)
	}
}
