package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/research/internal/chart"
)

// What stands around the part of the page that is made.
const (
	pageBegin = "<!-- Made by learn report from what learn all has measured. -->\n"
	pageEnd   = "<!-- End of what learn report makes. -->\n"
)

func reportCommand() *cobra.Command {
	var dir, data, page string
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Make tables and plots of what learn all has measured",
		Long: `Makes the tables of a page, beside what is published, and plots of how networks became
better, from the data that learn all has kept. Nothing is measured; what was not says so.
The tables replace what stands in the page between two comments.`,
		Example: `  learn report
  learn report --set docs/reports/learning --data results/learning --page docs/reports/learning.md`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := loadSet(dir, data)
			if err != nil {
				return fmt.Errorf("there is no set in %s (%w); name its directory with --set", dir, err)
			}
			if _, err := os.Stat(data); err != nil {
				return fmt.Errorf("there are no data in %s (%w); make results fetches them, or name their directory with --data", data, err)
			}
			if err := makeReport(s, page); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is written\n", page)
			return err
		},
	}
	keptFlag(cmd, &dir, &data)
	cmd.Flags().StringVar(&page, "page", filepath.Join("docs", "reports", "learning.md"), "`file` of the page")
	cobra.CheckErr(cmd.MarkFlagFilename("page", "md"))
	return cmd
}

// report is what a page is made of.
type report struct {
	*set
	below    string // the path from the page to the set
	measured []*kept
}

func makeReport(s *set, page string) error {
	below, err := filepath.Rel(filepath.Dir(page), s.dir)
	if err != nil {
		return fmt.Errorf("%s cannot name the files in %s: %w", page, s.dir, err)
	}
	r := &report{set: s, below: filepath.ToSlash(below)}
	for _, p := range s.Runs {
		k, err := s.results(p.Name)
		if err != nil {
			return err
		}
		if k != nil {
			r.measured = append(r.measured, k)
		}
	}
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(text), pageBegin)
	_, after, ended := strings.Cut(rest, pageEnd)
	if !ok || !ended {
		return fmt.Errorf("%s has no place for the tables; put these two lines where they are to go:\n%s%s", page, pageBegin, pageEnd)
	}
	plots, err := r.plots()
	if err != nil {
		return err
	}
	parts := []string{
		strings.TrimSuffix(before, "\n") + "\n" + pageBegin, cli.Markdown(r.comparison(), "---", "---"),
		"Each network above is the one of its run that knew the truth best, with the shares of states in percent. *Won* are those that are won for the player to move; *different* are those that the network tells apart. Who takes every state for won has the right sign in as many as are won.\n",
		cli.Markdown(r.shares(), "---", "---"),
	}
	for _, part := range []struct {
		text string
		rows [][]string
	}{
		{"**States held out of training**, beside all of them: what was never a target of the policy or the value.\n", r.heldOut()},
		{"**Games won**, in percent, in the layout of the published tables: as the player who begins, and as the other. Against itself the first column is who begins, and what it plays is without chance.\n", r.games()},
		{fmt.Sprintf("**Against each other**: games won in percent, in the layout of the published table, those of the training and those of its rival on the same side. Networks play without chance, so that each draws its first %d moves of a game, in proportion to the visits or, without simulations, to the probabilities; how many of the games differ is told.\n", drawnMoves), r.meetings()},
		{"**Where the network is sure and wrong**: the start, and the positions in which the greatest probability is that of a move that gives away a win or a draw. In percent the probability of that move, that of those that keep the value, and " +
			"the share of the visits that these have after so many simulations in one tree, searched as in the training; a star marks a value that was proved by then.\n", r.visits()},
		{"**Self-play ratings** by the published rule, of networks without search: when each entered, and at the end. They compare the networks of one training.\n", r.ratings()},
		{"**Ratings against fixed agents**, with intervals of 95 %: of agents by games among themselves, the first one's being 1000, and of networks by games against these alone. They compare the networks of a board, whatever training they are of, where the agents are the same.\n", r.fixed()},
	} {
		if len(part.rows) > 1 {
			parts = append(parts, part.text, cli.Markdown(part.rows, "---", "---"))
		}
	}
	return writeFile(page, []byte(strings.Join(append(parts, plots...), "\n")+pageEnd+after))
}

// find returns what was measured of a training, nil where nothing was.
func (r *report) find(name string) *kept {
	if i := slices.IndexFunc(r.measured, func(k *kept) bool { return k.Plan.Name == name }); i >= 0 {
		return r.measured[i]
	}
	return nil
}

