package retro

import (
	"math"
	"testing"
)

// folds sums up the work of a plan.
func folds(p *Plan) (sum float64) {
	for _, c := range p.Classes {
		sum += c.Folds
	}
	return sum
}

// The work that a plan reckons with is pinned: docs/results.md shows how well it
// fits, and who changes the weights looks there.
func TestPlannedWork(t *testing.T) {
	for _, b := range []struct {
		game string
		n    int
		want float64
	}{
		{"notakto", 5, 2.29376e6}, {"notakto", 6, 2.8380672e8}, {"notakto", 7, 2.32494465e12},
		{"quixo", 4, 2.4876866e7}, {"quixo", 5, 5.778486717e11},
	} {
		_, space := newSpace(t, b.game, b.n)
		if got := folds(NewPlan(space, Options{Threads: 1})); math.Abs(got/b.want-1) > 1e-6 {
			t.Errorf("%s %d: %v words are to be folded, want %v", b.game, b.n, got, b.want)
		}
	}
}

// The classes of Quixo 5×5 that take most of the time have the share of it in a
// plan that they had when they were solved, as docs/results.md tells.
func TestPlannedWorkFitsSolves(t *testing.T) {
	const whole = 277.5 // seconds
	seconds := map[int]float64{22: 5.4, 21: 10.5, 20: 21.5, 19: 27.8, 18: 36.9, 17: 37.5, 16: 30.9, 15: 27.7, 14: 24.0}
	_, space := newSpace(t, "quixo", 5)
	p := NewPlan(space, Options{})
	sum := folds(p)
	for _, c := range p.Classes {
		took, measured := seconds[c.Class]
		if !measured {
			continue
		}
		if ratio := (c.Folds / sum) / (took / whole); ratio < 0.6 || ratio > 1.6 {
			t.Errorf("class %d has %.3f of the work and took %.3f of the time", c.Class, c.Folds/sum, took/whole)
		}
	}
}

// With steps the work of a plan is so many times that without as solves took longer, within
// a factor of two: by the medians of docs/results.md, and for Notakto and tic-tac-toe by
// tbsolve with and without --steps on the same machine.
func TestPlannedWorkWithSteps(t *testing.T) {
	for _, b := range []struct {
		game  string
		n     int
		ratio float64
	}{{"quixo", 4, 4.4}, {"quixo", 5, 6.4}} {
		_, space := newSpace(t, b.game, b.n)
		without, with := planAt(space, Options{}, 1), planAt(space, Options{Steps: true}, 1)
		if got := folds(with) / folds(without); got < b.ratio/2 || got > 2*b.ratio {
			t.Errorf("%s %d: with steps it is %.1f times the work, and takes %.1f times as long", b.game, b.n, got, b.ratio)
		}
		for i, c := range with.Classes {
			if c.Folds < without.Classes[i].Folds || c.Folds == without.Classes[i].Folds && c.Class < space.MaskBits {
				t.Errorf("%s %d: class %d is no more work with steps, %v words", b.game, b.n, c.Class, c.Folds)
			}
		}
		if with.Seconds != folds(with) {
			t.Errorf("%s %d: at a word a second it takes %v seconds, of %v words", b.game, b.n, with.Seconds, folds(with))
		}
	}
}

// The seconds of a plan are its work at the speed of the machine, whatever that is.
func TestPlannedSeconds(t *testing.T) {
	_, space := newSpace(t, "quixo", 5)
	const speed = 1 << 30
	p := planAt(space, Options{Threads: 1}, speed)
	if want := folds(p) / speed; p.Seconds != want || want < 100 {
		t.Errorf("%v seconds are planned, want %v", p.Seconds, want)
	}
	if measured := calibrate(1); !(measured > 0) || math.IsInf(measured, 0) {
		t.Errorf("this machine folds %v words a second", measured)
	}
}
