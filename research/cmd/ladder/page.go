package main

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/template"

	"backsolve/game"
	"backsolve/player"
	"backsolve/research/internal/files"
)

//go:embed report.md.tmpl
var pageText string

var pageTemplate = template.Must(template.New("report.md").Funcs(template.FuncMap{
	"grid": markdownGrid, "name": boardName, "join": strings.Join,
}).Parse(pageText))

// page is what the template of the report needs.
type page struct {
	Games, TurnLimit, States int
	TrainingGames            int
	Seed                     uint64
	Boards                   string
	Findings                 []finding
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
	// Perfect says for each board of the comparison who wins under best play.
	Perfect []string
	Files   [][]string
	Runs    []run
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

// write writes the page about the data.
func (g *ladders) write(path string, all []climbed) error {
	p := g.page()
	p.Depth = g.depth(all)
	return files.Write(path, func(w io.Writer) error { return pageTemplate.Execute(w, p) })
}

func (g *ladders) page() *page {
	first := g.boards[0].strength.Settings
	p := &page{Games: first.Games, TurnLimit: first.TurnLimit, Seed: first.Seed, TrainingGames: trainingGames, Findings: g.findings(), SizePlots: g.sizePlots()}
	var names []string
	for _, l := range g.boards {
		names = append(names, boardName(l.board))
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
	p.Boards = strings.Join(names, ", ")
	p.Published, p.Sources, p.Below = g.published(), sourcesOfFigures(), g.below()
	p.Others, p.Held = g.others(), g.held()
	p.Players, p.Perfect = g.players()
	p.Files, p.Runs = g.sources()
	return p
}

// sizePlots returns the plots that plotSizes has drawn.
func (g *ladders) sizePlots() []sizePlots {
	all := []sizePlots{
		{Title: "Strength", Text: "Against `optimal` without blunders; who plays perfectly, too, has 50."},
		{Title: "Accuracy", Text: "Share of random positions in which the move keeps the outcome (lenient), and in which it also wins as soon or loses as late as can be (strict)."},
		{Title: "Length", Text: "Plies of the games that are lost to a perfect player: to `shortest` where the table has the steps for it, else to `optimal`, which does not hurry."},
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
			rows = append(rows, []string{boardName(l.board), p.Agent, strengthText(p), lenient, strict, secondsText(p.SecondsPerMove)})
		}
	}
	return rows
}

// players returns the comparison of players, in the layout of the publication: the
// share of games won as first and as second player against random, greedy and
// itself; and who wins under best play.
func (g *ladders) players() (rows [][]string, perfect []string) {
	rows = [][]string{{"board", "player", "random: first", "second", "greedy: first", "second", "itself: first", "second"}}
	for _, l := range g.boards {
		if l.players == nil || len(l.players.Points) == 0 {
			continue
		}
		start := l.players.Settings.Start
		who := "nobody wins"
		switch {
		case strings.HasPrefix(start, game.Win.String()):
			who = "the first player wins"
		case strings.HasPrefix(start, game.Lose.String()):
			who = "the second player wins"
		}
		perfect = append(perfect, fmt.Sprintf("%s: %s (a %s for the player who begins)", boardName(l.board), who, noun(start)))
		for _, agent := range playerOrder(l.players.Points) {
			row := []string{boardName(l.board), agent}
			for _, opponent := range []string{"random", "greedy", itself} {
				row = append(row, winShares(l.players.Points, agent, opponent)...)
			}
			rows = append(rows, row)
		}
		rows = append(rows, publishedPlayers(l.board)...)
	}
	return rows, perfect
}

// noun is the noun for a value: win in 6, loss in 13, draw.
func noun(value string) string {
	if rest, lost := strings.CutPrefix(value, game.Lose.String()); lost {
		return "loss" + rest
	}
	return value
}

// playerOrder returns the players: random and greedy, those that search or have
// learned, by their iterations, and at last the perfect one.
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

// sources returns the files of the data, and all runs that made them.
func (g *ladders) sources() (rows [][]string, runs []run) {
	rows = [][]string{{"file", "points"}}
	add := func(measure string, b board, points int, made []run) {
		name := measure + "-" + b.word() + ".csv"
		rows = append(rows, []string{"`" + name + "`", fmt.Sprint(points)})
		for _, r := range made {
			if !slices.Contains(runs, r) {
				runs = append(runs, r)
			}
		}
	}
	for _, l := range g.boards {
		add("strength", l.board, len(l.strength.Points), l.strength.Runs)
		if l.accuracy != nil {
			add("accuracy", l.board, len(l.accuracy.Points), l.accuracy.Runs)
		}
		if l.players != nil {
			add("players", l.board, len(l.players.Points), l.players.Runs)
		}
		if l.length != nil {
			add(heldMeasure, l.board, len(l.length.Points), l.length.Runs)
		}
	}
	for i, l := range g.references {
		if i > 0 && g.references[i-1].board == l.board {
			continue // the same file
		}
		add(climbMeasure, l.board, len(l.strength.Points), l.strength.Runs)
	}
	return rows, runs
}

// markdownGrid writes a table of Markdown; the first row names the columns.
func markdownGrid(rows [][]string) string {
	var b strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			b.WriteString("|" + strings.Repeat("---|", len(row)) + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
