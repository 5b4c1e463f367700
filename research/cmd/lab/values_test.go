package main

import (
	"slices"
	"testing"
)

func TestIterations(t *testing.T) {
	v := iterationsValue{}
	if err := v.Set(standardIterations); err != nil {
		t.Fatal(err)
	}
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

// Each opponent is met once, and those of the published ladders by default.
func TestOpponents(t *testing.T) {
	m := series{Measure: strengthMeasure}
	if got := m.opponents(); len(got) != 12 || got[0] != "optimal" || got[11] != "shortest:blunder=0.5" {
		t.Errorf("%q", got)
	}
	m.Measure = lengthMeasure
	if got := m.opponents(); !slices.Equal(got, []string{"optimal", "shortest"}) {
		t.Errorf("%q", got)
	}
	if m.Opponents = []string{"greedy", "greedy"}; len(m.opponents()) != 1 {
		t.Errorf("%q", m.opponents())
	}
}
