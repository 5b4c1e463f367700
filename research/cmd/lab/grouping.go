package main

import (
	"cmp"
	"slices"

	"backsolve/game"
	"backsolve/internal/probe/survey"
)

// group is the strata with a number of marked cells, or all.
type group struct {
	number int
	strata []int
	survey.Counts
}

// byMarks groups the strata by marked cells, ascending.
func byMarks(strata []survey.Stratum) (groups []group) {
	for i, s := range strata {
		at, found := slices.BinarySearchFunc(groups, s.Marked, func(g group, marks int) int { return cmp.Compare(g.number, marks) })
		if !found {
			groups = slices.Insert(groups, at, group{number: s.Marked})
		}
		groups[at].add(i, s.Counts)
	}
	return groups
}

func whole(strata []survey.Stratum) (all group) {
	for i, s := range strata {
		all.add(i, s.Counts)
	}
	return all
}

func (g *group) add(stratum int, c survey.Counts) {
	g.strata = append(g.strata, stratum)
	g.Counts = survey.Counts{
		States: g.States + c.States, Wins: g.Wins + c.Wins, Losses: g.Losses + c.Losses, Draws: g.Draws + c.Draws,
		TerminalWins: g.TerminalWins + c.TerminalWins, TerminalLosses: g.TerminalLosses + c.TerminalLosses,
	}
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
