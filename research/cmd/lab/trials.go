package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"text/template"

	_ "embed"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/internal/player/arena"
	"backsolve/research/grade"
	"backsolve/research/internal/files"
	"backsolve/research/internal/interval"
)

//go:embed text.tmpl
var texts string

var templates = template.Must(template.New("text").Funcs(template.FuncMap{
	"percent": percent, "tenths": func(share float64) string { return fmt.Sprintf("%.1f", 100*share) },
	"wins": wins, "noun": noun, "plural": cli.Plural, "join": strings.Join,
	"seconds": cli.SecondsText, "estimate": estimateText, "share": shareText,
}).Parse(texts))

func writeText(to io.Writer, name string, data any, flags uint) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', flags)
	if err := templates.ExecuteTemplate(w, name, data); err != nil {
		return err
	}
	return w.Flush()
}

func writeOut(cmd *cobra.Command, format *cli.Format, name string, data any, flags uint) error {
	if format.Word() == cli.JSON {
		return cli.WriteJSON(cmd.OutOrStdout(), data)
	}
	return writeText(cmd.OutOrStdout(), name, data, flags)
}

// write prints the tables and writes them as CSV. done has the trainings of each arm.
func (x *experiment) write(cmd *cobra.Command, dir string, done [][]*trial) error {
	for _, t := range []struct {
		name string
		rows [][]string
	}{{"table", x.table(done)}, {"games", x.games(done)}} {
		if len(t.rows) < 2 {
			continue
		}
		if err := files.WriteTable(filepath.Join(dir, t.name+".csv"), t.rows); err != nil {
			return err
		}
		if err := cli.WriteGrid(cmd.OutOrStdout(), 0, t.rows); err != nil {
			return err
		}
	}
	return nil
}

func (x *experiment) each(done [][]*trial, do func(arm string, trials []*trial, at int)) {
	most := 0
	for _, trials := range done {
		for _, t := range trials {
			most = max(most, len(t.Grades))
		}
	}
	for at := range most {
		for i, trials := range done {
			if len(trials) > 0 && at < len(trials[0].Grades) {
				do(x.Arms[i].Name, trials, at)
			}
		}
	}
}

// table has a row for each arm and number of simulations.
func (x *experiment) table(done [][]*trial) [][]string {
	rows := [][]string{{"arm", "simulations", "seeds", "states", "keeps the win", "difference", "zeros", "random", "sign", "held out", "champions", "wrong"}}
	x.each(done, func(arm string, trials []*trial, at int) {
		g := trials[0].Grades[at]
		won, champions, wrong, difference := g.won(), "-", "-", "-"
		if won == nil && len(g.Result.Champion) == 0 {
			return
		}
		c := collect(trials, at)
		if x.Base != nil && arm != x.Arms[0].Name && len(done[0]) == len(trials) {
			var paired []float64
			for seed, keep := range collect(done[0], at).keep {
				paired = append(paired, c.keep[seed]-keep)
			}
			difference = mean(paired, -100)
		}
		zeros, states, random := "-", "-", "-"
		if won != nil {
			states, random = fmt.Sprint(won.Won.States), percent(&won.Won.Random)
		}
		if control := g.Result.Control; control != nil {
			if e := (keptGrade{Result: control}).won(); e != nil {
				zeros = percent(&e.Won.Keep)
			}
			if _, wrong := walked(control.Champion); len(control.Champion) > 0 && wrong == 0 {
				zeros += " champion"
			}
		}
		if len(g.Result.Champion) > 0 {
			champions, wrong = fmt.Sprintf("%d of %d", c.champions, len(trials)), fmt.Sprintf("%d of %d", c.wrong, c.kept)
		}
		rows = append(rows, []string{arm, fmt.Sprint(g.Simulations), fmt.Sprint(len(trials)), states, mean(c.keep, 0), difference,
			zeros, random, mean(c.sign, 0), mean(c.heldOut, 0), champions, wrong})
	})
	return rows
}

// games has a row for each arm, number of simulations and opponent, with exact intervals.
func (x *experiment) games(done [][]*trial) [][]string {
	rows := [][]string{{"arm", "simulations", "seeds", "opponent", "games", "different", "won as first", "of different", "won as second", "of different"}}
	x.each(done, func(arm string, trials []*trial, at int) {
		add := func(of func(*result) *result, suffix string) {
			first := of(trials[0].Grades[at].Result)
			if first == nil {
				return
			}
			for _, g := range first.Games {
				var all, different [2]arena.Tally
				for _, t := range trials {
					for _, h := range of(t.Grades[at].Result).Games {
						if h.Opponent == g.Opponent {
							all[0], all[1] = all[0].Plus(h.First), all[1].Plus(h.Second)
							different[0], different[1] = different[0].Plus(h.Different[0]), different[1].Plus(h.Different[1])
						}
					}
				}
				rows = append(rows, []string{arm + suffix, fmt.Sprint(trials[0].Grades[at].Simulations), fmt.Sprint(len(trials)), g.Opponent,
					fmt.Sprint(all[0].Games() + all[1].Games()), fmt.Sprint(different[0].Games() + different[1].Games()),
					wins(all[0]), exactly95(different[0]), wins(all[1]), exactly95(different[1])})
			}
		}
		add(func(r *result) *result { return r }, "")
		add(func(r *result) *result { return r.Control }, ", zeros")
	})
	return rows
}

func exactly95(t arena.Tally) string {
	return interval.Text(inPercent(interval.Share(t.Wins, t.Games())))
}

// mean formats the mean of percentages over seeds with its interval; of one seed the number.
func mean(values []float64, low float64) string {
	switch len(values) {
	case 0:
		return "-"
	case 1:
		return fmt.Sprintf("%.2f", values[0])
	}
	return interval.Text(interval.Mean(values, low, 100))
}

type collected struct {
	keep, sign, heldOut    []float64
	champions, kept, wrong int
}

func collect(seeds []*trial, at int) (c collected) {
	for _, t := range seeds {
		g := t.Grades[at]
		if e := g.won(); e != nil {
			c.keep = append(c.keep, 100*e.Won.Keep)
			if e.All.Sign != nil {
				c.sign = append(c.sign, 100**e.All.Sign)
			}
			if e.HeldOutWon != nil {
				c.heldOut = append(c.heldOut, 100*e.HeldOutWon.Keep)
			}
		}
		kept, wrong := walked(g.Result.Champion)
		c.kept, c.wrong = c.kept+kept, c.wrong+wrong
		if wrong == 0 {
			c.champions++
		}
	}
	return c
}

// walked sums the states in which the value was kept so far, and the wrong moves in them.
func walked(walks []*grade.Walk) (kept, wrong int) {
	for _, w := range walks {
		kept, wrong = kept+w.Kept, wrong+w.Wrong
	}
	return kept, wrong
}

// won returns the shares of states, nil if none of them is won.
func (g keptGrade) won() *expertResult {
	if e := g.Result.Expert; e != nil && e.Won != nil {
		return e
	}
	return nil
}
