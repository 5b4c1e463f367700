package main

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli/progress"
)

func TestAmount(t *testing.T) {
	for want, jobs := range map[string][]job{
		"1 point to measure, 1 game":                    {{games: 1}},
		"2 points to measure, 400 games":                {{games: 200}, {games: 200}},
		"1 point to measure, 1 position":                {{positions: 1}},
		"3 points to measure, 200 games, 50 positions":  {{games: 200}, {positions: 50}, {}},
		"4 points to measure, 3 games, 1 position":      {{games: 1}, {games: 2}, {positions: 1}, {}},
		"2 points to measure, 1000 games, 10 positions": {{games: 1000}, {positions: 10}},
	} {
		if got := amount(jobs); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// What is left is reckoned from the first points that took a second together, and said
// once.
func TestEstimate(t *testing.T) {
	e := estimator{jobs: []job{{cost: 0}, {cost: 1}, {cost: 1}, {cost: 100}, {cost: 18}, {cost: 1}}}
	for i, c := range []struct {
		took time.Duration
		want string
	}{
		{time.Hour, ""}, // a training, whose cost is not known
		{2 * time.Second, "1 point took 2.0s; 4 points left will take about 4m"},
		{time.Minute, ""},
		{time.Minute, ""},
		{time.Minute, ""},
		{time.Minute, ""},
	} {
		if got := e.add(c.took); got != c.want {
			t.Errorf("after job %d: %q, want %q", i+1, got, c.want)
		}
	}
	e = estimator{jobs: []job{{cost: 1}, {cost: 1}, {cost: 2}}}
	for _, took := range []time.Duration{400 * time.Millisecond, 400 * time.Millisecond, time.Hour} {
		if got := e.add(took); got != "" {
			t.Errorf("%q of what took no time, or is over", got)
		}
	}
}

func TestRoughly(t *testing.T) {
	for d, want := range map[time.Duration]string{
		1234 * time.Millisecond: "1.2s", 35 * time.Second: "35s", 119 * time.Second: "119s", 12 * time.Minute: "12m",
		119 * time.Minute: "119m", 200 * time.Minute: "3h20m", 25 * time.Hour: "25h00m",
	} {
		if got := roughly(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
}

// How much there is to do is said before the first job, unless nothing is to be said.
func TestAmountIsSaidFirst(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		var out bytes.Buffer
		cmd := newRoot()
		cmd.SetErr(&out)
		cmd.SetContext(t.Context())
		w := work{display: display(t, quiet)}
		want := "strength: 2 points to measure, 6 games\n"
		if quiet {
			want = ""
		}
		failure := errors.New("it failed")
		jobs := []job{{games: 3, cost: 1, do: func(context.Context, func(float64)) error {
			if out.String() != want {
				t.Errorf("%q is said before the first job, want %q", out.String(), want)
			}
			return failure
		}}, {games: 3, cost: 1}}
		if left, err := w.runJobs(cmd, "strength", jobs, time.Time{}); left != 2 || !errors.Is(err, failure) {
			t.Errorf("%d jobs are left, %v", left, err)
		}
	}
}

// display returns how a command shows its progress, or shows none.
func display(t *testing.T, quiet bool) *progress.Display {
	t.Helper()
	cmd := &cobra.Command{}
	d := progress.Flags(cmd)
	if err := cmd.Flags().Set("quiet", strconv.FormatBool(quiet)); err != nil {
		t.Fatal(err)
	}
	return d
}
