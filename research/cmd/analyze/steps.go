package main

import (
	"fmt"
	"strconv"

	"backsolve/cmd/cli"
	"backsolve/internal/probe/survey"
	"backsolve/research/internal/chart"
)

// stepsSection shows the states by steps.
func stepsSection(r *report) (*section, error) {
	s := &section{title: "Steps to the end"}
	stats := r.stats
	s.say("%s %s Steps are plies under best play: the winner is as quick and the loser as slow as can be.",
		longestText("win", stats.LongestWin), longestText("loss", stats.LongestLoss))
	places, win, lose := make([]int, len(stats.Steps)), make([]float64, len(stats.Steps)), make([]float64, len(stats.Steps))
	rows := make([][]string, len(stats.Steps))
	for i, step := range stats.Steps {
		places[i], win[i], lose[i] = step.Steps, float64(step.Wins), float64(step.Losses)
		rows[i] = []string{strconv.Itoa(step.Steps), digits(step.Wins), digits(step.Losses)}
	}
	s.show("steps", chart.Grouped(chart.Frame{
		Title: "Steps to the end, " + stats.Board, X: chart.Axis{Name: "Steps (plies)"}, Y: chart.Axis{Name: "States", Log: true},
	}, places, []chart.Bars{{Name: "win", Style: chart.Win, Values: win}, {Name: "lose", Style: chart.Lose, Values: lose}}))
	s.keep("steps", []string{"steps", "wins", "losses"}, rows)
	return s, nil
}

func longestText(noun string, l *survey.Longest) string {
	if l == nil {
		return fmt.Sprintf("No state is a %s.", noun)
	}
	states := "states take"
	if l.Count == 1 {
		states = "state takes"
	}
	return fmt.Sprintf("The longest %s takes %s, and %s %s that long.", noun, cli.Plural(l.Steps, "step"), count(l.Count), states)
}
