package main

import (
	"strconv"

	"backsolve/internal/probe/survey"
	"backsolve/research/internal/chart"
)

// outcomesSection shows how many states are won, lost and drawn.
func outcomesSection(r *report) (*section, error) {
	s := &section{title: "Outcomes"}
	t := r.stats.Total
	s.say("Of the %s states, symmetric ones counted and the player to move held fixed, the player to move wins %s and loses %s, and %s. "+
		"In %s of all states the game is over already. Any arrangement of marks is a state, whether or not play can lead to it.",
		count(t.States), percent(ratio(t.Wins, t.States)), percent(ratio(t.Losses, t.States)), drawsText(t),
		percent(ratio(t.TerminalWins+t.TerminalLosses, t.States)))
	places, rows := make([]int, len(r.byMarks)), make([][]string, len(r.byMarks))
	for i, one := range r.byMarks {
		places[i], rows[i] = one.number, append([]string{strconv.Itoa(one.number)}, countCells(one.Counts)...)
	}
	s.show("outcomes-by-marks", chart.Stacked(chart.Frame{
		Title: "Outcomes by marks, " + r.stats.Board, X: chart.Axis{Name: "Marked cells"}, Y: chart.Axis{Name: "Share of the states (%)", To: 100},
	}, places, outcomeBars(r.byMarks)))
	s.keep("outcomes-by-marks", []string{"marks", "states", "wins", "losses", "draws", "terminal_wins", "terminal_losses"}, rows)
	return s, nil
}

func drawsText(c survey.Counts) string {
	if c.Draws == 0 {
		return "nobody draws"
	}
	return percent(ratio(c.Draws, c.States)) + " are draws"
}

func countCells(c survey.Counts) []string {
	return []string{digits(c.States), digits(c.Wins), digits(c.Losses), digits(c.Draws), digits(c.TerminalWins), digits(c.TerminalLosses)}
}

// outcomeBars returns the percentages of the outcomes that occur.
func outcomeBars(groups []group) (bars []chart.Bars) {
	for _, bar := range []struct {
		name  string
		style chart.Style
		of    func(c survey.Counts) uint64
	}{
		{"win, game over", chart.Sky, func(c survey.Counts) uint64 { return c.TerminalWins }},
		{"win", chart.Win, func(c survey.Counts) uint64 { return c.Wins - c.TerminalWins }},
		{"draw", chart.Draw, func(c survey.Counts) uint64 { return c.Draws }},
		{"lose", chart.Lose, func(c survey.Counts) uint64 { return c.Losses - c.TerminalLosses }},
		{"lose, game over", chart.Orange, func(c survey.Counts) uint64 { return c.TerminalLosses }},
	} {
		values, any := make([]float64, len(groups)), false
		for i, g := range groups {
			values[i] = 100 * ratio(bar.of(g.Counts), g.States)
			any = any || bar.of(g.Counts) > 0
		}
		if any {
			bars = append(bars, chart.Bars{Name: bar.name, Style: bar.style, Values: values})
		}
	}
	return bars
}
