package interval

import (
	"math"
	"testing"
)

// Five of five seeds are exactly 47.8 to 100 %, and no interval leaves what there can be.
func TestIntervals(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{[]float64{100, 100, 100, 100, 100}, "100.0 (47.8–100.0)"},
		{[]float64{100, 0, 100, 100, 100}, "80.0 (28.4–99.5)"},
		{[]float64{0, 0, 0, 0, 0}, "0.0 (0.0–52.2)"},
		{[]float64{10, 20, 30, 40, 50}, "30.0 (10.4–49.6)"}, // t(4)·√250/√5
		{[]float64{10, 20, 90}, "40.0 (0.0–100.0)"},
		{[]float64{90}, "90.0 (0.0–100.0)"},
	} {
		if got := Text(Mean(c.values, 0, 100)); got != c.want {
			t.Errorf("%v: %s, want %s", c.values, got, c.want)
		}
	}
	if e := Mean([]float64{5}, math.Inf(-1), math.Inf(1)); Text(e) != "5.0" {
		t.Errorf("one value without bounds: %+v", e)
	}
	if s := Share(0, 0); Text(s) != "-" || s.High != 1 {
		t.Errorf("%+v", s)
	}
	// Published tables have 0.4439 to 0.9748 for 8 of 10.
	if s := Share(8, 10); math.Abs(s.Low-0.4439) > 1e-4 || math.Abs(s.High-0.9748) > 1e-4 {
		t.Errorf("%+v", s)
	}
	var many []float64
	for i := range 100 {
		many = append(many, float64(i%2*20+40))
	}
	if e := Mean(many, 0, 100); e.Value != 50 || e.Low < 47 || e.Low > 49 || e.High < 51 || e.High > 53 {
		t.Errorf("drawn again: %+v", e)
	}
}
