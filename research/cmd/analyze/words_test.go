package main

import (
	"math"
	"testing"
)

func TestEstimatesInWords(t *testing.T) {
	for _, c := range []struct {
		e       estimate
		percent string // or ""
		states  string // or ""
	}{
		{exactly(0.614), "61.4 %", ""},
		{exactly(43_046_721), "", "43,046,721"},
		{estimate{0.38712, 0.0012}, "38.7 % ± 0.1 %", ""},
		{estimate{0.5, 0.00001}, "50.0 % ± 0.001 %", ""},
		{estimate{6_988_123_456, 71_523_456}, "", "6,988,000,000 ± 72,000,000"},
		{estimate{0, 10.2}, "", "0 ± 10"},
		{estimate{math.NaN(), 0}, "–", "–"},
	} {
		if got := c.e.percent(); c.percent != "" && got != c.percent {
			t.Errorf("%v is %s, not %s", c.e, got, c.percent)
		}
		if got := c.e.states(); c.states != "" && got != c.states {
			t.Errorf("%v is %s, not %s", c.e, got, c.states)
		}
	}
}

func TestList(t *testing.T) {
	for want, words := range map[string][]string{"": nil, "a": {"a"}, "a and b": {"a", "b"}, "a, b and c": {"a", "b", "c"}} {
		if got := list(words); got != want {
			t.Errorf("%v is %q, not %q", words, got, want)
		}
	}
}

func TestSideBySide(t *testing.T) {
	const want = "start   1. a1\n1  .    1  X\n   a       a\n\n2. long\n1  X\n   a\n"
	got := sideBySide([]string{"start", "1. a1", "2. long"}, []string{"1  .\n   a\n", "1  X\n   a\n", "1  X\n   a\n"}, 2)
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
