package main

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"backsolve/cmd/cli"
	"backsolve/player/arena"
)

// find returns what was measured of a training, nil if nothing was.
func (r *report) find(name string) *kept {
	if i := slices.IndexFunc(r.measured, func(k *kept) bool { return k.Plan.Name == name }); i >= 0 {
		return r.measured[i]
	}
	return nil
}

// grades iterates over the grades of all trainings.
func (r *report) grades() iter.Seq2[*kept, keptGrade] {
	return func(yield func(*kept, keptGrade) bool) {
		for _, k := range r.measured {
			for _, g := range k.Grades {
				if !yield(k, g) {
					return
				}
			}
		}
	}
}

// link links to the description of a training.
func (r *report) link(name string) string {
	return fmt.Sprintf("[%s](%s/%[1]s/%[3]s)", name, r.below, runFile)
}

// published returns what is published of each board, and which trainings are missing.
func (r *report) published() [][]string {
	rows := [][]string{{"board", "published"}}
	for _, row := range r.Rows {
		var missing []string
		for _, name := range row.Runs {
			if r.find(name) == nil {
				missing = append(missing, r.link(name))
			}
		}
		if row.Missing != "" {
			missing = append(missing, row.Missing)
		}
		if missing != nil {
			row.Published += "; not run here: " + strings.Join(missing, ", ")
		}
		if row.Published != "–" {
			rows = append(rows, []string{row.Board, row.Published})
		}
	}
	return rows
}

// trainings returns a row for each training that was graded by exact values.
func (r *report) trainings() [][]string {
	rows := [][]string{{"training", "iteration", "moves, signs", "with search", "champion"}}
	for _, row := range r.Rows {
		for _, name := range row.Runs {
			if k := r.find(name); k != nil && slices.ContainsFunc(k.Grades, keptGrade.exact) {
				rows = append(rows, append([]string{r.link(name)}, k.summary()...))
			}
		}
	}
	return rows
}

// exact reports whether the network was graded by exact values, not by games alone.
func (g keptGrade) exact() bool { return g.Result.Expert != nil || len(g.Result.Champion) > 0 }

