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
	"backsolve/internal/player/arena"
	"backsolve/research/internal/chart"
	"backsolve/research/internal/files"
)

//go:embed report.md.tmpl
var pageText string

//go:embed text.tmpl
var texts string

var templates = template.Must(template.New("text").Funcs(template.FuncMap{
	"plural": cli.Plural, "seconds": cli.SecondsText, "estimate": estimateText, "share": shareText,
	"noun": noun, "digit": oneDigit, "strength": strengthText,
	"percent": func(p *accuracyPoint) arena.Estimate { return percent(p.lenient()) },
}).Parse(texts))

var pageTemplate = template.Must(template.New("report.md").Funcs(template.FuncMap{
	"grid": grid,
	"table": func(name string, p *page) (string, error) {
		rows, err := files.Rows(templates, name, p)
		return grid(rows), err
	},
}).Parse(pageText))

func grid(rows [][]string) string { return strings.TrimSuffix(cli.Markdown(rows, "---", "---"), "\n") }

// page is the data of the template, which also calls the exported methods of ladders.
type page struct {
	*ladders
	Findings   []finding
	Depth      depth
	Sections   []section
	BoardPlots []string
	Tables     map[string][][]string // as CSV
}

// section has plots by iterations and by time.
type section struct {
	Title, Text string
	Plots       []string
}

// write draws all plots, and writes the page ladder.md and the tables that are too long for it.
func (g *ladders) write(dir string) (err error) {
	below, all := filepath.Join(dir, "ladder"), g.climbs()
	p := &page{ladders: g, Findings: []finding{rise(g), plateaus(g), measures(g), policies(g), learning(g)}, Depth: newDepth(all)}
	if err := plotDepths(below, all); err != nil {
		return err
	}
	if p.Sections, err = g.sections(below); err != nil {
		return err
	}
	if p.BoardPlots, err = g.plotBoards(below); err != nil {
		return err
	}
	p.Tables = map[string][][]string{"published": published(g), "depth": p.Depth.Rows}
	for _, f := range p.Findings {
		p.Tables[f.File] = f.Rows
	}
	for _, name := range []string{"lengths", "agents", "players"} {
		if p.Tables[name], err = files.Rows(templates, name, g); err != nil {
			return err
		}
	}
	for name, rows := range p.Tables {
		if len(rows) > 1 {
			if err := files.WriteTable(filepath.Join(below, name+".csv"), rows); err != nil {
				return err
			}
		}
	}
	return files.Write(filepath.Join(dir, "ladder.md"), func(w io.Writer) error { return pageTemplate.Execute(w, p) })
}

// Resamples is the number of resampled fits.
func (g *ladders) Resamples() int { return resamples }

// Timed is the number of positions in which times are measured.
func (g *ladders) Timed() int { return timed }

// Settings returns those of the first board.
func (g *ladders) Settings() settings { return g.Boards[0].strength.Settings }

// States returns the number of positions of an accuracy.
func (g *ladders) States() (states int) {
	for _, l := range g.Boards {
		if l.accuracy != nil {
			states = l.accuracy.Settings.States
		}
	}
	return states
}

// TrainingGames returns the numbers of games that the learned agents learned from.
func (g *ladders) TrainingGames() map[string]int { return trainingGames }

// Games names the games with tables.
func (g *ladders) Games() string {
	var titles []string
	for _, game := range g.games() {
		titles = append(titles, gameTitle(game))
	}
	return strings.Join(titles, " and ")
}

// sections draws the plots that compare the sizes of each game.
func (g *ladders) sections(dir string) (all []section, err error) {
	const lost = ": length of the games lost as the second player"
	type sizePlot struct {
		file, title string
		axis        chart.Axis
		curves      func(l *ladder, prefix string) []curve
	}
	for _, s := range []struct {
		title, text string
		plots       []sizePlot
	}{
		{"Strength", "Against `optimal` without blunders.", []sizePlot{
			{"strength-", ": strength against optimal without blunders", strengthAxis, func(l *ladder, _ string) []curve {
				return curvesOf(l.climb(perfect), func(p matchPoint) (string, arena.Estimate, bool) { return l.sizeText(), p.strength(), true })
			}},
		}},
		{"Accuracy", "Share of random positions in which the move is right.", []sizePlot{
			{"accuracy-", ": right moves in random positions", accuracyAxis, func(l *ladder, _ string) []curve {
				return accuracyCurves(l.sizeText()+" ", l.exams())
			}},
		}},
		{"Length", "Plies of games lost to `shortest`, without steps to `optimal`.", []sizePlot{
			{"length-", ": length of the games lost to a perfect player", lengthAxis, func(l *ladder, prefix string) []curve {
				points := l.climb(quick)
				if len(points) == 0 {
					points = l.climb(perfect)
				}
				return lengthCurves(prefix, points, matchPoint.length)
			}},
		}},
		{"Length as the second player", fmt.Sprintf("The perfect player begins all games. Shares are of the length with %d iterations; their intervals take both to be independent.", fullIterations), []sizePlot{
			{"held-", lost, lengthAxis, func(l *ladder, prefix string) []curve { return lengthCurves(prefix, l.Losses(), matchPoint.length) }},
			{"held-share-", lost, shareAxis, func(l *ladder, prefix string) []curve {
				points := l.Losses()
				return lengthCurves(prefix, points, func(p matchPoint) (arena.Estimate, bool) { return shareOfFull(points, p) })
			}},
		}},
	} {
		d := &plotter{dir: dir}
		for _, game := range g.games() {
			for _, sizes := range s.plots {
				p := plot{sizes.file + game, game + sizes.title, sizes.axis, nil}
				for _, l := range g.of(game) {
					p.curves = append(p.curves, sizes.curves(l, l.sizeText()+", ")...)
				}
				if err := d.both(p); err != nil {
					return nil, err
				}
			}
		}
		if d.drawn != nil {
			all = append(all, section{s.title, s.text, d.drawn})
		}
	}
	return all, nil
}

