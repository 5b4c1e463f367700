package main

import (
	"fmt"
	"strconv"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/probe/survey"
)

const diagramsPerRow = 5

// linesSection draws best play from the longest win and the longest loss.
func linesSection(r *report) (*section, error) {
	s := &section{title: "Longest lines"}
	s.say("Best move after best move from the state that takes longest, the first one of the fullest class that has one. " +
		"Of moves that are equally good it is the first by its text.")
	var rows [][]string
	for _, longest := range []struct {
		outcome game.Outcome
		noun    string
		*survey.Longest
	}{{game.Win, "win", r.stats.LongestWin}, {game.Lose, "loss", r.stats.LongestLoss}} {
		if longest.Longest == nil {
			continue
		}
		line, err := drawLine(s, r.table, longest.noun, longest.Longest)
		if err != nil {
			return nil, err
		}
		rows = append(rows, []string{longest.outcome.String(), "0", "", longest.Position})
		for i, ply := range line.Plies {
			rows = append(rows, []string{longest.outcome.String(), strconv.Itoa(i + 1), ply.Move, ply.Position})
		}
	}
	s.keep("lines", []string{"line", "ply", "move", "position"}, rows)
	return s, nil
}

// drawLine draws the main line from a position.
func drawLine(s *section, table *probe.Table, noun string, longest *survey.Longest) (*probe.Line, error) {
	rules := table.Rules()
	p, err := rules.Parse(longest.Position)
	if err != nil {
		return nil, err
	}
	line, err := table.Line(p, probe.WholeLine)
	if err != nil {
		return nil, err
	}
	s.say("### The longest %s: %s", noun, cli.Plural(longest.Steps, "step"))
	captions, diagrams := []string{"start"}, []string{rules.Diagram(p)}
	for i, ply := range line.Plies {
		if p, err = rules.Parse(ply.Position); err != nil {
			return nil, err
		}
		captions = append(captions, fmt.Sprintf("%d. %s", i+1, ply.Move))
		diagrams = append(diagrams, rules.Diagram(p))
	}
	s.say("From `%s`:", longest.Position)
	s.draw(sideBySide(captions, diagrams, diagramsPerRow))
	return line, nil
}
