package main

import (
	_ "embed"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/player/arena"
	"backsolve/research/internal/chart"
	"backsolve/research/internal/files"
)

//go:embed report.md.tmpl
var pageText string

var pageTemplate = template.Must(template.New("report.md").Funcs(template.FuncMap{
	"grid": func(rows [][]string) string { return strings.TrimSuffix(cli.Markdown(rows, "---", "---"), "\n") },
}).Parse(pageText))

// page is the data of the template.
type page struct {
	Games, TurnLimit, States int
	TrainingGames            int
	Seed                     uint64
	Boards                   string
	Findings                 []finding
	Summary                  [][]string // the main figures of each board
	Published                [][]string // beside ours, if they disagree
	Sources                  []string
	Below                    []string // where our ladder lies below a published one
	Depth                    depth
	Sections                 []section
	BoardPlots               []string
	Others                   [][]string // agents without iterations
	Lengths, Players         [][]string
	Machines                 []string
}

// section has plots by iterations and by time.
type section struct {
	Title, Text string
	Plots       []string
}

// write draws all plots, and writes the page ladder.md and the tables that are too long for it.
func (g *ladders) write(dir string) error {
	p, below := g.page(), filepath.Join(dir, "ladder")
	all := g.climbs()
	p.Depth = newDepth(all)
	if err := plotDepths(below, all); err != nil {
		return err
	}
	var err error
	if p.Sections, err = g.sections(below); err != nil {
		return err
	}
	if p.BoardPlots, err = g.plotBoards(below); err != nil {
		return err
	}
	tables := map[string][][]string{"published": published(g), "depth": p.Depth.Rows, "lengths": p.Lengths, "agents": p.Others, "players": p.Players}
	for _, f := range p.Findings {
		tables[f.File] = f.Rows
	}
	for name, rows := range tables {
		if len(rows) > 1 {
			if err := files.WriteTable(filepath.Join(below, name+".csv"), rows); err != nil {
				return err
			}
		}
	}
	return files.Write(filepath.Join(dir, "ladder.md"), func(w io.Writer) error { return pageTemplate.Execute(w, p) })
}

func (g *ladders) page() *page {
	first := g.boards[0].strength.Settings
	p := &page{
		Games: first.Games, TurnLimit: first.TurnLimit, Seed: first.Seed, TrainingGames: trainingGames,
		Findings: []finding{rise(g), plateaus(g), measures(g), policies(g), learning(g)},
		Summary:  g.summary(), Published: slices.DeleteFunc(published(g), func(row []string) bool { return row[4] == agrees }), Below: below(g),
		Others: g.others(), Lengths: g.lengthTable(), Players: g.players(), Machines: g.machines(),
	}
	for _, l := range g.boards {
		if l.accuracy != nil {
			p.States = l.accuracy.Settings.States
		}
	}
	for _, source := range publications() {
		p.Sources = append(p.Sources, source.Source)
	}
	for i, game := range g.games() {
		p.Boards += strings.Repeat(" and ", min(i, 1)) + gameTitle(game)
	}
	return p
}

// sections draws the plots that compare the sizes of each game.
func (g *ladders) sections(dir string) (all []section, err error) {
	plot := &plotter{dir: dir}
	for _, s := range []struct {
		section
		plots []sizePlot
	}{
		{section{Title: "Strength", Text: "Against `optimal` without blunders."}, []sizePlot{
			{"strength-", ": strength against optimal without blunders", strengthAxis, (*ladder).strengthCurves},
		}},
		{section{Title: "Accuracy", Text: "Share of random positions in which the move is right."}, []sizePlot{
			{"accuracy-", ": right moves in random positions", accuracyAxis, (*ladder).accuracyCurves},
		}},
		{section{Title: "Length", Text: "Plies of games lost to a perfect player: `shortest` if the table has steps, else `optimal`."}, []sizePlot{
			{"length-", ": length of the games lost to a perfect player", lengthAxis, (*ladder).lengthCurves},
		}},
		{section{Title: "Length as the second player", Text: fmt.Sprintf("The perfect player begins all games. Shares are of the length with %d iterations; their intervals take both to be independent.", fullIterations)}, []sizePlot{
			{"held-", ": length of the games lost as the second player", lengthAxis, (*ladder).lossCurves},
			{"held-share-", ": length of the games lost as the second player", shareAxis, (*ladder).lossShareCurves},
		}},
	} {
		plot.drawn = nil
		for _, game := range g.games() {
			for _, sizes := range s.plots {
				var curves []curve
				for _, l := range g.of(game) {
					curves = append(curves, sizes.curves(l)...)
				}
				if err := plot.both(sizes.file+game, game+sizes.title, sizes.axis, curves); err != nil {
					return nil, err
				}
			}
		}
		if s.Plots = plot.drawn; s.Plots != nil {
			all = append(all, s.section)
		}
	}
	return all, nil
}

