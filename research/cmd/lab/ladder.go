package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"backsolve/cmd/cli"
	"backsolve/game/games"
	"backsolve/internal/player"
	"backsolve/research/internal/files"
)

// ladder is the data of a board; what was not measured has no points.
type ladder struct {
	strength data[matchPoint]
	accuracy data[accuracyPoint]
	exam     data[accuracyPoint] // in as many positions as published, of few agents
	players  data[matchPoint]
	length   data[matchPoint] // matches in which the agents move second
}

func loadLadders(dir string) (all []*ladder, err error) {
	names, _ := fs.Glob(os.DirFS(dir), "*.json") // the pattern is right
	for _, name := range names {
		measure, word, _ := strings.Cut(strings.TrimSuffix(name, ".json"), "-")
		if measure != strengthMeasure && measure != "climb" { // without a table
			continue
		}
		l := &ladder{}
		var times data[timePoint]
		at := func(measure string) string { return filepath.Join(dir, measure+"-"+word) }
		if err := errors.Join(loadIfThere(at(measure), &l.strength), loadIfThere(at(accuracyMeasure), &l.accuracy), loadIfThere(at("exam"), &l.exam),
			loadIfThere(at("players"), &l.players), loadIfThere(at(lengthMeasure), &l.length), loadIfThere(at(timeMeasure), &times)); err != nil {
			return nil, err
		}
		l.retime(times.Points)
		all = append(all, l)
	}
	if all == nil {
		return nil, cli.Usagef("there are no strengths in %s; measure some with lab strength or lab run", dir)
	}
	slices.SortStableFunc(all, func(a, b *ladder) int {
		x, y := a.strength.Settings, b.strength.Settings
		return cmp.Or(cmp.Compare(x.Game, y.Game), cmp.Compare(x.Size, y.Size))
	})
	return all, nil
}

func loadIfThere[P any](path string, d *data[P]) error {
	read, err := loadData[P](path)
	if *d = *read; errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// retime replaces the times of points by those of the agents in fixed positions, 0 if unknown.
func (l *ladder) retime(times []timePoint) {
	seconds := map[string]float64{}
	for _, p := range times {
		seconds[p.Agent] = p.SecondsPerMove
	}
	for _, points := range [][]matchPoint{l.strength.Points, l.players.Points, l.length.Points} {
		for i := range points {
			points[i].SecondsPerMove = seconds[points[i].Agent]
		}
	}
	for i, p := range l.accuracy.Points {
		l.accuracy.Points[i].SecondsPerMove = seconds[p.Agent]
	}
}

// climbing returns the points of mcts that keep accepts, ordered by iterations.
func climbing[P point](all []P, keep func(P) bool) (points []P) {
	for _, p := range all {
		if p.sample().iterations != noIterations && keep(p) {
			points = append(points, p)
		}
	}
	slices.SortStableFunc(points, func(a, b P) int { return a.sample().iterations - b.sample().iterations })
	return points
}

// climb returns the strengths of mcts against an opponent, ordered by iterations.
func (l *ladder) climb(opponent player.Strength) []matchPoint {
	return climbing(l.strength.Points, func(p matchPoint) bool { return p.Opponent == opponent.String() })
}

func (l *ladder) losses() []matchPoint {
	return climbing(l.length.Points, func(p matchPoint) bool { return p.Lost > 0 })
}

func writeLadders(dir string, boards []*ladder) error {
	strengths := [][]string{{"board", "agent", "opponent", "strength", "low", "high", "milliseconds"}}
	accuracies := [][]string{{"board", "agent", "positions", "lenient", "low", "high", "strict", "low", "high"}}
	players := [][]string{{"board", "player", "opponent", "games", "first", "second"}}
	lengths := [][]string{{"board", "agent", "opponent", "plies", "low", "high", "share", "turns, draws at the limit"}}
	for _, l := range boards {
		name := boardName(l.strength.Settings)
		for _, p := range l.strength.Points {
			strengths = append(strengths, slices.Concat([]string{name, p.Agent, p.Opponent}, digitsOf(p.strength()), []string{milliseconds(p.SecondsPerMove)}))
		}
		for _, p := range slices.Concat(l.accuracy.Points, l.exam.Points) {
			strict := []string{"", "", ""}
			if e, ok := p.strict(); ok {
				strict = digitsOf(inPercent(e))
			}
			accuracies = append(accuracies, slices.Concat([]string{name, p.Agent, fmt.Sprint(p.States)}, digitsOf(inPercent(p.lenient())), strict))
		}
		for _, p := range l.players.Points {
			first, second, games := p.began().Wins, p.replied().Wins, max(1, gameCount(p)/2)
			if p.Opponent == itself { // those that the first and the second player win
				first, second, games = p.BeganWins+p.RepliedLosses, p.BeganLosses+p.RepliedWins, max(1, gameCount(p))
			}
			players = append(players, []string{name, p.Agent, p.Opponent, fmt.Sprint(gameCount(p)), inHundred(first, games), inHundred(second, games)})
		}
		points := l.losses()
		for _, p := range points {
			length, _ := p.length()
			share, turns := "", ""
			if e, ok := shareOfFull(points, p); ok {
				share = fmt.Sprintf("%.2f", e.Value)
			}
			if e, ok := p.turns(l.length.Settings.TurnLimit); ok {
				turns = oneDigit(e.Value)
			}
			lengths = append(lengths, slices.Concat([]string{name, p.Agent, p.Opponent}, digitsOf(length), []string{share, turns}))
		}
	}
	for file, rows := range map[string][][]string{"depth": depths(climbs(boards)), "rungs": rungs(boards), "strength": strengths, "accuracy": accuracies, "players": players, "lengths": lengths} {
		if len(rows) > 1 {
			if err := files.WriteTable(filepath.Join(dir, file+".csv"), rows); err != nil {
				return err
			}
		}
	}
	return nil
}

// boardName returns the title of a board: Quixo 3×3, Nim 1-3-5.
func boardName(s settings) string {
	g, err := games.Lookup(s.Game)
	if err != nil {
		return s.word()
	}
	info := g.New(s.Size).Info()
	return g.Title + strings.TrimPrefix(info.String(), info.Name)
}

func inHundred(n, of int) string { return fmt.Sprintf("%.0f", 100*float64(n)/float64(of)) }
