package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"backsolve/cmd/cli"
	"backsolve/internal/player"
)

// ladders is the data of a report.
type ladders struct {
	Boards []*ladder
	others []*ladder // of boards without tables
}

// ladder is the data of a board; what was not measured is nil.
type ladder struct {
	board
	strength *data[matchPoint]
	accuracy *data[accuracyPoint]
	exam     *data[accuracyPoint] // in as many positions as published, of few agents
	players  *data[matchPoint]
	length   *data[matchPoint] // matches in which the agents move second
}

// load reads the data of all boards.
func (r *reporter) load() (*ladders, error) {
	g := &ladders{}
	for _, group := range campaign {
		for _, b := range group.Boards {
			l := &ladder{board: b}
			var times *data[timePoint]
			if err := errors.Join(
				loadIfThere(r.path(group.Series[0].Measure, b), &l.strength),
				loadIfThere(r.path("accuracy", b), &l.accuracy),
				loadIfThere(r.path("exam", b), &l.exam),
				loadIfThere(r.path("players", b), &l.players),
				loadIfThere(r.path("length", b), &l.length),
				loadIfThere(r.path("times", b), &times),
			); err != nil {
				return nil, err
			}
			l.retime(times)
			switch {
			case l.strength == nil:
			case group.Tables:
				g.Boards = append(g.Boards, l)
			default:
				g.others = append(g.others, l)
			}
		}
	}
	if len(g.Boards) == 0 {
		return nil, cli.Usagef("there are no strengths in %s; take ours from docs/ladder of commit 2718e26, or measure some with ladder report, which needs tables in --dir and time", r.data)
	}
	return g, nil
}

func loadIfThere[P any](path string, d **data[P]) error {
	read, err := loadData[P](path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	*d = read
	return err
}

// of returns the ladders of a game.
func (g *ladders) of(game string) []*ladder {
	return slices.DeleteFunc(slices.Clone(g.Boards), func(l *ladder) bool { return l.game != game })
}

// games returns the games of the boards, in their order.
func (g *ladders) games() (games []string) {
	for _, l := range g.Boards {
		if !slices.Contains(games, l.game) {
			games = append(games, l.game)
		}
	}
	return games
}

func (b board) sizeText() string { return fmt.Sprintf("%d×%[1]d", b.size) }

// climbing returns the points of mcts that keep accepts, ordered by iterations; none of nil.
func climbing[P point](d *data[P], keep func(P) bool) (points []P) {
	if d == nil {
		return nil
	}
	for _, p := range d.Points {
		if p.sample().iterations != noIterations && keep(p) {
			points = append(points, p)
		}
	}
	slices.SortStableFunc(points, func(a, b P) int { return byIterations(a.sample(), b.sample()) })
	return points
}

// against returns the strengths of mcts against an opponent, ordered by iterations.
func (l *ladder) against(opponent string) []matchPoint {
	return climbing(l.strength, func(p matchPoint) bool { return p.Opponent == opponent })
}

func (l *ladder) climb(opponent player.Strength) []matchPoint { return l.against(opponent.String()) }

// Result returns the match of an agent against an opponent, nil if there is none.
func (l *ladder) Result(agent, opponent string) *matchPoint {
	return find(l.strength, func(p matchPoint) bool { return p.Agent == agent && p.Opponent == opponent })
}

// exams returns the accuracies of mcts, ordered by iterations.
func (l *ladder) exams() []accuracyPoint {
	return climbing(l.accuracy, func(accuracyPoint) bool { return true })
}

// Exam returns the accuracy of an agent, of most positions, nil if there is none.
func (l *ladder) Exam(agent string) *accuracyPoint {
	if p := find(l.exam, func(p accuracyPoint) bool { return p.Agent == agent }); p != nil {
		return p
	}
	return find(l.accuracy, func(p accuracyPoint) bool { return p.Agent == agent })
}

func find[P any](d *data[P], is func(P) bool) *P {
	if d == nil {
		return nil
	}
	if i := slices.IndexFunc(d.Points, is); i >= 0 {
		return &d.Points[i]
	}
	return nil
}

// The opponents without blunders.
var (
	perfect = player.Strength{Policy: player.Optimal}
	quick   = player.Strength{Policy: player.Shortest}
)
