package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// Published points are those of the board alone, and lines have the interval of the seeds.
func TestCurves(t *testing.T) {
	path := filepath.Join(t.TempDir(), "published.csv")
	if err := os.WriteFile(path, []byte("measure,heaps,iteration,value\nelo,5,10,1048\nelo,6,10,7\npolicy_top1,5,20,0.25\npolicy_random,5,20,0.1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	published, err := readPublished(path, 5)
	if err != nil || len(published["elo"]) != 1 || published["elo"][0].Y != 1048 {
		t.Fatalf("%v, %v", published, err)
	}
	mean, half := meanAndHalf([]float64{0.1, 0.2, 0.3, 0.4, 0.5})
	if math.Abs(mean-0.3) > 1e-9 || math.Abs(half-0.1963) > 1e-4 { // t(4)·√0.025/√5
		t.Errorf("%v ± %v", mean, half)
	}
	points := []curvePoint{{policyCurve, 5, 20, 5, mean, half}, {randomCurve, 5, 20, 5, 0.134, 0}}
	lines := curvePlots[0].lines(points, published)
	if len(lines) != 3 || lines[0].Name != "keeps the win, 5 trainings" || lines[1].Name != "keeps the win, published" || lines[2].Name != "random mover keeps it, 5 trainings" {
		t.Fatalf("%+v", lines)
	}
	if p := lines[0].Points[0]; p.Low != mean-half || p.High != mean+half {
		t.Errorf("%+v", p)
	}
	wide := []curvePoint{{signCurve, 5, 20, 3, 0.6, 0.7}}
	if p := curvePlots[0].lines(wide, nil)[0].Points[0]; p.Low != 0 || p.High != 1 {
		t.Errorf("an interval of shares is %+v", p)
	}
	if len(curvePlots[2].lines(points, published)) != 0 {
		t.Error("a plot of ratings has none of ours")
	}
}
