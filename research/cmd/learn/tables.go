package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"text/template"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/internal/player/arena"
	"backsolve/research/internal/files"
)

//go:embed text.tmpl
var texts string

var templates = template.Must(template.New("text").Funcs(template.FuncMap{
	"percent": percent, "tenths": func(share float64) string { return fmt.Sprintf("%.1f", 100*share) },
	"wins": wins, "losses": losses, "rated": rated, "interval": interval,
	"noun": noun, "plural": cli.Plural, "join": strings.Join,
}).Parse(texts))

// writeText writes a text with columns.
func writeText(to io.Writer, name string, data any) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	if err := templates.ExecuteTemplate(w, name, data); err != nil {
		return err
	}
	return w.Flush()
}

// writeOut writes a value as JSON, or as a text with columns.
func writeOut(cmd *cobra.Command, format *cli.Format, name string, data any) error {
	if format.Word() == cli.JSON {
		return cli.WriteJSON(cmd.OutOrStdout(), data)
	}
	return writeText(cmd.OutOrStdout(), name, data)
}

// table returns the rows of a table.
func (r *report) table(name string) ([][]string, error) { return files.Rows(templates, name, r) }

// Markdown returns a table for the page.
func (r *report) Markdown(name string) (string, error) {
	rows, err := r.table(name)
	return cli.Markdown(rows, "---", "---"), err
}

// Find returns what was measured of a training, nil if nothing was.
func (r *report) Find(name string) *kept {
	if i := slices.IndexFunc(r.Measured, func(k *kept) bool { return k.Plan.Name == name }); i >= 0 {
		return r.Measured[i]
	}
	return nil
}

// Link links to the description of a training.
func (r *report) Link(name string) string {
	return fmt.Sprintf("[%s](%s/%[1]s/%[3]s)", name, r.Below, runFile)
}

// MissingOf names the trainings of a row that were not run.
func (r *report) MissingOf(row setRow) string {
	var missing []string
	for _, name := range row.Runs {
		if r.Find(name) == nil {
			missing = append(missing, r.Link(name))
		}
	}
	if row.Missing != "" {
		missing = append(missing, row.Missing)
	}
	return strings.Join(missing, ", ")
}

// Opponents returns all opponents in games.
func (r *report) Opponents() (names []string) {
	for _, k := range r.Measured {
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

// Numbers returns all numbers of simulations after which visits were measured.
func (r *report) Numbers() (numbers []int) {
	for _, k := range r.Measured {
		for _, v := range k.Visits {
			for _, s := range v.Visits {
				numbers = append(numbers, s.Simulations)
			}
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// Exact reports whether a network was graded by exact values, not by games alone.
func (k *kept) Exact() bool {
	return slices.ContainsFunc(k.Grades, func(g keptGrade) bool { return g.Result.Expert != nil || len(g.Result.Champion) > 0 })
}

// Summary returns the cells of a training after its name.
func (k *kept) Summary() []string {
	iteration := fmt.Sprintf("%d/%d", k.Iteration, k.Trained)
	if k.Trained < k.Run.Iterations {
		iteration += fmt.Sprintf(" (%d)", k.Run.Iterations)
	}
	alone, champion := "-", ""
	var searched []string
	for _, g := range k.Grades {
		if e := g.Won(); e != nil {
			if g.Simulations == 0 {
				alone = fmt.Sprintf("%s (%s), %s%s", percent(e.Won.Policy), percent(&e.Won.Random), percent(e.All.Sign), e.Among())
			} else {
				searched = append(searched, fmt.Sprintf("%s (%d; %s)", percent(&e.Won.Keep), g.Simulations, g.Zeros()))
			}
		}
		if len(g.Result.Champion) > 0 && !strings.HasPrefix(champion, "**") { // the fewest simulations with which it is one
			how := "alone"
			if g.Simulations > 0 {
				how = fmt.Sprintf("with %d", g.Simulations)
			}
			_, kept, wrong := walked(g.Result.Champion)
			champion = fmt.Sprintf("%d of %d wrong %s", wrong, kept, how)
			if !slices.ContainsFunc(g.Result.Champion, func(w walkResult) bool { return !w.Champion }) {
				champion = "**yes** " + how
			}
		}
	}
	return []string{iteration, alone, cmp.Or(strings.Join(searched, ", "), "-"), cmp.Or(champion, "-")}
}

// walked sums the states of all sides, those with the value kept so far, and those with a
// wrong move.
func walked(walks []walkResult) (states, kept, wrong int) {
	for _, w := range walks {
		states, kept, wrong = states+w.States, kept+w.Kept, wrong+w.Wrong
	}
	return states, kept, wrong
}

// Won returns the shares of states, nil if none of them is won.
func (g keptGrade) Won() *expertResult {
	if e := g.Result.Expert; e != nil && e.Won != nil {
		return e
	}
	return nil
}

// Zeros returns the share of won states in which the same search with a network of zeros keeps
// the win, in percent.
func (g keptGrade) Zeros() string {
	if c := g.Result.Control; c != nil {
		if e := (keptGrade{Result: c}).Won(); e != nil {
			return percent(&e.Won.Keep)
		}
	}
	return "-"
}

// Verdict says whether a network is a champion.
func (g keptGrade) Verdict() string {
	how := "alone"
	if g.Simulations > 0 {
		how = "with " + cli.Plural(g.Simulations, "simulation")
	}
	states, kept, wrong := walked(g.Result.Champion)
	switch {
	case len(g.Result.Champion) == 0:
		return "not measured"
	case wrong == 0:
		return fmt.Sprintf("**champion** %s, in %s", how, cli.Plural(states, "state"))
	}
	return fmt.Sprintf("no champion %s: wrong in %d of %s", how, wrong, cli.Plural(kept, "state"))
}

// Number returns the number of games.
func (g meetingGames) Number() int { return g.First.Games() + g.Second.Games() }

// SomeRatings returns the self-play ratings of the first network, a middle one and the last.
func (k *kept) SomeRatings() []rating { return someOf(k.Elo) }

// SomeNetworks returns such networks of the tournament rated against fixed agents.
func (k *kept) SomeNetworks() []networkRating {
	return someOf(slices.DeleteFunc(slices.Clone(k.Fixed.Networks), func(n networkRating) bool {
		return n.Simulations > 0 || k.Plan.Elo == 0 || n.Iteration%k.Plan.Elo > 0
	}))
}

// MeasuredNetworks returns the measured network rated against fixed agents.
func (k *kept) MeasuredNetworks() []networkRating {
	return slices.DeleteFunc(slices.Clone(k.Fixed.Networks), func(n networkRating) bool { return n.Iteration != k.Iteration })
}

// someOf returns the first, the middle and the last element.
func someOf[T any](all []T) (some []T) {
	if n := len(all); n > 0 {
		for _, i := range slices.Compact([]int{0, n / 2, n - 1}) {
			some = append(some, all[i])
		}
	}
	return some
}

// rated formats a rating with its interval, if it has one.
func rated(e arena.Estimate) string {
	if e.Low == e.High {
		return fmt.Sprintf("%.0f", e.Value)
	}
	return fmt.Sprintf("%.0f (%s)", e.Value, interval(e))
}