// sizePlot has curves of all sizes of a game.
type sizePlot struct {
	file, title string
	axis        chart.Axis
	curves      func(*ladder) []curve
}

func (l *ladder) strengthCurves() []curve {
	return curveOf(l.sizeText(), l.climb(perfect), func(p matchPoint) (arena.Estimate, bool) { return p.strength(), true })
}

func (l *ladder) accuracyCurves() []curve {
	lenient := curveOf(l.sizeText()+" lenient", l.exams(), func(p accuracyPoint) (arena.Estimate, bool) { return percent(p.lenient()), true })
	return append(lenient, curveOf(l.sizeText()+" strict", l.exams(), func(p accuracyPoint) (arena.Estimate, bool) {
		e, ok := p.strict()
		return percent(e), ok
	})...)
}

func (l *ladder) lengthCurves() []curve {
	opponent := l.lengthOpponent()
	return curveOf(l.sizeText()+", "+opponent.String(), l.climb(opponent), matchPoint.length)
}

func (l *ladder) lossCurves() (curves []curve) {
	for _, p := range l.losses() {
		e, _ := p.length()
		curves = add(curves, l.sizeText()+", "+p.Opponent, sample{p.Iterations, p.SecondsPerMove, e})
	}
	return curves
}

func (l *ladder) lossShareCurves() (curves []curve) {
	points := l.losses()
	for _, p := range points {
		if e, ok := shareOfFull(points, p); ok {
			curves = add(curves, l.sizeText()+", "+p.Opponent, sample{p.Iterations, p.SecondsPerMove, e})
		}
	}
	return curves
}

// plotBoards draws the strengths of each board against opponents that blunder.
func (g *ladders) plotBoards(dir string) ([]string, error) {
	plot := &plotter{dir: dir}
	for _, l := range g.boards {
		for _, policy := range bothPolicies {
			curves, err := strengthCurves(climbing(l.strength, func(matchPoint) bool { return true }), policy)
			if err != nil {
				return nil, err
			}
			name := "strength-" + l.word() + "-" + string(policy)
			if err := plot.byIterations(name, strengthTitle(l.strength.Settings, policy), strengthAxis, curves); err != nil {
				return nil, err
			}
		}
	}
	return plot.drawn, nil
}

// summary returns the main figures of each board.
func (g *ladders) summary() [][]string {
	rows := [][]string{{"board", "start", "random play", "mcts", "plateau from", "qlearning", "right moves at random"}}
	for _, l := range g.boards {
		points := l.climb(perfect)
		if len(points) == 0 {
			continue
		}
		last := points[len(points)-1]
		row := []string{boardName(l.board), noun(l.strength.Settings.Start), "-", strengthText(last), "beyond", "-", "-"}
		if points[0].Iterations == 0 {
			row[2] = oneDigit(points[0].Strength)
		}
		if n, ok := plateau(points); ok {
			row[4] = fmt.Sprint(n)
		}
		if q, ok := l.result(learned, perfect); ok {
			row[5] = oneDigit(q.Strength)
		}
		if e, ok := l.exam("mcts:0"); ok {
			row[6] = oneDigit(100*e.LenientShare) + " %"
		}
		rows = append(rows, row)
	}
	return rows
}

