package main

import (
	"backsolve/game"
	"backsolve/research/internal/chart"
)

// shareLine is a line of the plot of shares.
type shareLine struct {
	outcome game.Outcome
	of      func(moves) estimate
	chart.Line
}

// shareLines returns the lines that say something of the board: without steps
// there is no strict share, and leniently no move of a lost state is wrong.
func (r *report) shareLines() (lines []shareLine) {
	for _, l := range []struct {
		shareLine
		steps bool
	}{
		{shareLine{game.Win, lenientOf, chart.Line{Name: "won, lenient", Style: chart.Win}}, false},
		{shareLine{game.Win, strictOf, chart.Line{Name: "won, strict", Style: chart.Sky}}, true},
		{shareLine{game.Draw, lenientOf, chart.Line{Name: "drawn", Style: chart.Green}}, false},
		{shareLine{game.Lose, strictOf, chart.Line{Name: "lost, strict", Style: chart.Lose}}, true},
	} {
		if (r.stats.HasSteps || !l.steps) && open(r.stats.Total, l.outcome) > 0 {
			lines = append(lines, l.shareLine)
		}
	}
	return lines
}

func lenientOf(m moves) estimate { return m.lenient }
func strictOf(m moves) estimate  { return m.strict }
func singleOf(m moves) estimate  { return m.single }

// add adds a point to the line where the row has it.
func (l *shareLine) add(row moves) {
	if e := l.of(row); row.outcome == l.outcome && e.known() {
		p := chart.Point{X: float64(row.group), Y: 100 * e.value}
		p.Low, p.High = max(0, p.Y-100*e.margin), min(100, p.Y+100*e.margin)
		l.Points = append(l.Points, p)
	}
}

// showShares adds a plot of the lines that have points, none where no line has.
func showShares(s *section, name, title, x, y string, lines ...shareLine) error {
	var drawn []chart.Line
	for _, l := range lines {
		if len(l.Points) > 0 {
			drawn = append(drawn, l.Line)
		}
	}
	if drawn == nil {
		return nil
	}
	c, err := chart.Lines(chart.Frame{Title: title, X: chart.Axis{Name: x}, Y: chart.Axis{Name: y, To: 100}}, drawn)
	if err == nil {
		s.show(name, title, c)
	}
	return err
}
