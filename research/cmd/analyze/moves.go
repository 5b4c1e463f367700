package main

import (
	"fmt"
	"strconv"

	"backsolve/cmd/cli"
	"backsolve/game"
)

// lenient and strict return the share of the legal moves that are right, single
// 1 where just one is.
func lenient(c choice) float64 { return float64(c.lenient) / float64(c.legal) }
func strict(c choice) float64  { return float64(c.strict) / float64(c.legal) }
func single(c choice) float64  { return indicator(c.lenient == 1) }

func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// outcomes are the outcomes in the order in which they are shown.
var outcomes = []game.Outcome{game.Win, game.Draw, game.Lose}

// movesSection shows how forgiving the game is: how many of the legal moves are
// right.
func movesSection(r *report) (*section, error) {
	s := &section{title: "Right moves: how forgiving the game is"}
	s.say("%s", forgivingText(r))
	rows := [][]string{}
	all := r.whole
	for _, outcome := range outcomes {
		if row := r.moves(all, outcome); row.states > 0 {
			rows = append(rows, row.texts(r.stats.HasSteps))
		}
	}
	header := []string{"states that are not over", "number", "legal moves", "that keep the outcome", "share (lenient)"}
	if r.stats.HasSteps {
		header = append(header, "share (strict)")
	}
	s.grid(header, rows)
	for _, g := range r.groupings {
		if err := r.movesBy(s, g); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// forgivingText says what the shares mean.
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

// leastForgiving says where in the game a win is lost most easily.
func leastForgiving(r *report) string {
	g := r.groupings[len(r.groupings)-1]
	var worst *moves
	for _, one := range g.groups {
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

// moves is what is known of the moves in the states of a group that are of an
// outcome and not over.
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

// texts returns the row for people.
func (m *moves) texts(steps bool) []string {
	texts := []string{m.outcome.String(), count(m.states), m.legal.number(), m.right.number(), m.lenient.percent()}
	if steps {
		texts = append(texts, m.strict.percent())
	}
	return texts
}

// cells returns the row for a sheet.
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

// movesBy adds what is known of the moves of each group of a grouping.
func (r *report) movesBy(s *section, g grouping) error {
	header := []string{g.name, "outcome", "states", "legal_moves", "right_moves", "lenient_share", "lenient_margin"}
	if r.stats.HasSteps {
		header = append(header, "strict_share", "strict_margin")
	}
	header = append(header, "single_share", "single_margin")
	var rows [][]string
	lines := r.shareLines()
	for _, one := range g.groups {
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
	s.keep("moves-by-"+g.name, header, rows)
	title := "Share of right moves " + g.title + ", " + r.stats.Board
	if err := showShares(s, "moves-by-"+g.name, title, g.axis, "Mean share of the legal moves (%)", lines...); err != nil {
		return err
	}
	return r.numbersBy(s, g)
}
