package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"backsolve/research/internal/files"
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
	points := []curvePoint{newCurvePoint(policyCurve, 5, 20, []float64{0.1, 0.2, 0.3, 0.4, 0.5}), newCurvePoint(randomCurve, 5, 20, []float64{0.134, 0.134})}
	lines := curvePlots[0].lines(points, published)
	if len(lines) != 3 || lines[0].Name != "keeps the win, 5 trainings" || lines[1].Name != "keeps the win, published" || lines[2].Name != "random mover keeps it, 2 trainings" {
		t.Fatalf("%+v", lines)
	}
	if p := lines[0].Points[0]; math.Abs(p.Low-0.1037) > 1e-4 || math.Abs(p.High-0.4963) > 1e-4 {
		t.Errorf("%+v", p)
	}
	if len(curvePlots[2].lines(points, published)) != 0 {
		t.Error("a plot of ratings has none of ours")
	}
}

// Ratings of several trainings are averaged where all of them have one.
func TestRatingPoints(t *testing.T) {
	var paths []string
	for i, ratings := range [][]rating{
		{{6, 1000, 0, 1000, 0}, {12, 1010, 0, 1020, 0}},
		{{6, 1000, 0, 1000, 0}, {12, 1030, 0, 1060, 0}, {18, 1040, 0, 1080, 0}},
	} {
		paths = append(paths, filepath.Join(t.TempDir(), "elo.json"))
		if err := files.WriteJSON(paths[i], ratings); err != nil {
			t.Fatal(err)
		}
	}
	if points, err := ratingPoints(paths, 5, 7); err != nil || len(points) != 2 || points[0].X != 12 {
		t.Errorf("at most one for every 7: %+v, %v", points, err)
	}
	points, err := ratingPoints(paths, 5, 1)
	if err != nil || len(points) != 4 {
		t.Fatalf("%+v, %v", points, err)
	}
	if p := points[1]; p.Measure != inheritedCurve || p.X != 12 || p.Seeds != 2 || p.Mean != 1040 || math.Abs(p.High-p.Mean-12.7062*20) > 1e-2 { // t(1)·√800/√2
		t.Errorf("%+v", p)
	}
	if p := points[3]; p.Measure != levelCurve || p.Mean != 1020 {
		t.Errorf("%+v", p)
	}
}