// plotBoards draws the strengths of each board against opponents that blunder.
func (g *ladders) plotBoards(dir string) ([]string, error) {
	d := &plotter{dir: dir}
	for _, l := range g.Boards {
		for _, policy := range bothPolicies {
			points := climbing(l.strength, func(matchPoint) bool { return true })
			if err := d.byIterations(strengthPlot(l.strength, points, policy)); err != nil {
				return nil, err
			}
		}
	}
	return d.drawn, nil
}

// Name returns the title of the board.
func (l *ladder) Name() string { return boardName(l.board) }

// Start returns the value of the empty board.
func (l *ladder) Start() string { return l.strength.Settings.Start }

// Last returns the strength with the most iterations, nil if there is none.
func (l *ladder) Last() *matchPoint {
	points := l.climb(perfect)
	if len(points) == 0 {
		return nil
	}
	return &points[len(points)-1]
}

// Plateau returns the iterations from which mcts is on the plateau.
func (l *ladder) Plateau() string {
	if n, ok := plateau(l.climb(perfect)); ok {
		return fmt.Sprint(n)
	}
	return "beyond"
}

// Others returns the strengths of agents without iterations.
func (l *ladder) Others() []matchPoint {
	return slices.DeleteFunc(slices.Clone(l.strength.Points), func(p matchPoint) bool {
		return p.Iterations != noIterations || p.Opponent != perfect.String()
	})
}

// Winner says who wins under best play.
func (l *ladder) Winner() string {
	switch outcome, _, _ := strings.Cut(l.Start(), " "); outcome {
	case game.Win.String():
		return "the first player wins"
	case game.Lose.String():
		return "the second player wins"
	}
	return "nobody wins"
}

// playerOpponents are those of all players.
var playerOpponents = []string{"random", "greedy", itself}

// PlayerOpponents returns the opponents of all players.
func (g *ladders) PlayerOpponents() []string { return playerOpponents }

// noun returns a value as a noun: win in 6, loss in 13, draw.
func noun(value string) string {
	if rest, lost := strings.CutPrefix(value, game.Lose.String()); lost {
		return "loss" + rest
	}
	return value
}

// Players returns random, greedy, the learned agents, mcts by iterations, and optimal.
func (l *ladder) Players() (names []string) {
	if l.players == nil {
		return nil
	}
	place := func(p matchPoint) int {
		return map[string]int{"random": -4, "greedy": -3, learned: -2, "optimal": 1 << 30}[p.Agent] + p.Iterations
	}
	sorted := slices.Clone(l.players.Points)
	slices.SortStableFunc(sorted, func(a, b matchPoint) int {
		if order := place(a) - place(b); order != 0 {
			return order
		}
		return strings.Compare(a.Agent, b.Agent)
	})
	for _, p := range sorted {
		names = append(names, p.Agent)
	}
	return slices.Compact(names)
}

// WinShares returns the shares of games that an agent wins as first and as second player;
// against itself, those that the first and the second player win.
func (l *ladder) WinShares(agent, opponent string) []string {
	p := find(l.players, func(p matchPoint) bool { return p.Agent == agent && p.Opponent == opponent })
	switch {
	case p == nil:
		return []string{"-", "-"}
	case opponent == itself:
		n := gameCount(*p)
		return []string{shareOf(p.BeganWins+p.RepliedLosses, n), shareOf(p.BeganLosses+p.RepliedWins, n)}
	}
	return []string{shareOf(p.BeganWins, p.began().Games()), shareOf(p.RepliedWins, p.replied().Games())}
}

// Machines returns the machines of all runs, each once.
func (g *ladders) Machines() (all []string) {
	for _, l := range slices.Concat(g.Boards, g.others) {
		for _, r := range slices.Concat(l.strength.runs(), l.accuracy.runs(), l.players.runs(), l.length.runs()) {
			all = append(all, fmt.Sprintf("%s with %d cores, by %s", r.Machine.Processor, r.Machine.Cores, cli.Plural(r.Threads, "thread")))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
