package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/research/internal/chart"
	"backsolve/research/internal/files"
)

// The comments around the generated part of the page.
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
		Args: cli.Args(0),
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

// report is the data of a page.
type report struct {
	*set
	below    string // the path from the page to the set
	Measured []*kept
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
			r.Measured = append(r.Measured, k)
		}
	}
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(text), pageBegin)
	_, after, ended := strings.Cut(rest, pageEnd)
	if !ok || !ended {
		return fmt.Errorf("%s has no place for the tables; add these two lines where they belong:\n%s%s", page, pageBegin, pageEnd)
	}
	plots, err := r.plots()
	if err != nil {
		return err
	}
	published, err := r.table("published")
	if err != nil {
		return err
	}
	trainings, err := r.table("trainings")
	if err != nil {
		return err
	}
	tables, err := r.writeTables()
	if err != nil {
		return err
	}
	parts := []string{
		strings.TrimSuffix(before, "\n") + "\n" + pageBegin, cli.Markdown(published, "---", "---"),
		"One run each, in percent. *Iteration* is that of the measured network, of those trained and, in brackets, described. " +
			"*Moves* are the won states in which the network alone keeps the win (a random mover's in brackets), *signs* the states whose value has the right sign. " +
			"*With search* repeats the moves (simulations in brackets). Trainings graded by games alone are in games.csv.\n",
		cli.Markdown(trainings, "---", "---"), "Longer tables:\n", cli.Markdown(tables, "---", "---"),
	}
	return files.Write(page, func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Join(append(parts, plots...), "\n")+pageEnd+after)
		return err
	})
}

// writeTables writes the tables that are too long for the page beside the set, and returns the
// table that names them.
func (r *report) writeTables() (named [][]string, err error) {
	named = [][]string{{"file", "what it has"}}
	for _, t := range []struct{ name, about string }{
		{"runs", "seconds of training by the clock, and iterations"},
		{"shares", "shares of states, and the proof of each champion"},
		{"held-out", "states held out of training, beside all states"},
		{"games", "games won in percent; against itself, by the first and the second player"},
		{"meetings", fmt.Sprintf("trainings against each other; networks draw their first %d moves", drawnMoves)},
		{"misled", "positions where the most probable move is wrong, and visits after more simulations; * marks a proved value"},
		{"ratings", "self-play ratings without search, comparable within a training"},
		{"fixed-ratings", "ratings against fixed agents with 95 % intervals, comparable within a board"},
	} {
		rows, err := r.table(t.name)
		if err != nil {
			return nil, err
		}
		if len(rows) < 2 {
			continue
		}
		file := t.name + ".csv"
		if err := files.WriteTable(r.path(file), rows); err != nil {
			return nil, err
		}
		named = append(named, []string{fmt.Sprintf("[%s](%s/%s)", file, r.below, file), t.about})
	}
	return named, nil
}

// plots draws the plots of each game, and returns the Markdown that shows them.
func (r *report) plots() (shown []string, err error) {
	var names []string
	for _, k := range r.Measured {
		if !slices.Contains(names, k.Run.Game) {
			names = append(names, k.Run.Game)
		}
	}
	percents, ratings := chart.Axis{Name: "percent", To: 100}, chart.Axis{Name: "rating"}
	for _, name := range names {
		for _, kind := range []struct {
			file, title string
			y           chart.Axis
			value       func(k *kept, e logged) (float64, bool)
		}{
			{"policy", "Won states in which the network alone keeps the win", percents, policyOf},
			{"sign", "States of whose value the network has the right sign", percents, signOf},
			{"elo", "Self-play rating of networks without search as they enter", ratings, entered},
			{"fixed", "Rating against fixed agents, of networks without search", ratings, fixedRating},
		} {
			var lines []chart.Line
			for _, k := range r.Measured {
				if points := k.overGames(kind.value); k.Run.Game == name && len(points) > 1 {
					lines = append(lines, chart.Line{Name: k.Plan.Name, Points: points})
				}
			}
			if len(lines) == 0 {
				continue
			}
			drawn, err := chart.Lines(chart.Frame{Title: kind.title + ": " + name, X: chart.Axis{Name: "games that were learned from", Log: true}, Y: kind.y}, lines)
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

// overGames returns the points of a value of iterations over the number of games so far.
func (k *kept) overGames(value func(k *kept, e logged) (float64, bool)) (points []chart.Point) {
	games := 0
	for _, e := range k.log {
		games += e.Games
		if y, ok := value(k, e); ok {
			points = append(points, chart.Point{X: float64(games), Y: y})
		}
	}
	return points
}

func policyOf(_ *kept, e logged) (float64, bool) {
	if e.Grade == nil {
		return 0, false
	}
	return 100 * e.Grade.Policy, true
}

func signOf(_ *kept, e logged) (float64, bool) {
	if e.Grade == nil {
		return 0, false
	}
	return 100 * e.Grade.Sign, true
}

// entered returns the rating with which the network of an iteration entered.
func entered(k *kept, e logged) (float64, bool) {
	i := slices.IndexFunc(k.Elo, func(r rating) bool { return r.Iteration == e.Iteration })
	if i < 0 {
		return 0, false
	}
	return k.Elo[i].Entered, true
}

// fixedRating returns the rating against fixed agents of the network of an iteration alone.
func fixedRating(k *kept, e logged) (float64, bool) {
	if k.Fixed == nil {
		return 0, false
	}
	i := slices.IndexFunc(k.Fixed.Networks, func(n networkRating) bool { return n.Iteration == e.Iteration && n.Simulations == 0 })
	if i < 0 {
		return 0, false
	}
	return k.Fixed.Networks[i].Rating.Value, true
}
