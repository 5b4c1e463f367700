package main

import (
	"fmt"
	"strconv"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/research/internal/chart"
)

// singleMoves counts the visits of states with one winning move.
func singleMoves(s *finding) (n float64) {
	for _, times := range s.single {
		n += float64(times)
	}
	return n
}

// singleSection shows the states with one winning move.
func singleSection(r *report) (*section, error) {
	s := &section{title: "States where just one move wins"}
	won := open(r.stats.Total, game.Win)
	if won == 0 {
		s.say("Where the game is not over, no state is won.")
		return s, nil
	}
	of := "of the " + count(won) + " won states that are not over have"
	if won == 1 {
		of = "of 1 won state that is not over has"
	}
	s.say("%s %s just one move that keeps the win: %s of them.", r.findings.total(r.whole, game.Win, singleMoves).states(), of,
		r.findings.mean(r.whole, game.Win, single).percent())
	r.singleByMarks(s)
	if r.stats.HasSteps {
		r.singleBySteps(s)
	}
	return s, r.singleExamples(s)
}

// singleByMarks adds their number by marks.
func (r *report) singleByMarks(s *section) {
	var rows [][]string
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
	s.keep("single-by-marks", []string{"marks", "won_states", "single", "single_margin", "share", "share_margin"}, rows)
	title := "Won states with one winning move by marks, " + r.stats.Board
	showShares(s, "single-by-marks", title, "Marked cells", "Share of the won states that are not over (%)", line)
}

// knownShare is the largest margin of shares that are plotted.
const knownShare = 0.1

// singleBySteps adds their number by steps. It plots shares with small margins, if these are
// at least half.
func (r *report) singleBySteps(s *section) {
	var rows [][]string
	var places []int
	var single, others []float64
	vague := 0
	for _, step := range r.stats.Steps {
		if step.Steps == 0 || step.Wins == 0 {
			continue // over, or none
		}
		total := r.findings.total(r.whole, game.Win, func(s *finding) float64 { return float64(s.single[step.Steps]) })
		share := total.per(step.Wins)
		cells := append([]string{strconv.Itoa(step.Steps), digits(step.Wins)}, total.cells()...)
		rows = append(rows, append(cells, share.cells()...))
		if share.margin > knownShare {
			vague++
			continue
		}
		places = append(places, step.Steps)
		single = append(single, 100*min(1, share.value))
		others = append(others, 100*max(0, 1-share.value))
	}
	s.keep("single-by-steps", []string{"steps", "won_states", "single", "single_margin", "share", "share_margin"}, rows)
	if vague > 0 {
		s.say("By steps the share is known to %.0f percentage points for %d of %d numbers of steps.", 100*knownShare, len(places), len(places)+vague)
	}
	if len(places) == 0 || vague > len(places) {
		return
	}
	s.show("single-by-steps", chart.Stacked(chart.Frame{
		Title: "Won states with one winning move by steps, " + r.stats.Board, X: chart.Axis{Name: "Steps (plies)"}, Y: chart.Axis{Name: "Share of the won states (%)", To: 100},
	}, places, []chart.Bars{
		{Name: "one move", Style: chart.Vermilion, Values: single}, {Name: "more", Style: chart.Sky, Values: others},
	}))
}

// singleExamples draws some of the states.
func (r *report) singleExamples(s *section) error {
	drawn := map[game.Position]bool{}
	for i, e := range r.findings.examples {
		if e == nil || drawn[e.position] || criteria[i].needsSteps && !r.stats.HasSteps {
			continue
		}
		drawn[e.position] = true
		_, ranked, err := r.table.Rank(e.position, nil)
		if err != nil {
			return err
		}
		rules := r.table.Rules()
		worth := func(m probe.Ranked) string { return fmt.Sprintf("`%s` (%v)", rules.FormatMove(m.Move), m.Value) }
		next := ""
		if len(ranked) > 1 {
			next = "; the best of the others is " + worth(ranked[1])
		}
		of := "Of all"
		if r.findings.sampled() {
			of = "Of those that were drawn"
		}
		s.say("%s the one %s: `%s`. Of %s one wins, %s%s.", of, criteria[i].name, rules.Format(e.position),
			cli.Plural(len(ranked), "move"), worth(ranked[0]), next)
		s.draw(rules.Diagram(e.position))
	}
	return nil
}