// summary returns the cells of a training after its name.
func (k *kept) summary() []string {
	iteration := fmt.Sprintf("%d/%d", k.Iteration, k.Trained)
	if k.Trained < k.run.Iterations {
		iteration += fmt.Sprintf(" (%d)", k.run.Iterations)
	}
	alone, champion := "-", ""
	var searched []string
	for _, g := range k.Grades {
		if e := g.Result.Expert; e != nil && e.Won != nil {
			if g.Simulations == 0 {
				alone = fmt.Sprintf("%s (%s), %s%s", percent(e.Won.Policy), percent(&e.Won.Random), percent(e.All.Sign), e.among())
			} else {
				searched = append(searched, fmt.Sprintf("%s (%d)", percent(&e.Won.Keep), g.Simulations))
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

func (r *report) runs() [][]string {
	rows := [][]string{{"training", "title", "iteration", "trained", "described", "seconds"}}
	for _, k := range r.measured {
		rows = append(rows, []string{
			k.Plan.Name, k.Plan.Title, fmt.Sprint(k.Iteration), fmt.Sprint(k.Trained), fmt.Sprint(k.run.Iterations), fmt.Sprintf("%.0f", k.Seconds),
		})
	}
	return rows
}

func (r *report) shares() [][]string {
	rows := [][]string{{"training", "simulations", "states", "different", "won: keeps the win", "won: a random mover keeps it", "sign of won", "sign of all", "won, of all", "champion"}}
	for k, g := range r.grades() {
		row := []string{k.Plan.Name, fmt.Sprint(g.Simulations)}
		if e := g.Result.Expert; e != nil && e.Won != nil {
			won := shareOf(e.Won.States, e.All.States)
			row = append(row, fmt.Sprint(e.All.States)+e.among(), fmt.Sprint(e.All.Different), percent(&e.Won.Keep), percent(&e.Won.Random), percent(e.Won.Sign), percent(e.All.Sign), percent(&won))
		} else {
			row = append(row, slices.Repeat([]string{"-"}, len(rows[0])-len(row)-1)...)
		}
		rows = append(rows, append(row, verdict(g)))
	}
	return rows
}

// verdict says whether a network is a champion.
func verdict(g keptGrade) string {
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

func (r *report) heldOut() [][]string {
	rows := [][]string{{"training", "share", "simulations", "held out, different", "held out: keeps the win", "all: keeps the win", "held out: sign", "all: sign"}}
	for k, g := range r.grades() {
		if e := g.Result.Expert; e != nil && e.HeldOut != nil && e.HeldOutWon != nil && e.Won != nil {
			rows = append(rows, []string{
				k.Plan.Name, percent(&k.run.HeldOut), fmt.Sprint(g.Simulations), fmt.Sprint(e.HeldOut.Different),
				percent(&e.HeldOutWon.Keep), percent(&e.Won.Keep), percent(e.HeldOut.Sign), percent(e.All.Sign),
			})
		}
	}
	return rows
}

func (r *report) games() [][]string {
	rows := [][]string{{"training", "iterations", "simulations"}}
	var opponents []string
	for _, g := range r.grades() {
		for _, m := range g.Result.Games {
			if !slices.Contains(opponents, m.Opponent) {
				opponents = append(opponents, m.Opponent)
				rows[0] = append(rows[0], m.Opponent+": first", m.Opponent+": second")
			}
		}
	}
	for k, g := range r.grades() {
		if len(g.Result.Games) == 0 {
			continue
		}
		row := []string{k.Plan.Name, fmt.Sprint(k.Iteration), fmt.Sprint(g.Simulations)}
		for _, name := range opponents {
			row = append(row, g.Result.against(name)...)
		}
		rows = append(rows, row)
	}
	return rows
}

// meetings returns the games of trainings against each other: in each cell what a network wins,
// and what the other one wins on the same side.
func (r *report) meetings() [][]string {
	rows := [][]string{{"training / rival", "iterations", "simulations", "as first", "as second", "games", "different"}}
	for _, k := range r.measured {
		for _, m := range k.Meetings {
			for _, g := range m.Games {
				rows = append(rows, []string{
					k.Plan.Name + " / " + m.Rival, fmt.Sprintf("%d / %d", k.Iteration, m.Iteration), fmt.Sprint(g.Simulations),
					wins(g.First) + " / " + wins(reversed(g.Second)), wins(g.Second) + " / " + wins(reversed(g.First)),
					fmt.Sprint(g.First.Games() + g.Second.Games()), fmt.Sprint(g.Different),
				})
			}
		}
	}
	return rows
}

// reversed is a tally as the opponent sees it.
func reversed(t arena.Tally) arena.Tally {
	return arena.Tally{Wins: t.Losses, Draws: t.Draws, Losses: t.Wins}
}

// visits returns the visits of all positions after all numbers of simulations.
func (r *report) visits() [][]string {
	var numbers []int
	for _, k := range r.measured {
		for _, v := range k.Visits {
			for _, s := range v.Visits {
				numbers = append(numbers, s.Simulations)
			}
		}
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	rows := [][]string{append([]string{"training", "position", "worth", "value", "most probable", "its probability", "right moves", "their probability"}, headsOf(numbers)...)}
	for _, k := range r.measured {
		for _, v := range k.Visits {
			rows = append(rows, append([]string{k.Plan.Name, "`" + v.Position + "`"}, v.row(numbers)...))
		}
	}
	return rows
}

// ratings returns the self-play ratings of the first network, a middle one and the last.
func (r *report) ratings() [][]string {
	rows := [][]string{{"training", "iteration: entered, at the end"}}
	for _, k := range r.measured {
		var cells []string
		for _, e := range someOf(k.Elo) {
			cells = append(cells, fmt.Sprintf("%d: %.0f, %.0f", e.Iteration, e.Entered, e.Final))
		}
		if cells != nil {
			rows = append(rows, []string{k.Plan.Name, strings.Join(cells, "; ")})
		}
	}
	return rows
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

// fixed returns the ratings against fixed agents: of some networks that entered the tournament,
// and of the measured one.
func (r *report) fixed() [][]string {
	rows := [][]string{{"training", "fixed agents", "iteration: without search", "the measured one"}}
	for _, k := range r.measured {
		if k.Fixed == nil {
			continue
		}
		var fixed, entered, measured []string
		for i, a := range k.Fixed.Agents {
			text := fmt.Sprintf("%s %.0f", a.Agent, a.Rating.Value)
			if i > 0 {
				text = a.Agent + " " + rated(a.Rating)
			}
			fixed = append(fixed, text)
		}
		for _, n := range k.Fixed.Networks {
			if n.Simulations == 0 && k.Plan.Elo > 0 && n.Iteration%k.Plan.Elo == 0 {
				entered = append(entered, fmt.Sprintf("%d: %s", n.Iteration, rated(n.Rating)))
			}
			switch {
			case n.Iteration != k.Iteration:
			case n.Simulations == 0:
				measured = append(measured, "alone "+rated(n.Rating))
			default:
				measured = append(measured, fmt.Sprintf("with %s %s", cli.Plural(n.Simulations, "simulation"), rated(n.Rating)))
			}
		}
		rows = append(rows, []string{k.Plan.Name, strings.Join(fixed, "; "), strings.Join(someOf(entered), "; "), fmt.Sprintf("%d: ", k.Iteration) + strings.Join(measured, "; ")})
	}
	return rows
}

// rated formats a rating with its interval.
func rated(e arena.Estimate) string { return fmt.Sprintf("%.0f (%s)", e.Value, interval(e)) }
