package main

import (
	"maps"
	"slices"

	"backsolve/game"
	"backsolve/probe/survey"
)

// grouping groups the strata by what they are plotted by.
type grouping struct {
	name   string // in the names of files and columns
	title  string // in the titles of plots: by class
	axis   string
	groups []group
}

// group is the strata of one number.
type group struct {
	number int
	strata []int
	survey.Counts
}

// groupings returns the groupings by class and, if that differs, by marked cells.
func groupings(strata []survey.Stratum) []grouping {
	byClass := grouping{
		name: "class", title: "by class", axis: "Class: marked cells of the block",
		groups: groupBy(strata, func(s survey.Stratum) int { return s.Class }),
	}
	byMarks := grouping{
		name: "marks", title: "by marks", axis: "Marked cells of the board",
		groups: groupBy(strata, func(s survey.Stratum) int { return s.Marked }),
	}
	same := func(s survey.Stratum) bool { return s.Class == s.Marked }
	if !slices.ContainsFunc(strata, func(s survey.Stratum) bool { return !same(s) }) {
		byClass.axis = "Class: marked cells"
		return []grouping{byClass}
	}
	return []grouping{byClass, byMarks}
}

// groupBy groups the strata by number, ascending.
func groupBy(strata []survey.Stratum, number func(survey.Stratum) int) (groups []group) {
	byNumber := map[int]*group{}
	for i, s := range strata {
		g := byNumber[number(s)]
		if g == nil {
			g = &group{number: number(s)}
			byNumber[g.number] = g
		}
		g.strata = append(g.strata, i)
		g.Counts = sum(g.Counts, s.Counts)
	}
	for _, number := range slices.Sorted(maps.Keys(byNumber)) {
		groups = append(groups, *byNumber[number])
	}
	return groups
}

func sum(a, b survey.Counts) survey.Counts {
	return survey.Counts{
		States: a.States + b.States, Wins: a.Wins + b.Wins, Losses: a.Losses + b.Losses, Draws: a.Draws + b.Draws,
		TerminalWins: a.TerminalWins + b.TerminalWins, TerminalLosses: a.TerminalLosses + b.TerminalLosses,
	}
}

func whole(strata []survey.Stratum) group {
	return groupBy(strata, func(survey.Stratum) int { return 0 })[0]
}

func (g *grouping) places() (places []int) {
	for _, one := range g.groups {
		places = append(places, one.number)
	}
	return places
}

// open returns the number of open states of an outcome.
func open(c survey.Counts, outcome game.Outcome) uint64 {
	switch outcome {
	case game.Win:
		return c.Wins - c.TerminalWins
	case game.Lose:
		return c.Losses - c.TerminalLosses
	}
	return c.Draws
}
