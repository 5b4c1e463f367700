package main

import (
	"bytes"
	"cmp"
	"encoding/csv"
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
		Short: "Make tables and plots of the measurements of learn all",
		Long: `Make the tables of a page, and plots of the progress of the networks, from the data of
learn all. Missing measurements are marked. The tables replace the text between two
comments of the page; longer ones become CSV files beside the set.`,
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
	cmd.Flags().StringVar(&page, "page", filepath.Join("docs", "reports", "learning.md"), "`FILE` file of the page")
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
			k.Plan.Title = p.Title
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
	files, err := r.tables()
	if err != nil {
		return err
	}
	parts := []string{
		strings.TrimSuffix(before, "\n") + "\n" + pageBegin, cli.Markdown(r.targets(), "---", "---"),
		"One run each, in percent. *Iteration* is that of the measured network, of those trained and, in brackets, described. " +
			"*Moves* are the won states in which the network alone keeps the win (a random mover's in brackets), *signs* the states whose value has the right sign. " +
			"*With search* repeats the moves (simulations in brackets). Trainings graded by games alone are in games.csv.\n",
		cli.Markdown(r.trainings(), "---", "---"), "Longer tables:\n", cli.Markdown(files, "---", "---"),
	}
	return writeFile(page, []byte(strings.Join(append(parts, plots...), "\n")+pageEnd+after))
}

// tables writes the tables that are too long for the page beside the set, and returns the
// table that names them.
func (r *report) tables() (named [][]string, err error) {
	named = [][]string{{"file", "what it has"}}
	for _, t := range []struct {
		name, about string
		rows        [][]string
	}{
		{"runs", "seconds of training by the clock, and iterations", r.runs()},
		{"shares", "shares of states, and the proof of each champion", r.shares()},
		{"held-out", "states held out of training, beside all states", r.heldOut()},
		{"games", "games won in percent; against itself, by the first and the second player", r.games()},
		{"meetings", fmt.Sprintf("trainings against each other; networks draw their first %d moves", drawnMoves), r.meetings()},
		{"misled", "positions where the most probable move is wrong, and visits after more simulations; * marks a proved value", r.visits()},
		{"ratings", "self-play ratings without search, comparable within a training", r.ratings()},
		{"fixed-ratings", "ratings against fixed agents with 95 % intervals, comparable within a board", r.fixed()},
	} {
		if len(t.rows) < 2 {
			continue
		}
		file := t.name + ".csv"
		if err := writeFile(r.path(file), csvOf(t.rows)); err != nil {
			return nil, err
		}
		named = append(named, []string{fmt.Sprintf("[%s](%s/%s)", file, r.below, file), t.about})
	}
	return named, nil
}

// csvOf writes a table as CSV; the first row names the columns.
func csvOf(rows [][]string) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	plain := strings.NewReplacer("`", "", "**", "")
	for _, row := range rows {
		cells := slices.Clone(row)
		for i := range cells {
			cells[i] = plain.Replace(cells[i])
		}
		_ = w.Write(cells) // a buffer takes everything
	}
	w.Flush()
	return b.Bytes()
}

// find returns what was measured of a training, nil where nothing was.
func (r *report) find(name string) *kept {
	if i := slices.IndexFunc(r.measured, func(k *kept) bool { return k.Plan.Name == name }); i >= 0 {
		return r.measured[i]
	}
	return nil
}

// targets returns the table of what is published of each board and was to be reached.
func (r *report) targets() [][]string {
	rows := [][]string{{"board", "published", "to reach"}}
	for _, row := range r.Rows {
		var missing []string
		for _, name := range row.Runs {
			if r.find(name) == nil {
				missing = append(missing, fmt.Sprintf("[%s](%s/%s/%s)", name, r.below, name, runFile))
			}
		}
		if row.Missing != "" {
			missing = append(missing, row.Missing)
		}
		reach := row.Reach
		if missing != nil {
			reach += "; not run: " + strings.Join(missing, ", ")
		}
		rows = append(rows, []string{row.Board, row.Published, reach})
	}
	return rows
}

// trainings returns the table with a line for each training that was graded by exact values,
// in the order of the boards.
func (r *report) trainings() [][]string {
	rows := [][]string{{"training", "iteration", "moves, signs", "with search", "champion"}}
	for _, row := range r.Rows {
		for _, name := range row.Runs {
			if k := r.find(name); k != nil && k.graded() {
				rows = append(rows, append([]string{fmt.Sprintf("[%s](%s/%s/%s)", name, r.below, name, runFile)}, k.summary()...))
			}
		}
	}
	return rows
}