// comparison returns the table that puts ours beside what is published.
func (r *report) comparison() [][]string {
	rows := [][]string{{"board", "published", "to reach", "measured, in one run each"}}
	for _, row := range r.Rows {
		var cells []string
		for _, name := range row.Runs {
			if k := r.find(name); k != nil {
				cells = append(cells, k.summary())
			} else {
				cells = append(cells, fmt.Sprintf("[%s](%s/%s/%s): not run", name, r.below, name, runFile))
			}
		}
		if row.Missing != "" {
			cells = append(cells, "not run: "+row.Missing)
		}
		rows = append(rows, []string{row.Board, row.Published, row.Reach, strings.Join(cells, "<br>")})
	}
	return rows
}

// summary is all that was measured of a training, in a cell.
func (k *kept) summary() string {
	parts := []string{fmt.Sprintf("%s, iteration %d of %d", k.Plan.Name, k.Iteration, k.Trained)}
	if k.Trained < k.run.Iterations {
		parts[0] += fmt.Sprintf(" (%d are described)", k.run.Iterations)
	}
	parts[0] += fmt.Sprintf(", %.0f s", k.Seconds)
	for _, g := range k.Grades {
		e := g.Result.Expert
		switch {
		case e == nil || e.Won == nil:
		case g.Simulations == 0:
			won := e.wins()
			parts = append(parts, fmt.Sprintf("alone %s / %s %%%s, of states of which %s %% are won", percent(e.Won.Policy), percent(e.All.Sign), e.among(), percent(&won)))
		default:
			parts = append(parts, fmt.Sprintf("with %s %s %%%s", cli.Plural(g.Simulations, "simulation"), percent(&e.Won.Keep), e.among()))
		}
	}
	if c := k.champion(); c != "" {
		parts = append(parts, c)
	}
	if n := len(k.Grades); n > 0 {
		for _, g := range k.Grades[n-1].Result.Games {
			if g.Opponent != itself {
				parts = append(parts, fmt.Sprintf("against %s %s / %s %%", g.Opponent, wins(g.First), wins(g.Second)))
			}
		}
	}
	return strings.Join(parts, "; ")
}

// champion says with how few simulations the network is a champion, "" where that was not
// asked.
func (k *kept) champion() (text string) {
	for _, g := range k.Grades {
		if walks := g.Result.Champion; len(walks) > 0 {
			text = verdict(g)
			if !slices.ContainsFunc(walks, func(w walkResult) bool { return !w.Champion }) {
				return text
			}
		}
	}
	return text
}

// verdict says whether a network is a champion.
func verdict(g keptGrade) string {
	how := "alone"
	if g.Simulations > 0 {
		how = "with " + cli.Plural(g.Simulations, "simulation")
	}
	states, kept, wrong := 0, 0, 0
	for _, w := range g.Result.Champion {
		states, kept, wrong = states+w.States, kept+w.Kept, wrong+w.Wrong
	}
	if wrong == 0 {
		return fmt.Sprintf("**champion** %s, in %s", how, cli.Plural(states, "state"))
	}
	return fmt.Sprintf("no champion %s: wrong in %d of %s", how, wrong, cli.Plural(kept, "state"))
}

// shares returns the table of shares.
func (r *report) shares() [][]string {
	rows := [][]string{{"training", "simulations", "states", "different", "won: keeps the win", "random", "sign of won", "of all", "won, of all", "champion"}}
	for _, k := range r.measured {
		for _, g := range k.Grades {
			row := []string{k.Plan.Name, fmt.Sprint(g.Simulations)}
			if e := g.Result.Expert; e != nil && e.Won != nil {
				won := e.wins()
				row = append(row, fmt.Sprint(e.All.States)+e.among(), fmt.Sprint(e.All.Different), percent(&e.Won.Keep), percent(&e.Won.Random), percent(e.Won.Sign), percent(e.All.Sign), percent(&won))
			} else {
				row = append(row, slices.Repeat([]string{"-"}, len(rows[0])-len(row)-1)...)
			}
			champion := "not asked"
			if len(g.Result.Champion) > 0 {
				champion = verdict(g)
			}
			rows = append(rows, append(row, champion))
		}
	}
	return rows
}

// heldOut returns the table of states that were held out of training.
func (r *report) heldOut() [][]string {
	rows := [][]string{{"training", "share", "simulations", "held out, different", "won: keeps the win", "all of these", "sign", "all of these"}}
	for _, k := range r.measured {
		for _, g := range k.Grades {
			e := g.Result.Expert
			if e == nil || e.HeldOut == nil || e.HeldOutWon == nil || e.Won == nil {
				continue
			}
			rows = append(rows, []string{
				k.Plan.Name, percent(&k.run.HeldOut), fmt.Sprint(g.Simulations), fmt.Sprint(e.HeldOut.Different),
				percent(&e.HeldOutWon.Keep), percent(&e.Won.Keep), percent(e.HeldOut.Sign), percent(e.All.Sign),
			})
		}
	}
	return rows
}

