package main

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/player"
	"backsolve/research/internal/files"
)

//go:embed report.md.tmpl
var pageText string

var pageTemplate = template.Must(template.New("report.md").Funcs(template.FuncMap{
	"grid": func(rows [][]string) string { return strings.TrimSuffix(cli.Markdown(rows, "---", "---"), "\n") },
}).Parse(pageText))

// page is what the template of the report needs.
type page struct {
	Games, TurnLimit, States int
	TrainingGames            int
	Seed                     uint64
	Boards                   string
	Findings                 []finding
	// Summary has a row for each board with the figures that matter most.
	Summary [][]string
	// Published are the figures of others beside ours, each with its source.
	Published [][]string
	Sources   []string
	// Below says where our ladder lies below a published one.
	Below []string
	Depth depth
	// SizePlots are the plots that compare sizes, BoardPlots those of each board,
	// without a suffix.
	SizePlots  []sizePlots
	BoardPlots []boardPlots
	// Held is how long the second player holds out.
	Held held
	// Others are the agents without iterations.
	Others  [][]string
	Players [][]string
	// Machines are those on which the points were measured.
	Machines []string
}

// tables returns the tables that are too long for the page, by the names of their CSV files.
func (p *page) tables() map[string][][]string {
	all := map[string][][]string{"depth": p.Depth.Rows, "lengths": p.Held.Rows, "agents": p.Others, "players": p.Players}
	for _, f := range p.Findings {
		all[f.File] = f.Rows
	}
	return all
}

// sizePlots are the plots of a measure for each game.
type sizePlots struct {
	Title, Text string
	Plots       []string
}

type boardPlots struct {
	Board board
	Plots []string
}

// write writes the page ladder.md into a directory, and its longer tables below it.
func (g *ladders) write(dir string, all []climbed) error {
	p := g.page()
	p.Depth = g.depth(all)
	for name, rows := range p.tables() {
		if len(rows) < 2 {
			continue
		}
		if err := writeTable(filepath.Join(dir, "ladder", name+".csv"), rows); err != nil {
			return err
		}
	}
	return files.Write(filepath.Join(dir, "ladder.md"), func(w io.Writer) error { return pageTemplate.Execute(w, p) })
}

// writeTable writes a table as CSV; the first row names the columns.
func writeTable(path string, rows [][]string) error {
	return files.Write(path, func(w io.Writer) error {
		c := csv.NewWriter(w)
		for _, row := range rows {
			plain := slices.Clone(row)
			for i := range plain {
				plain[i] = strings.ReplaceAll(plain[i], "`", "")
			}
			if err := c.Write(plain); err != nil {
				return err
			}
		}
		c.Flush()
		return c.Error()
	})
}

func (g *ladders) page() *page {
	first := g.boards[0].strength.Settings
	p := &page{Games: first.Games, TurnLimit: first.TurnLimit, Seed: first.Seed, TrainingGames: trainingGames, Findings: g.findings(), SizePlots: g.sizePlots()}
	for _, l := range g.boards {
		if l.accuracy != nil {
			p.States = l.accuracy.Settings.States
		}
		plots := boardPlots{Board: l.board}
		for _, policy := range []player.Policy{player.Optimal, player.Shortest} {
			if slices.ContainsFunc(l.strength.Points, func(q matchPoint) bool {
				s, err := parseStrength(q.Opponent)
				return err == nil && s.Policy == policy && q.Iterations != noIterations
			}) {
				plots.Plots = append(plots.Plots, l.plotOf(policy))
			}
		}
		p.BoardPlots = append(p.BoardPlots, plots)
	}
	for i, game := range g.games() {
		p.Boards += strings.Repeat(" and ", min(i, 1)) + gameTitle(game)
	}
	p.Published, p.Sources, p.Below = g.published(), sourcesOfFigures(), g.below()
	p.Others, p.Held = g.others(), g.held()
	p.Players, p.Summary, p.Machines = g.players(), g.summary(), g.machines()
	return p
}

// summary returns a row for each board with the figures that matter most.
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
		if q, ok := l.against(learned, perfect); ok {
			row[5] = oneDigit(q.Strength)
		}
		if e, ok := l.exam("mcts:0"); ok {
			row[6] = oneDigit(100*e.LenientShare) + " %"
		}
		rows = append(rows, row)
	}
	return rows
}

// sizePlots returns the plots that plotSizes has drawn.
func (g *ladders) sizePlots() []sizePlots {
	all := []sizePlots{
		{Title: "Strength", Text: "Against `optimal` without blunders."},
		{Title: "Accuracy", Text: "Share of random positions in which the move is right."},
		{Title: "Length", Text: "Plies of games lost to a perfect player: `shortest` if the table has steps, else `optimal`."},
	}
	for _, game := range g.games() {
		boards := g.of(game)
		for i, has := range []func(*ladder) bool{
			func(l *ladder) bool { return len(l.climb(perfect)) > 0 },
			func(l *ladder) bool { return len(l.exams()) > 0 },
			func(l *ladder) bool {
				return slices.ContainsFunc(l.climb(l.holder()), func(p matchPoint) bool { return p.Lost > 0 })
			},
		} {
			if slices.ContainsFunc(boards, has) {
				all[i].Plots = append(all[i].Plots, strings.ToLower(all[i].Title)+"-"+game)
			}
		}
	}
	return slices.DeleteFunc(all, func(s sizePlots) bool { return s.Plots == nil })
}

// others returns what was found of the agents without iterations.
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

// players returns the comparison of players, in the layout of the publication: the
// share of games won as first and as second player against random, greedy and
// itself, and who wins under best play.
func (g *ladders) players() (rows [][]string) {
	rows = [][]string{{"board", "under best play", "player", "random: first", "random: second", "greedy: first", "greedy: second", "itself: first", "itself: second"}}
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
				row = append(row, winShares(l.players.Points, agent, opponent)...)
			}
			rows = append(rows, row)
		}
		for _, row := range publishedPlayers(l.board) {
			rows = append(rows, slices.Insert(row, 1, best))
		}
	}
	return rows
}

// noun is the noun for a value: win in 6, loss in 13, draw.
func noun(value string) string {
	if rest, lost := strings.CutPrefix(value, game.Lose.String()); lost {
		return "loss" + rest
	}
	return value
}

// playerOrder returns the players: random, greedy, the learned ones, those that search by
// their iterations, and the perfect one.
func playerOrder(points []matchPoint) []string {
	place := func(p matchPoint) int {
		return map[string]int{"random": -4, "greedy": -3, learned: -2, "optimal": 1 << 30}[p.Agent] + p.Iterations
	}
	sorted := slices.Clone(points)
	slices.SortStableFunc(sorted, func(a, b matchPoint) int { return place(a) - place(b) })
	var names []string
	for _, p := range sorted {
		if !slices.Contains(names, p.Agent) {
			names = append(names, p.Agent)
		}
	}
	return names
}

// winShares returns the shares of the games that an agent wins as first and as second
// player; against itself those that the first and the second player win.
func winShares(points []matchPoint, agent, opponent string) []string {
	i := slices.IndexFunc(points, func(p matchPoint) bool { return p.Agent == agent && p.Opponent == opponent })
	if i < 0 {
		return []string{"-", "-"}
	}
	p := points[i]
	if opponent == itself {
		n := gameCount(p)
		return []string{shareOf(p.BeganWins+p.RepliedLosses, n), shareOf(p.BeganLosses+p.RepliedWins, n)}
	}
	return []string{shareOf(p.BeganWins, p.began().Games()), shareOf(p.RepliedWins, p.replied().Games())}
}

// machines returns the machines on which the points were measured, each once.
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