// graded reports whether the network was graded by exact values, and not by games alone.
func (k *kept) graded() bool {
	return slices.ContainsFunc(k.Grades, func(g keptGrade) bool { return g.Result.Expert != nil || len(g.Result.Champion) > 0 })
}

// summary returns the cells of a training after its name.
func (k *kept) summary() []string {
	iteration := fmt.Sprintf("%d/%d", k.Iteration, k.Trained)
	if k.Trained < k.run.Iterations {
		iteration += fmt.Sprintf(" (%d)", k.run.Iterations)
	}
	alone := "-"
	var searched []string
	for _, g := range k.Grades {
		if e := g.Result.Expert; e != nil && e.Won != nil {
			if g.Simulations == 0 {
				alone = fmt.Sprintf("%s (%s), %s%s", percent(e.Won.Policy), percent(&e.Won.Random), percent(e.All.Sign), e.among())
			} else {
				searched = append(searched, fmt.Sprintf("%s (%d)", percent(&e.Won.Keep), g.Simulations))
			}
		}
	}
	if searched == nil {
		searched = []string{"-"}
	}
	champion := k.champion()
	return []string{iteration, alone, strings.Join(searched, ", "), cmp.Or(champion, "-")}
}

// runs returns the table of how long each training took.
func (r *report) runs() [][]string {
	rows := [][]string{{"training", "title", "iteration", "trained", "described", "seconds"}}
	for _, k := range r.measured {
		rows = append(rows, []string{
			k.Plan.Name, k.Plan.Title, fmt.Sprint(k.Iteration), fmt.Sprint(k.Trained), fmt.Sprint(k.run.Iterations), fmt.Sprintf("%.0f", k.Seconds),
		})
	}
	return rows
}

// champion says with how few simulations the network is a champion or, if it is none, how often
// its move is wrong with the most; "" if that was not measured.
func (k *kept) champion() (text string) {
	for _, g := range k.Grades {
		walks := g.Result.Champion
		if len(walks) == 0 {
			continue
		}
		how := "alone"
		if g.Simulations > 0 {
			how = fmt.Sprintf("with %d", g.Simulations)
		}
		_, kept, wrong := walked(walks)
		if !slices.ContainsFunc(walks, func(w walkResult) bool { return !w.Champion }) {
			return "**yes** " + how
		}
		text = fmt.Sprintf("%d of %d wrong %s", wrong, kept, how)
	}
	return text
}

// walked returns the states of all sides, those in which the value was kept so far, and those
// of these in which the move gives it away.
func walked(walks []walkResult) (states, kept, wrong int) {
	for _, w := range walks {
		states, kept, wrong = states+w.States, kept+w.Kept, wrong+w.Wrong
	}
	return states, kept, wrong
}

// verdict says whether a network is a champion.
func verdict(g keptGrade) string {
	how := "alone"
	if g.Simulations > 0 {
		how = "with " + cli.Plural(g.Simulations, "simulation")
	}
	states, kept, wrong := walked(g.Result.Champion)
	if wrong == 0 {
		return fmt.Sprintf("**champion** %s, in %s", how, cli.Plural(states, "state"))
	}
	return fmt.Sprintf("no champion %s: wrong in %d of %s", how, wrong, cli.Plural(kept, "state"))
}

// shares returns the table of shares.
func (r *report) shares() [][]string {
	rows := [][]string{{"training", "simulations", "states", "different", "won: keeps the win", "won: a random mover keeps it", "sign of won", "sign of all", "won, of all", "champion"}}
	for _, k := range r.measured {
		for _, g := range k.Grades {
			row := []string{k.Plan.Name, fmt.Sprint(g.Simulations)}
			if e := g.Result.Expert; e != nil && e.Won != nil {
				won := e.wins()
				row = append(row, fmt.Sprint(e.All.States)+e.among(), fmt.Sprint(e.All.Different), percent(&e.Won.Keep), percent(&e.Won.Random), percent(e.Won.Sign), percent(e.All.Sign), percent(&won))
			} else {
				row = append(row, slices.Repeat([]string{"-"}, len(rows[0])-len(row)-1)...)
			}
			champion := "not measured"
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
	rows := [][]string{{"training", "share", "simulations", "held out, different", "held out: keeps the win", "all: keeps the win", "held out: sign", "all: sign"}}
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
		rows[0] = append(rows[0], name+": first", name+": second")
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
			shown = append(shown, fmt.Sprintf("![%s](%s/%[1]s.svg)\n", file, r.below))
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
