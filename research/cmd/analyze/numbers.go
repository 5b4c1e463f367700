package main

import (
	"fmt"
	"strconv"

	"backsolve/game"
	"backsolve/research/internal/chart"
)

// ranges are the numbers of right moves that are told apart in the plot.
var ranges = []struct {
	name     string
	from, to uint8
}{
	{"1 move", 1, 1}, {"2 moves", 2, 2}, {"3 or 4", 3, 4}, {"5 to 8", 5, 8}, {"9 to 16", 9, 16}, {"17 or more", 17, 255},
}

// numbersBy adds how many moves keep a win or a draw: all numbers in a sheet, and
// those of won states as a plot.
func (r *report) numbersBy(s *section, g grouping) error {
	var rows [][]string
	for _, one := range g.groups {
		for _, outcome := range []game.Outcome{game.Win, game.Draw} {
			for _, number := range r.numbers(one, outcome) {
				is := func(c choice) float64 { return indicator(c.lenient == number) }
				share := r.findings.mean(one, outcome, is)
				rows = append(rows, append([]string{strconv.Itoa(one.number), outcome.String(), strconv.Itoa(int(number))}, share.cells()...))
			}
		}
	}
	s.keep("right-moves-by-"+g.name, []string{g.name, "outcome", "right_moves", "share", "margin"}, rows)
	places, bars := r.rangeBars(g)
	if len(places) == 0 {
		return nil
	}
	title := fmt.Sprintf("Moves that keep the win %s, %s", g.title, r.stats.Board)
	c, err := chart.Stacked(chart.Frame{
		Title: title, X: chart.Axis{Name: g.axis}, Y: chart.Axis{Name: "Share of the won states that are not over (%)", To: 100},
	}, places, bars)
	if err != nil {
		return err
	}
	s.show("right-moves-by-"+g.name, title, c)
	return nil
}

// numbers returns the numbers of right moves that were met in a group, ascending.
func (r *report) numbers(g group, outcome game.Outcome) (numbers []uint8) {
	var met [256]bool
	for _, stratum := range g.strata {
		for _, c := range r.findings.strata[stratum].choices {
			if c.what.outcome == outcome {
				met[c.what.lenient] = true
			}
		}
	}
	for number, is := range met {
		if is {
			numbers = append(numbers, uint8(number))
		}
	}
	return numbers
}

// rangeBars returns the groups in which won states were met, and the shares of
// their ranges of right moves in percent, without ranges that none is in.
func (r *report) rangeBars(g grouping) (places []int, bars []chart.Bars) {
	for _, one := range g.groups {
		if len(r.numbers(one, game.Win)) > 0 {
			places = append(places, one.number)
		}
	}
	for i, numbers := range ranges {
		b := chart.Bars{Name: numbers.name, Style: chart.Style(i + 1)}
		any := false
		for _, one := range g.groups {
			share := r.findings.mean(one, game.Win, func(c choice) float64 {
				return indicator(numbers.from <= c.lenient && c.lenient <= numbers.to)
			})
			if share.known() {
				b.Values = append(b.Values, 100*share.value)
				any = any || share.value > 0
			}
		}
		if any {
			bars = append(bars, b)
		}
	}
	return places, bars
}
