package main

import (
	"fmt"
	"math"
	"strconv"

	"backsolve/game"
	"backsolve/internal/probe/survey"
	"backsolve/research/internal/chart"
)

func digits(n uint64) string { return strconv.FormatUint(n, 10) }

// decimal formats a number for a sheet, empty if unknown.
func decimal(v float64, known bool) string {
	if !known {
		return ""
	}
	return strconv.FormatFloat(v, 'f', 6, 64)
}

func (e estimate) cells() []string {
	return []string{decimal(e.value, e.known()), decimal(e.margin, e.known())}
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

// outcomesPart has how many states are won, lost and drawn.
func outcomesPart(r *tableSurvey, s *sheets) error {
	rows := [][]string{{"marks", "states", "wins", "losses", "draws", "terminal_wins", "terminal_losses"}}
	places := make([]int, len(r.byMarks))
	for i, one := range r.byMarks {
		c := one.Counts
		places[i] = one.number
		rows = append(rows, []string{strconv.Itoa(one.number), digits(c.States), digits(c.Wins), digits(c.Losses), digits(c.Draws), digits(c.TerminalWins), digits(c.TerminalLosses)})
	}
	s.rows["outcomes-by-marks"] = rows
	s.plots["outcomes-by-marks"] = chart.Stacked(chart.Frame{
		Title: "Outcomes by marks, " + r.stats.Board, X: chart.Axis{Name: "Marked cells"}, Y: chart.Axis{Name: "Share of the states (%)", To: 100},
	}, places, outcomeBars(r.byMarks))
	return nil
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
			values[i] = 100 * float64(bar.of(g.Counts)) / float64(max(1, g.States))
			any = any || bar.of(g.Counts) > 0
		}
		if any {
			bars = append(bars, chart.Bars{Name: bar.name, Style: bar.style, Values: values})
		}
	}
	return bars
}

// stepsPart has the states by steps.
func stepsPart(r *tableSurvey, s *sheets) error {
	stats := r.stats
	places, win, lose := make([]int, len(stats.Steps)), make([]float64, len(stats.Steps)), make([]float64, len(stats.Steps))
	rows := [][]string{{"steps", "wins", "losses"}}
	for i, step := range stats.Steps {
		places[i], win[i], lose[i] = step.Steps, float64(step.Wins), float64(step.Losses)
		rows = append(rows, []string{strconv.Itoa(step.Steps), digits(step.Wins), digits(step.Losses)})
	}
	s.rows["steps"] = rows
	s.plots["steps"] = chart.Grouped(chart.Frame{
		Title: "Steps to the end, " + stats.Board, X: chart.Axis{Name: "Steps (plies)"}, Y: chart.Axis{Name: "States", Log: true},
	}, places, []chart.Bars{{Name: "win", Style: chart.Win, Values: win}, {Name: "lose", Style: chart.Lose, Values: lose}})
	return nil
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
	for _, outcome := range outcomes {
		if m := r.moves(r.whole, outcome); m.states > 0 {
			strict := "-"
			if r.stats.HasSteps {
				strict = m.strict.percent()
			}
			rows = append(rows, []string{outcome.String(), digits(m.states), m.lenient.percent(), strict, m.single.percent()})
		}
	}
	return rows
}

// moves has the figures of the open states of an outcome in a group.
type moves struct {
	group                   int
	outcome                 game.Outcome
	states                  uint64
	legal, right            estimate // moves
	lenient, strict, single estimate // shares
}

