package main

import (
	"strconv"
	"strings"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/research/internal/chart"
)

// sameValue has the moves of one value.
type sameValue struct {
	probe.Value
	moves []string
}

// firstSection shows the first moves by value.
func firstSection(r *report) (*section, error) {
	s := &section{title: "First moves"}
	start := r.table.Start()
	value, ranked, err := r.table.Rank(start, nil)
	if err != nil {
		return nil, err
	}
	s.say("The game starts with %s for the player to move.", noun(value))
	if len(ranked) == 0 {
		s.say("It is over before the first move.")
	}
	var values []sameValue
	var rows [][]string
	for _, move := range ranked {
		text := r.table.Rules().FormatMove(move.Move)
		if n := len(values); n == 0 || values[n-1].Value != move.Value {
			values = append(values, sameValue{Value: move.Value})
		}
		last := &values[len(values)-1]
		last.moves = append(last.moves, text)
		rows = append(rows, []string{text, move.Outcome.String(), stepsCell(move.Steps)})
	}
	s.keep("first-moves", []string{"move", "outcome", "steps"}, rows)
	if len(values) == 0 {
		return s, nil
	}
	var lines [][]string
	for _, v := range values {
		lines = append(lines, []string{v.String(), strconv.Itoa(len(v.moves)), "`" + strings.Join(v.moves, " ") + "`"})
	}
	s.grid([]string{"value", "number", "moves"}, lines)
	s.draw(r.table.Rules().Diagram(start))
	s.show("first-moves", firstChart("First moves by value, "+r.stats.Board, values))
	return s, nil
}

// noun returns a value as a noun: a win in 6, a loss in 13, a draw.
func noun(v probe.Value) string {
	if rest, lost := strings.CutPrefix(v.String(), game.Lose.String()); lost {
		return "a loss" + rest
	}
	return "a " + v.String()
}

// stepsCell formats steps for a sheet, empty if there are none.
func stepsCell(steps int) string {
	if steps < 0 {
		return ""
	}
	return strconv.Itoa(steps)
}

// firstChart draws the number of moves of each value.
func firstChart(title string, values []sameValue) *chart.Chart {
	names, places := make([]string, len(values)), make([]int, len(values))
	styles := map[game.Outcome]chart.Style{game.Win: chart.Win, game.Draw: chart.Draw, game.Lose: chart.Lose}
	var bars []chart.Bars
	for i, v := range values {
		names[i], places[i] = v.String(), i
		if n := len(bars); n == 0 || bars[n-1].Name != v.Outcome.String() {
			bars = append(bars, chart.Bars{Name: v.Outcome.String(), Style: styles[v.Outcome], Values: make([]float64, len(values))})
		}
		bars[len(bars)-1].Values[i] = float64(len(v.moves))
	}
	return chart.Stacked(chart.Frame{
		Title: title, X: chart.Axis{Name: "Value for who makes the move", Names: names}, Y: chart.Axis{Name: "Moves"},
	}, places, bars)
}
