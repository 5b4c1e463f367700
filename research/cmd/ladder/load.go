package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"backsolve/cmd/cli"
	"backsolve/player"
	"backsolve/research/internal/chart"
)

// ladders is the data of a report.
type ladders struct {
	boards []*ladder
	// references are those of boards without tables.
	references []*ladder
}

// ladder is what was measured of a board. What was not is nil.
type ladder struct {
	board
	strength *data[matchPoint]
	accuracy *data[accuracyPoint]
	players  *data[matchPoint]
	// length has matches in which the agents reply in all games.
	length *data[matchPoint]
	// opponent is the reference of a board without tables, whose strengths these are.
	opponent string
}

// load reads the data of all boards.
func (r *reporter) load() (*ladders, error) {
	g := &ladders{}
	for _, b := range reportBoards {
		l := &ladder{board: b}
		if err := errors.Join(
			loadIfThere(r.path("strength", b), &l.strength),
			loadIfThere(r.path("accuracy", b), &l.accuracy),
			loadIfThere(r.path("players", b), &l.players),
			loadIfThere(r.path(heldMeasure, b), &l.length),
		); err != nil {
			return nil, err
		}
		if l.strength != nil && len(l.strength.Points) > 0 {
			g.boards = append(g.boards, l)
		}
	}
	if len(g.boards) == 0 {
		return nil, cli.Usagef("there are no strengths in %s; fetch ours by make results, or measure some with ladder report, tables in --dir and enough time", r.data)
	}
	for _, ref := range references {
		var points *data[matchPoint]
		if err := loadIfThere(r.path(climbMeasure, ref.board), &points); err != nil {
			return nil, err
		}
		for _, opponent := range ref.opponents {
			l := &ladder{board: ref.board, opponent: opponent.name, strength: points}
			if points != nil && len(l.ascent()) > 0 {
				g.references = append(g.references, l)
			}
		}
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
func (g *ladders) of(game string) (boards []*ladder) {
	for _, l := range g.boards {
		if l.game == game {
			boards = append(boards, l)
		}
	}
	return boards
}

// games are those of which there is data, in the order of the boards.
func (g *ladders) games() (games []string) {
	for _, l := range g.boards {
		if !slices.Contains(games, l.game) {
			games = append(games, l.game)
		}
	}
	return games
}

// sizeText is the size of a board for people.
func (b board) sizeText() string { return fmt.Sprintf("%d×%[1]d", b.size) }

// climbing returns the points of mcts that are kept, by their iterations. There are none in
// data that are not there.
func climbing[P point](d *data[P], keep func(P) bool) (points []P) {
	if d == nil {
		return nil
	}
	for _, p := range d.Points {
		if p.iterations() != noIterations && keep(p) {
			points = append(points, p)
		}
	}
	slices.SortStableFunc(points, func(a, b P) int { return a.iterations() - b.iterations() })
	return points
}

// climb returns the points of mcts against an opponent by their iterations.
func (l *ladder) climb(opponent player.Strength) []matchPoint {
	return climbing(l.strength, func(p matchPoint) bool { return p.Opponent == opponent.String() })
}

// against returns the point of an agent against an opponent.
func (l *ladder) against(agent string, opponent player.Strength) (matchPoint, bool) {
	i := slices.IndexFunc(l.strength.Points, func(p matchPoint) bool { return p.Agent == agent && p.Opponent == opponent.String() })
	if i < 0 {
		return matchPoint{}, false
	}
	return l.strength.Points[i], true
}

// exams returns the points of the accuracy of mcts by their iterations.
func (l *ladder) exams() []accuracyPoint {
	return climbing(l.accuracy, func(accuracyPoint) bool { return true })
}

// exam returns the point of the accuracy of an agent.
func (l *ladder) exam(agent string) (accuracyPoint, bool) {
	if l.accuracy == nil {
		return accuracyPoint{}, false
	}
	i := slices.IndexFunc(l.accuracy.Points, func(p accuracyPoint) bool { return p.Agent == agent })
	if i < 0 {
		return accuracyPoint{}, false
	}
	return l.accuracy.Points[i], true
}

// The opponents without blunders.
var (
	perfect = player.Strength{Policy: player.Optimal}
	quick   = player.Strength{Policy: player.Shortest}
)

// plot draws all plots into a directory, those of the depth from the ladders as they were
// fitted.
func (g *ladders) plot(dir string, all []climbed) error {
	if err := plotDepths(dir, all); err != nil {
		return err
	}
	for _, game := range g.games() {
		if err := g.plotSizes(dir+"/", game); err != nil {
			return err
		}
		if err := g.plotHeld(dir, game); err != nil {
			return err
		}
	}
	for _, l := range g.boards {
		for _, policy := range []player.Policy{player.Optimal, player.Shortest} {
			curves, err := strengthCurves(climbing(l.strength, func(matchPoint) bool { return true }), policy)
			if err != nil {
				return err
			}
			if err := plotByIterations(dir+"/"+l.plotOf(policy), strengthTitle(l.strength.Settings, policy), strengthAxis, curves); err != nil {
				return err
			}
		}
	}
	return nil
}

// plotOf is the name of the plot of the strength against a policy.
func (l *ladder) plotOf(policy player.Policy) string {
	return "strength-" + l.word() + "-" + string(policy)
}

// plotSizes draws the plots that compare the sizes of a game.
func (g *ladders) plotSizes(prefix, game string) error {
	var strength, accuracy, length curveSet
	for _, l := range g.of(game) {
		for _, p := range l.climb(perfect) {
			strength.add(l.sizeText(), sample{p.Iterations, p.SecondsPerMove, p.strength()})
		}
		for _, p := range l.exams() {
			accuracy.add(l.sizeText()+" lenient", sample{p.Iterations, p.SecondsPerMove, percent(p.lenient())})
			if e, ok := p.strict(); ok {
				accuracy.add(l.sizeText()+" strict", sample{p.Iterations, p.SecondsPerMove, percent(e)})
			}
		}
		opponent := l.holder()
		for _, p := range l.climb(opponent) {
			if e, ok := p.length(); ok {
				length.add(l.sizeText()+", "+opponent.String(), sample{p.Iterations, p.SecondsPerMove, e})
			}
		}
	}
	for _, plotted := range []struct {
		name, title string
		axis        chart.Axis
		curves      curveSet
	}{
		{"strength", ": strength against optimal without blunders", strengthAxis, strength},
		{"accuracy", ": right moves in random positions", accuracyAxis, accuracy},
		{"length", ": length of the games lost to a perfect player", lengthAxis, length},
	} {
		if err := plot(prefix+plotted.name+"-"+game, game+plotted.title, plotted.axis, plotted.curves); err != nil {
			return err
		}
	}
	return nil
}

// holder is the perfect player against which the length of lost games is measured:
// who wins as soon as can be, where the table knows how.
func (l *ladder) holder() player.Strength {
	if len(l.climb(quick)) > 0 {
		return quick
	}
	return perfect
}