// rivals are the opponents of all networks, in the order in which they were met.
func (r *report) rivals() (names []string) {
	for _, k := range r.measured {
		for _, g := range k.Grades {
			for _, m := range g.Result.Games {
				if !slices.Contains(names, m.Opponent) {
					names = append(names, m.Opponent)
				}
			}
		}
	}
	return names
}

// games returns the table of games.
func (r *report) games() [][]string {
	rows := [][]string{{"training", "iterations", "simulations"}}
	rivals := r.rivals()
	for _, name := range rivals {
		rows[0] = append(rows[0], name+": first", "second")
	}
	for _, k := range r.measured {
		for _, g := range k.Grades {
			if len(g.Result.Games) == 0 {
				continue
			}
			row := []string{k.Plan.Name, fmt.Sprint(k.Iteration), fmt.Sprint(g.Simulations)}
			for _, name := range rivals {
				row = append(row, g.Result.against(name)...)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// ratings returns the table of ratings: of the first network, the one in the middle and the
// last.
func (r *report) ratings() [][]string {
	rows := [][]string{{"training", "iteration: entered, at the end"}}
	for _, k := range r.measured {
		if n := len(k.Elo); n > 0 {
			var cells []string
			for _, i := range slices.Compact([]int{0, n / 2, n - 1}) {
				cells = append(cells, fmt.Sprintf("%d: %.0f, %.0f", k.Elo[i].Iteration, k.Elo[i].Entered, k.Elo[i].Final))
			}
			rows = append(rows, []string{k.Plan.Name, strings.Join(cells, "; ")})
		}
	}
	return rows
}

// plots draws the plots of each game, and returns what shows them.
func (r *report) plots() (shown []string, err error) {
	var names []string
	for _, k := range r.measured {
		if !slices.Contains(names, k.run.Game) {
			names = append(names, k.run.Game)
		}
	}
	for _, name := range names {
		for _, kind := range []struct {
			file, title, y string
			low, high      float64
			points         func(k *kept) []chart.Point
		}{
			{"policy", "Won states in which the network alone keeps the win", "percent", 0, 100, func(k *kept) []chart.Point {
				return k.overGames(func(e logged) (float64, bool) { return 100 * e.graded().Policy, e.Grade != nil })
			}},
			{"sign", "States of whose value the network has the right sign", "percent", 0, 100, func(k *kept) []chart.Point {
				return k.overGames(func(e logged) (float64, bool) { return 100 * e.graded().Sign, e.Grade != nil })
			}},
			{"elo", "Self-play rating of networks without search as they enter", "rating", 0, 0, func(k *kept) []chart.Point {
				return k.overGames(k.entered)
			}},
			{"fixed", "Rating against fixed agents, of networks without search", "rating", 0, 0, func(k *kept) []chart.Point {
				return k.overGames(k.rated)
			}},
		} {
			var lines []chart.Line
			for _, k := range r.measured {
				if points := kind.points(k); k.run.Game == name && len(points) > 1 {
					lines = append(lines, chart.Line{Name: k.Plan.Name, Points: points})
				}
			}
			if len(lines) == 0 {
				continue
			}
			frame := chart.Frame{
				Title: kind.title + ": " + name, X: chart.Axis{Name: "games that were learned from", Log: true},
				Y: chart.Axis{Name: kind.y, From: kind.low, To: kind.high},
			}
			drawn, err := chart.Lines(frame, lines)
			if err != nil {
				return nil, err
			}
			file := kind.file + "-" + name
			if err := drawn.Write(r.path(file)); err != nil {
				return nil, err
			}
			shown = append(shown, fmt.Sprintf("![%s](%s/%s.svg)\n", frame.Title, r.below, file))
		}
	}
	return shown, nil
}

// overGames returns what is known of iterations over the number of games by then.
func (k *kept) overGames(value func(e logged) (float64, bool)) (points []chart.Point) {
	games := 0
	for _, e := range k.log {
		games += e.Games
		if y, ok := value(e); ok {
			points = append(points, chart.Point{X: float64(games), Y: y})
		}
	}
	return points
}

// entered returns the rating at which the network of an iteration entered, if it did.
func (k *kept) entered(e logged) (float64, bool) {
	i := slices.IndexFunc(k.Elo, func(r rating) bool { return r.Iteration == e.Iteration })
	if i < 0 {
		return 0, false
	}
	return k.Elo[i].Entered, true
}

// rated returns the rating of the network of an iteration against fixed agents, if it has one.
func (k *kept) rated(e logged) (float64, bool) {
	rating, ok := k.Fixed.alone(e.Iteration)
	return rating.Value, ok
}

// graded returns the grade of an iteration, zeros where it has none.
func (e logged) graded() graded {
	if e.Grade == nil {
		return graded{}
	}
	return *e.Grade
}
