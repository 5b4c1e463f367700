package main

import (
	"fmt"
	"strings"
	"time"

	"backsolve/cmd/cli"
)

// cost is that of all of some jobs.
func cost(jobs []job) (sum float64) {
	for _, j := range jobs {
		sum += j.cost
	}
	return sum
}

// amount says how much work some jobs are: 120 points to measure, 24000 games.
func amount(jobs []job) string {
	games, positions := 0, 0
	for _, j := range jobs {
		games += j.games
		positions += j.positions
	}
	parts := []string{cli.Plural(len(jobs), "point") + " to measure"}
	if games > 0 {
		parts = append(parts, cli.Plural(games, "game"))
	}
	if positions > 0 {
		parts = append(parts, cli.Plural(positions, "position"))
	}
	return strings.Join(parts, ", ")
}

// estimator reckons from the first jobs how long the others will take.
type estimator struct {
	jobs []job
	next int
	// measured are the jobs so far whose cost is known, took is their time.
	measured []job
	took     time.Duration
	told     bool
}

// telling is how much time must have been measured before anything is reckoned from
// it.
const telling = time.Second

// add takes in the time of the next job. The first time that enough is known and
// something is left it says how long that will take, else nothing.
func (e *estimator) add(took time.Duration) string {
	j := e.jobs[e.next]
	e.next++
	if j.cost > 0 {
		e.measured = append(e.measured, j)
		e.took += took
	}
	left := e.jobs[e.next:]
	if e.told || len(left) == 0 || e.took < telling {
		return ""
	}
	e.told = true
	rest := time.Duration(float64(e.took) * cost(left) / cost(e.measured))
	return fmt.Sprintf("%s took %s; %s left will take about %s",
		cli.Plural(len(e.measured), "point"), roughly(e.took), cli.Plural(len(left), "point"), roughly(rest))
}

// roughly writes a time with no more digits than an estimate has: 1.2s, 35s, 12m, 3h20m.
func roughly(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0fs", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0fm", d.Minutes())
	}
	d = d.Round(10 * time.Minute)
	return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
}
