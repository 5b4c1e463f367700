package plan

import (
	"fmt"
	"math"
	"testing"

	"backsolve/game"
	"backsolve/partition/spacetest"
)

// TestPlannedWork pins the work of plans. docs/reports/results.md shows how well it fits.
func TestPlannedWork(t *testing.T) {
	for _, b := range []struct {
		game string
		n    int
		want float64
	}{
		{"notakto", 5, 2.29376e6}, {"notakto", 6, 2.8380672e8}, {"notakto", 7, 2.32494465e12},
		{"quixo", 4, 1.2065058e8}, {"quixo", 5, 6.947919142e11},
	} {
		_, space := spacetest.New(t, b.game, b.n)
		if got := New(space, Options{Threads: 1}).Folds; math.Abs(got/b.want-1) > 1e-6 {
			t.Errorf("%s %d: %v words are to be folded, want %v", b.game, b.n, got, b.want)
		}
	}
}

// The largest classes of Quixo 5×5 have the share of the planned work that they had of the
// time of the solve in docs/reports/results.md.
func TestPlannedWorkFitsSolves(t *testing.T) {
	const whole = 277.5 // seconds
	seconds := map[int]float64{22: 5.4, 21: 10.5, 20: 21.5, 19: 27.8, 18: 36.9, 17: 37.5, 16: 30.9, 15: 27.7, 14: 24.0}
	_, space := spacetest.New(t, "quixo", 5)
	p := New(space, Options{})
	sum := p.Folds
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

// foldsOf sums up the work of some classes of a plan.
func foldsOf(p *Plan, classes map[int]float64) (sum float64) {
	for _, c := range p.Classes {
		if _, wanted := classes[c.Class]; wanted {
			sum += c.Folds
		}
	}
	return sum
}

// With steps the planned work is that of solves, within a factor of two, relative to solves
// without steps on the same machine and class by class.
func TestPlannedWorkWithSteps(t *testing.T) {
	within := func(what string, planned, took, factor float64) {
		t.Helper()
		if ratio := planned / took; ratio < 1/factor || ratio > factor {
			t.Errorf("%s: planned is %.3g, and it took %.3g", what, planned, took)
		}
	}
	plans := func(game string, n int) (without, with *Plan) {
		_, space := spacetest.New(t, game, n)
		return New(space, Options{}), New(space, Options{Steps: true})
	}
	without, with := plans("notakto", 6)
	within("notakto 6, with and without", with.Folds/without.Folds, 16.4/1.0, 2) // seconds of processor time, one thread

	// Seconds of the classes of Quixo 5×5 by tbsolve quixo 5 --steps --packed. Without steps
	// they took 386 of 540 seconds.
	seconds := map[int]float64{22: 35, 21: 90, 20: 225, 19: 345, 18: 555, 17: 685, 16: 805, 15: 830}
	all := 0.0
	for _, s := range seconds {
		all += s
	}
	without5, with5 := plans("quixo", 5)
	within("quixo 5, with and without", foldsOf(with5, seconds)/foldsOf(without5, seconds), all/386, 1.5)
	for _, c := range with5.Classes {
		if took, measured := seconds[c.Class]; measured {
			within(fmt.Sprintf("quixo 5, class %d", c.Class), c.Folds/foldsOf(with5, seconds), took/all, 1.6)
		}
	}
	// Seconds of processor time on one machine: Quixo 4×4 with steps, 4×5 without and with.
	n, _ := game.ParseSize("4x5")
	_, with4 := plans("quixo", 4)
	without45, with45 := plans("quixo", int(n))
	within("quixo 4", with4.Folds/without45.Folds, 0.74/10.7, 2)
	within("quixo 4×5", with45.Folds/without45.Folds, 86.8/10.7, 1.5)

	for _, b := range []struct {
		game string
		n    int
	}{{"notakto", 5}, {"quixo", 4}, {"quixo", 5}, {"tictactoe", 4}} {
		without, with := plans(b.game, b.n)
		for i, c := range with.Classes {
			if c.Folds <= without.Classes[i].Folds {
				t.Errorf("%s %d: class %d is no more work with steps, %v words", b.game, b.n, c.Class, c.Folds)
			}
		}
	}
}

// The seconds of a plan are its work at the measured speed of the machine.
func TestPlannedSeconds(t *testing.T) {
	_, space := spacetest.New(t, "quixo", 5)
	const threads = 1 << 10 // which no other test plans for
	speeds.Store(threads, 1e9)
	p := New(space, Options{Threads: threads})
	if got, want := p.Seconds(), p.Folds/1e9; got != want || want < 100 {
		t.Errorf("%v seconds are planned, want %v", got, want)
	}
	if measured := calibrate(1); !(measured > 0) || math.IsInf(measured, 0) {
		t.Errorf("this machine folds %v words a second", measured)
	}
}
