package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"backsolve/game"
	"backsolve/internal/probe/survey"
	"backsolve/research/internal/chart"
)

// cells returns the value and the margin for a sheet, empty if unknown.
func (e estimate) cells() []string {
	if !e.known() {
		return []string{"", ""}
	}
	return []string{fmt.Sprintf("%.6f", e.value), fmt.Sprintf("%.6f", e.margin)}
}

// percent formats a share with its margin, if it has one.
func (e estimate) percent() string {
	switch {
	case !e.known():
		return "-"
	case e.margin == 0:
		return fmt.Sprintf("%.1f", 100*e.value)
	}
	digits := max(1, -int(math.Floor(math.Log10(100*e.margin))))
	return fmt.Sprintf("%.1f ± %.*f", 100*e.value, digits, 100*e.margin)
}

func (r *tableSurvey) outcomes() {
	rows := [][]string{{"marks", "states", "wins", "losses", "draws", "terminal_wins", "terminal_losses"}}
	places := make([]int, len(r.byMarks))
	for i, one := range r.byMarks {
		c := one.Counts
		places[i] = one.number
		rows = append(rows, []string{strconv.Itoa(one.number), fmt.Sprint(c.States), fmt.Sprint(c.Wins), fmt.Sprint(c.Losses), fmt.Sprint(c.Draws), fmt.Sprint(c.TerminalWins), fmt.Sprint(c.TerminalLosses)})
	}
	r.rows["outcomes-by-marks"] = rows
	r.plots["outcomes-by-marks"] = chart.Stacked(chart.Frame{
		Title: "Outcomes by marks, " + r.stats.Board, X: marksAxis, Y: chart.Axis{Name: "Share of the states (%)", To: 100},
	}, places, outcomeBars(r.byMarks))
}

var marksAxis = chart.Axis{Name: "Marked cells"}

// outcomeBars returns the percentages of the outcomes that occur.
func outcomeBars(groups []group) (bars []chart.Bars) {
	for _, bar := range []struct {
		name  string
		style chart.Style
		of    func(c survey.Counts) uint64
	}{
		{"win, game over", chart.Sky, func(c survey.Counts) uint64 { return c.TerminalWins }},
		{"win", chart.Win, func(c survey.Counts) uint64 { return open(c, game.Win) }},
		{"draw", chart.Draw, func(c survey.Counts) uint64 { return c.Draws }},
		{"lose", chart.Lose, func(c survey.Counts) uint64 { return open(c, game.Lose) }},
		{"lose, game over", chart.Orange, func(c survey.Counts) uint64 { return c.TerminalLosses }},
	} {
		values := make([]float64, len(groups))
		for i, g := range groups {
			values[i] = 100 * float64(bar.of(g.Counts)) / float64(max(1, g.States))
		}
		if slices.Max(values) > 0 {
			bars = append(bars, chart.Bars{Name: bar.name, Style: bar.style, Values: values})
		}
	}
	return bars
}

func (r *tableSurvey) steps() {
	var places []int
	win, lose := chart.Bars{Name: "win", Style: chart.Win}, chart.Bars{Name: "lose", Style: chart.Lose}
	rows := [][]string{{"steps", "wins", "losses"}}
	for _, step := range r.stats.Steps {
		places, win.Values, lose.Values = append(places, step.Steps), append(win.Values, float64(step.Wins)), append(lose.Values, float64(step.Losses))
		rows = append(rows, []string{strconv.Itoa(step.Steps), fmt.Sprint(step.Wins), fmt.Sprint(step.Losses)})
	}
	r.rows["steps"] = rows
	r.plots["steps"] = chart.Grouped(chart.Frame{
		Title: "Steps to the end, " + r.stats.Board, X: chart.Axis{Name: "Steps (plies)"}, Y: chart.Axis{Name: "States", Log: true},
	}, places, []chart.Bars{win, lose})
}

// The shares of legal moves that are right, and 1 if just one is.
func lenient(c choice) float64     { return float64(c.lenient) / float64(c.legal) }
func strictShare(c choice) float64 { return float64(c.strict) / float64(c.legal) }

func single(c choice) float64 {
	if c.lenient == 1 {
		return 1
	}
	return 0
}

var outcomes = []game.Outcome{game.Win, game.Draw, game.Lose}

// summary returns what is printed: the chance that a random move is right, in percent.
func (r *tableSurvey) summary() [][]string {
	rows := [][]string{{"open states", "number", "lenient", "strict", "one right move"}}
	for _, m := range r.moves(r.whole) {
		rows = append(rows, []string{m.outcome.String(), fmt.Sprint(m.states), m.lenient.percent(), m.strict.percent(), m.single.percent()})
	}
	return rows
}

type moves struct {
	group
	outcome                 game.Outcome
	states                  uint64
	legal, right            estimate // moves
	lenient, strict, single estimate // shares
}

func (r *tableSurvey) moves(groups ...group) (all []moves) {
	for _, g := range groups {
		for _, outcome := range outcomes {
			mean := func(f func(choice) float64) estimate { return r.findings.mean(g, outcome, f) }
			m := moves{
				group: g, outcome: outcome, states: open(g.Counts, outcome),
				legal:   mean(func(c choice) float64 { return float64(c.legal) }),
				right:   mean(func(c choice) float64 { return float64(c.lenient) }),
				lenient: mean(lenient), strict: mean(strictShare), single: mean(single),
			}
			if outcome == game.Lose && m.lenient.known() {
				m.right, m.lenient, m.single = m.legal, estimate{value: 1}, unknown // every move is right
			}
			if !r.stats.HasSteps {
				m.strict = unknown
			}
			if m.states > 0 {
				all = append(all, m)
			}
		}
	}
	return all
}