// others returns the figures of the agents without iterations.
func (g *ladders) others() [][]string {
	rows := [][]string{{"board", "agent", "strength", "accuracy, lenient", "strict", "time of a move"}}
	for _, l := range g.boards {
		for _, p := range l.strength.Points {
			if p.Iterations != noIterations || p.Opponent != perfect.String() {
				continue
			}
			lenient, strict := "-", "-"
			if e, ok := l.exam(p.Agent); ok {
				lenient = percentText(e.lenient())
				if s, ok := e.strict(); ok {
					strict = percentText(s)
				}
			}
			rows = append(rows, []string{boardName(l.board), p.Agent, strengthText(p), lenient, strict, cli.SecondsText(p.SecondsPerMove)})
		}
	}
	return rows
}

// players compares players as the publication does: the share of games won as first and as
// second player against random, greedy and itself, and who wins under best play.
func (g *ladders) players() [][]string {
	rows := [][]string{{"board", "under best play", "player", "random: first", "random: second", "greedy: first", "greedy: second", "itself: first", "itself: second"}}
	for _, l := range g.boards {
		if l.players == nil || len(l.players.Points) == 0 {
			continue
		}
		start := l.players.Settings.Start
		best := "nobody wins"
		switch {
		case strings.HasPrefix(start, game.Win.String()):
			best = "the first player wins"
		case strings.HasPrefix(start, game.Lose.String()):
			best = "the second player wins"
		}
		for _, agent := range playerOrder(l.players.Points) {
			row := []string{boardName(l.board), best, agent}
			for _, opponent := range []string{"random", "greedy", itself} {
				row = append(row, winShares(l.players, agent, opponent)...)
			}
			rows = append(rows, row)
		}
		for _, row := range publishedPlayers(l.board) {
			rows = append(rows, slices.Insert(row, 1, best))
		}
	}
	return rows
}

// noun returns a value as a noun: win in 6, loss in 13, draw.
func noun(value string) string {
	if rest, lost := strings.CutPrefix(value, game.Lose.String()); lost {
		return "loss" + rest
	}
	return value
}

// playerOrder returns random, greedy, the learned agents, mcts by iterations, and optimal.
func playerOrder(points []matchPoint) (names []string) {
	place := func(p matchPoint) int {
		return map[string]int{"random": -4, "greedy": -3, learned: -2, "optimal": 1 << 30}[p.Agent] + p.Iterations
	}
	sorted := slices.Clone(points)
	slices.SortStableFunc(sorted, func(a, b matchPoint) int { return place(a) - place(b) })
	for _, p := range sorted {
		if !slices.Contains(names, p.Agent) {
			names = append(names, p.Agent)
		}
	}
	return names
}

// winShares returns the shares of games that an agent wins as first and as second player;
// against itself, those that the first and the second player win.
func winShares(players *data[matchPoint], agent, opponent string) []string {
	p, found := find(players, func(p matchPoint) bool { return p.Agent == agent && p.Opponent == opponent })
	switch {
	case !found:
		return []string{"-", "-"}
	case opponent == itself:
		n := gameCount(p)
		return []string{shareOf(p.BeganWins+p.RepliedLosses, n), shareOf(p.BeganLosses+p.RepliedWins, n)}
	}
	return []string{shareOf(p.BeganWins, p.began().Games()), shareOf(p.RepliedWins, p.replied().Games())}
}

// machines returns the machines of all runs, each once.
func (g *ladders) machines() (all []string) {
	var runs []run
	for _, l := range slices.Concat(g.boards, g.references) {
		runs = slices.Concat(runs, l.strength.runs(), l.accuracy.runs(), l.players.runs(), l.length.runs())
	}
	for _, r := range runs {
		all = append(all, fmt.Sprintf("%s with %d cores, by %s", r.Machine.Processor, r.Machine.Cores, cli.Plural(r.Threads, "thread")))
	}
	slices.Sort(all)
	return slices.Compact(all)
}
