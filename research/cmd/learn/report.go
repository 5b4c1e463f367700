package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/research/internal/chart"
	"backsolve/research/internal/files"
)

func reportCommand() *cobra.Command {
	var dir, data, page string
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Make tables and plots of the measurements of learn all",
		Long: `Write a page with tables of the data of learn all, and plots of the progress of the
networks, one run each. Longer tables become CSV files beside the page.`,
		Example: `  learn report
  learn report --set docs/reports/learning --data results/learning --page results/learning/report.md`,
		Args: cli.Args(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := loadSet(dir, data)
			if err != nil {
				return fmt.Errorf("there is no set in %s (%w); name its directory with --set", dir, err)
			}
			if _, err := os.Stat(data); err != nil {
				return fmt.Errorf("there are no data in %s (%w); commit 2718e26 has them in docs/learning, or name their directory with --data", data, err)
			}
			if err := makeReport(s, page); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is written\n", page)
			return err
		},
	}
	keptFlag(cmd, &dir, &data)
	cmd.Flags().StringVar(&page, "page", filepath.Join("results", "learning", "report.md"), "`FILE` file of the page")
	cobra.CheckErr(cmd.MarkFlagFilename("page", "md"))
	return cmd
}

// report is the data of a page.
type report struct {
	*set
	Below    string // the path from the page to the set
	out      string // the directory of the page
	Measured []*kept
	Plots    []string   // their files
	Tables   [][]string // the files of tables and what they have
}

func makeReport(s *set, page string) error {
	below, err := filepath.Rel(filepath.Dir(page), s.dir)
	if err != nil {
		return fmt.Errorf("%s cannot name the files in %s: %w", page, s.dir, err)
	}
	r := &report{set: s, Below: filepath.ToSlash(below), out: filepath.Dir(page)}
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
	if r.Plots, err = r.plots(); err != nil {
		return err
	}
	if r.Tables, err = r.writeTables(); err != nil {
		return err
	}
	return files.Write(page, func(w io.Writer) error { return templates.ExecuteTemplate(w, "page", r) })
}

// beside returns the path of a file beside the page.
func (r *report) beside(name string) string { return filepath.Join(r.out, name) }

// writeTables writes the tables that are too long for the page beside it, and returns their
// names and what they have.
func (r *report) writeTables() (named [][]string, err error) {
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
		if err := files.WriteTable(r.beside(t.name+".csv"), rows); err != nil {
			return nil, err
		}
		named = append(named, []string{t.name, t.about})
	}
	return named, nil
}

// plots draws the plots of each game, and returns their names.
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
		}{
			{"policy", "Won states in which the network alone keeps the win", percents},
			{"sign", "States of whose value the network has the right sign", percents},
			{"elo", "Self-play rating of networks without search as they enter", ratings},
			{"fixed", "Rating against fixed agents, of networks without search", ratings},
		} {
			var lines []chart.Line
			for _, k := range r.Measured {
				if points := k.points()[kind.file]; k.Run.Game == name && len(points) > 1 {
					lines = append(lines, chart.Line{Name: k.Plan.Name, Points: points})
				}
			}
			if len(lines) == 0 {
				continue
			}
			file := kind.file + "-" + name
			frame := chart.Frame{Title: kind.title + ": " + name, X: chart.Axis{Name: "games that were learned from", Log: true}, Y: kind.y}
			if err := chart.Lines(frame, lines).Write(r.beside(file)); err != nil {
				return nil, err
			}
			shown = append(shown, file)
		}
	}
	return shown, nil
}

// points returns the points of each plot over the number of games so far.
func (k *kept) points() map[string][]chart.Point {
	all, games := map[string][]chart.Point{}, 0
	for _, e := range k.log {
		games += e.Games
		add := func(plot string, y float64) { all[plot] = append(all[plot], chart.Point{X: float64(games), Y: y}) }
		if e.Grade != nil {
			add("policy", 100*e.Grade.Policy)
			add("sign", 100*e.Grade.Sign)
		}
		for _, r := range k.Elo {
			if r.Iteration == e.Iteration {
				add("elo", r.Entered)
			}
		}
		if k.Fixed == nil {
			continue
		}
		for _, n := range k.Fixed.Networks {
			if n.Iteration == e.Iteration && n.Simulations == 0 {
				add("fixed", n.Rating.Value)
			}
		}
	}
	return all
}