func (r *tableSurvey) moves(g group, outcome game.Outcome) moves {
	mean := func(f func(choice) float64) estimate { return r.findings.mean(g, outcome, f) }
	m := moves{
		group: g.number, outcome: outcome, states: open(g.Counts, outcome),
		legal:   mean(func(c choice) float64 { return float64(c.legal) }),
		right:   mean(func(c choice) float64 { return float64(c.lenient) }),
		lenient: mean(lenient), strict: mean(strictShare), single: mean(single),
	}
	if outcome == game.Lose && m.lenient.known() {
		m.right, m.lenient, m.single = m.legal, exactly(1), unknown // every move is right
	}
	return m
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

// movesPart has how many of the legal moves are right, by marks and of all states.
func movesPart(r *tableSurvey, s *sheets) error {
	header := []string{"marks", "outcome", "states", "legal_moves", "right_moves", "lenient_share", "lenient_margin"}
	if r.stats.HasSteps {
		header = append(header, "strict_share", "strict_margin")
	}
	header = append(header, "single_share", "single_margin")
	rows := [][]string{header}
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
	for _, outcome := range outcomes {
		if row := r.moves(r.whole, outcome); row.states > 0 {
			cells := row.cells(r.stats.HasSteps)
			cells[0] = "all"
			rows = append(rows, cells)
		}
	}
	s.rows["moves-by-marks"] = rows
	s.shares("moves-by-marks", "Share of right moves by marks, "+r.stats.Board, "Mean share of the legal moves (%)", lines...)
	return nil
}

// shareLine is a line of a plot of shares.
type shareLine struct {
	outcome game.Outcome
	of      func(moves) estimate
	chart.Line
}

// shareLines returns the lines of a board: without steps there is no strict share, and no move
// of a lost state is wrong leniently.
func (r *tableSurvey) shareLines() (lines []shareLine) {
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

// shares adds a plot by marks of the lines that have points, if there are any.
func (s *sheets) shares(name, title, y string, lines ...shareLine) {
	var drawn []chart.Line
	for _, l := range lines {
		if len(l.Points) > 0 {
			drawn = append(drawn, l.Line)
		}
	}
	if drawn != nil {
		s.plots[name] = chart.Lines(chart.Frame{Title: title, X: chart.Axis{Name: "Marked cells"}, Y: chart.Axis{Name: y, To: 100}}, drawn)
	}
}

// singleMoves counts the visits of states with one winning move.
func singleMoves(s *finding) (n float64) {
	for _, times := range s.single {
		n += float64(times)
	}
	return n
}

// singlePart has the states with one winning move, by marks and by steps.
func singlePart(r *tableSurvey, s *sheets) error {
	if open(r.stats.Total, game.Win) == 0 {
		return nil
	}
	rows := [][]string{{"marks", "won_states", "single", "single_margin", "share", "share_margin"}}
	line := shareLine{outcome: game.Win, of: singleOf}
	for _, one := range r.byMarks {
		row := r.moves(one, game.Win)
		if row.states == 0 {
			continue
		}
		line.add(row)
		total := r.findings.total(one, game.Win, singleMoves)
		cells := append([]string{strconv.Itoa(one.number), digits(row.states)}, total.cells()...)
		rows = append(rows, append(cells, row.single.cells()...))
	}
	s.rows["single-by-marks"] = rows
	s.shares("single-by-marks", "Won states with one winning move by marks, "+r.stats.Board, "Share of the won states that are not over (%)", line)
	if r.stats.HasSteps {
		r.singleBySteps(s)
	}
	return nil
}

// knownShare is the largest margin of shares that are plotted.
const knownShare = 0.1

// singleBySteps plots shares with small margins, if these are at least half.
func (r *tableSurvey) singleBySteps(s *sheets) {
	rows := [][]string{{"steps", "won_states", "single", "single_margin", "share", "share_margin"}}
	var places []int
	var single, others []float64
	for _, step := range r.stats.Steps {
		if step.Steps == 0 || step.Wins == 0 {
			continue // over, or none
		}
		total := r.findings.total(r.whole, game.Win, func(s *finding) float64 { return float64(s.single[step.Steps]) })
		share := total.per(step.Wins)
		cells := append([]string{strconv.Itoa(step.Steps), digits(step.Wins)}, total.cells()...)
		rows = append(rows, append(cells, share.cells()...))
		if share.margin > knownShare {
			continue
		}
		places = append(places, step.Steps)
		single = append(single, 100*min(1, share.value))
		others = append(others, 100*max(0, 1-share.value))
	}
	s.rows["single-by-steps"] = rows
	if len(places) == 0 || 2*len(places) < len(rows)-1 {
		return
	}
	s.plots["single-by-steps"] = chart.Stacked(chart.Frame{
		Title: "Won states with one winning move by steps, " + r.stats.Board, X: chart.Axis{Name: "Steps (plies)"}, Y: chart.Axis{Name: "Share of the won states (%)", To: 100},
	}, places, []chart.Bars{
		{Name: "one move", Style: chart.Vermilion, Values: single}, {Name: "more", Style: chart.Sky, Values: others},
	})
}
