package main

import (
	"fmt"
	"strconv"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/research/internal/chart"
)

// The shares of legal moves that are right, and 1 if just one is.
func lenient(c choice) float64 { return float64(c.lenient) / float64(c.legal) }
func strict(c choice) float64  { return float64(c.strict) / float64(c.legal) }

func single(c choice) float64 {
	if c.lenient == 1 {
		return 1
	}
	return 0
}

var outcomes = []game.Outcome{game.Win, game.Draw, game.Lose}

// movesSection shows how many of the legal moves are right.
func movesSection(r *report) (*section, error) {
	s := &section{title: "Right moves: how forgiving the game is"}
	s.say("%s", forgivingText(r))
	rows := [][]string{}
	for _, outcome := range outcomes {
		if row := r.moves(r.whole, outcome); row.states > 0 {
			rows = append(rows, row.texts(r.stats.HasSteps))
		}
	}
	header := []string{"states that are not over", "number", "legal moves", "that keep the outcome", "share (lenient)"}
	if r.stats.HasSteps {
		header = append(header, "share (strict)")
	}
	s.grid(header, rows)
	r.movesByMarks(s)
	return s, nil
}

func forgivingText(r *report) string {
	text := "Lenient: a move is right if it keeps the outcome."
	if r.stats.HasSteps {
		text += " Strict: it also wins as soon or loses as late as can be."
	}
	text += " Shares are means over states, so they are the chance that a move by pure chance is right."
	if row := r.moves(r.whole, game.Win); row.states > 0 {
		text += fmt.Sprintf(" In a won state %s of the legal moves keep the win, %s of %s on average; in %s of the won states just one does.",
			row.lenient.percent(), row.right.number(), row.legal.number(), row.single.percent())
	}
	if row := r.moves(r.whole, game.Draw); row.states > 0 {
		text += fmt.Sprintf(" In a drawn one %s keep the draw.", row.lenient.percent())
	}
	if row := r.moves(r.whole, game.Lose); row.states > 0 {
		text += " In a lost state every move loses"
		if r.stats.HasSteps {
			text += fmt.Sprintf(", and %s of them as late as can be", row.strict.percent())
		}
		text += "."
	}
	return text + leastForgiving(r)
}

// leastForgiving says where a win is lost most easily.
func leastForgiving(r *report) string {
	var worst *moves
	for _, one := range r.byMarks {
		row := r.moves(one, game.Win)
		if row.states > 0 && row.lenient.known() && (worst == nil || row.lenient.value < worst.lenient.value) {
			worst = &row
		}
	}
	if worst == nil {
		return ""
	}
	return fmt.Sprintf(" A win is lost most easily with %s: there %s of the moves keep it.",
		cli.Plural(worst.group, "marked cell"), worst.lenient.percent())
}

// moves has the figures of the open states of an outcome in a group.
type moves struct {
	group                   int
	outcome                 game.Outcome
	states                  uint64
	legal, right            estimate // moves
	lenient, strict, single estimate // shares
}

func (r *report) moves(g group, outcome game.Outcome) moves {
	mean := func(f func(choice) float64) estimate { return r.findings.mean(g, outcome, f) }
	m := moves{
		group: g.number, outcome: outcome, states: open(g.Counts, outcome),
		legal:   mean(func(c choice) float64 { return float64(c.legal) }),
		right:   mean(func(c choice) float64 { return float64(c.lenient) }),
		lenient: mean(lenient), strict: mean(strict), single: mean(single),
	}
	if outcome == game.Lose && m.lenient.known() {
		m.right, m.lenient, m.single = m.legal, exactly(1), unknown // every move is right
	}
	return m
}

func (m *moves) texts(steps bool) []string {
	texts := []string{m.outcome.String(), count(m.states), m.legal.number(), m.right.number(), m.lenient.percent()}
	if steps {
		texts = append(texts, m.strict.percent())
	}
	return texts
}

func (m *moves) cells(steps bool) []string {
	cells := []string{
		strconv.Itoa(m.group), m.outcome.String(), digits(m.states),
		decimal(m.legal.value, m.legal.known()), decimal(m.right.value, m.right.known()),
	}
	cells = append(cells, m.lenient.cells()...)
	if steps {
		cells = append(cells, m.strict.cells()...)
	}
	return append(cells, m.single.cells()...)
}

// movesByMarks adds the figures by marks.
func (r *report) movesByMarks(s *section) {
	header := []string{"marks", "outcome", "states", "legal_moves", "right_moves", "lenient_share", "lenient_margin"}
	if r.stats.HasSteps {
		header = append(header, "strict_share", "strict_margin")
	}
	header = append(header, "single_share", "single_margin")
	var rows [][]string
	lines := r.shareLines()
	for _, one := range r.byMarks {
		for _, outcome := range outcomes {
			row := r.moves(one, outcome)
			if row.states == 0 {
				continue
			}
			rows = append(rows, row.cells(r.stats.HasSteps))
			for i := range lines {
				lines[i].add(row)
			}
		}
	}
	s.keep("moves-by-marks", header, rows)
	title := "Share of right moves by marks, " + r.stats.Board
	showShares(s, "moves-by-marks", title, "Marked cells", "Mean share of the legal moves (%)", lines...)
}

// shareLine is a line of a plot of shares.
type shareLine struct {
	outcome game.Outcome
	of      func(moves) estimate
	chart.Line
}

// shareLines returns the lines of a board: without steps there is no strict share, and no move
// of a lost state is wrong leniently.
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

// add adds the point of a row, if it has one.
func (l *shareLine) add(row moves) {
	if e := l.of(row); row.outcome == l.outcome && e.known() {
		p := chart.Point{X: float64(row.group), Y: 100 * e.value}
		p.Low, p.High = max(0, p.Y-100*e.margin), min(100, p.Y+100*e.margin)
		l.Points = append(l.Points, p)
	}
}

// showShares adds a plot of the lines that have points, if there are any.
func showShares(s *section, name, title, x, y string, lines ...shareLine) {
	var drawn []chart.Line
	for _, l := range lines {
		if len(l.Points) > 0 {
			drawn = append(drawn, l.Line)
		}
	}
	if drawn != nil {
		s.show(name, chart.Lines(chart.Frame{Title: title, X: chart.Axis{Name: x}, Y: chart.Axis{Name: y, To: 100}}, drawn))
	}
}