func (m *moves) cells(group string, steps bool) []string {
	cells := []string{group, m.outcome.String(), fmt.Sprint(m.states), m.legal.cells()[0], m.right.cells()[0]}
	cells = append(cells, m.lenient.cells()...)
	if steps {
		cells = append(cells, m.strict.cells()...)
	}
	return append(cells, m.single.cells()...)
}

func (r *tableSurvey) right() {
	header := []string{"marks", "outcome", "states", "legal_moves", "right_moves", "lenient_share", "lenient_margin"}
	if r.stats.HasSteps {
		header = append(header, "strict_share", "strict_margin")
	}
	rows := [][]string{append(header, "single_share", "single_margin")}
	all := r.moves(r.byMarks...)
	for _, m := range all {
		rows = append(rows, m.cells(strconv.Itoa(m.number), r.stats.HasSteps))
	}
	for _, m := range r.moves(r.whole) {
		rows = append(rows, m.cells("all", r.stats.HasSteps))
	}
	r.rows["moves-by-marks"] = rows
	lenient, strict := func(m moves) estimate { return m.lenient }, func(m moves) estimate { return m.strict }
	r.shares("moves-by-marks", "Share of right moves by marks, "+r.stats.Board, "Mean share of the legal moves (%)", all, []shareLine{
		{"won, lenient", chart.Win, game.Win, lenient}, {"won, strict", chart.Sky, game.Win, strict},
		{"drawn", chart.Green, game.Draw, lenient}, {"lost, strict", chart.Lose, game.Lose, strict},
	})
}

type shareLine struct {
	name    string
	style   chart.Style
	outcome game.Outcome
	of      func(moves) estimate
}

// shares adds a plot by marks of the lines that have points, if there are any.
func (r *tableSurvey) shares(name, title, y string, rows []moves, lines []shareLine) {
	var drawn []chart.Line
	for _, l := range lines {
		line := chart.Line{Name: l.name, Style: l.style}
		for _, row := range rows {
			if e := l.of(row); row.outcome == l.outcome && e.known() {
				p := chart.Point{X: float64(row.number), Y: 100 * e.value}
				p.Low, p.High = max(0, p.Y-100*e.margin), min(100, p.Y+100*e.margin)
				line.Points = append(line.Points, p)
			}
		}
		if line.Points != nil {
			drawn = append(drawn, line)
		}
	}
	if drawn != nil {
		r.plots[name] = chart.Lines(chart.Frame{Title: title, X: marksAxis, Y: chart.Axis{Name: y, To: 100}}, drawn)
	}
}

func (r *tableSurvey) single() {
	if open(r.stats.Total, game.Win) == 0 {
		return
	}
	rows := [][]string{{"marks", "won_states", "single", "single_margin", "share", "share_margin"}}
	var won []moves
	for _, m := range r.moves(r.byMarks...) {
		if m.outcome == game.Win {
			won = append(won, m)
			total := r.findings.total(m.group, game.Win, single)
			rows = append(rows, slices.Concat([]string{strconv.Itoa(m.number), fmt.Sprint(m.states)}, total.cells(), m.single.cells()))
		}
	}
	r.rows["single-by-marks"] = rows
	r.shares("single-by-marks", "Won states with one winning move by marks, "+r.stats.Board, "Share of the won states that are not over (%)", won,
		[]shareLine{{"", chart.ByPlace, game.Win, func(m moves) estimate { return m.single }}})
	if r.stats.HasSteps {
		r.singleBySteps()
	}
}

// knownShare is the largest margin of shares that are plotted.
const knownShare = 0.1

// singleBySteps plots shares with small margins, if these are at least half.
func (r *tableSurvey) singleBySteps() {
	rows := [][]string{{"steps", "won_states", "single", "single_margin", "share", "share_margin"}}
	var places []int
	one, more := chart.Bars{Name: "one move", Style: chart.Vermilion}, chart.Bars{Name: "more", Style: chart.Sky}
	for _, step := range r.stats.Steps {
		if step.Steps == 0 || step.Wins == 0 {
			continue // over, or none
		}
		total := r.findings.total(r.whole, game.Win, func(c choice) float64 {
			if c.steps == step.Steps {
				return 1
			}
			return 0
		})
		wins := float64(step.Wins)
		share := estimate{total.value / wins, total.margin / wins}
		rows = append(rows, slices.Concat([]string{strconv.Itoa(step.Steps), fmt.Sprint(step.Wins)}, total.cells(), share.cells()))
		if share.margin <= knownShare {
			places = append(places, step.Steps)
			one.Values, more.Values = append(one.Values, 100*min(1, share.value)), append(more.Values, 100*max(0, 1-share.value))
		}
	}
	r.rows["single-by-steps"] = rows
	if len(places) > 0 && 2*len(places) >= len(rows)-1 {
		r.plots["single-by-steps"] = chart.Stacked(chart.Frame{
			Title: "Won states with one winning move by steps, " + r.stats.Board, X: chart.Axis{Name: "Steps (plies)"}, Y: chart.Axis{Name: "Share of the won states (%)", To: 100},
		}, places, []chart.Bars{one, more})
	}
}
