package main

import (
	"slices"
	"testing"

	"backsolve/player"
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

func TestBlundersAndPolicies(t *testing.T) {
	var b blundersValue
	if err := b.Set("0.5,0,0.50"); err != nil || b.String() != "0,0.5" {
		t.Errorf("%v, %v", b, err)
	}
	for _, text := range []string{"", "0,", "-0.1", "1.1", "NaN", "half"} {
		if err := b.Set(text); err == nil {
			t.Errorf("%q is read as %v", text, b)
		}
	}
	var p policiesValue
	if err := p.Set("shortest,optimal,shortest"); err != nil || !slices.Equal(p, policiesValue{player.Shortest, player.Optimal}) {
		t.Errorf("%v, %v", p, err)
	}
	for _, text := range []string{"", "optimal,", "best"} {
		if err := p.Set(text); err == nil {
			t.Errorf("%q is read as %v", text, p)
		}
	}
}
