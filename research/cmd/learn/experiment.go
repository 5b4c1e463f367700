package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/internal/durable"
	"backsolve/internal/player"
	"backsolve/internal/player/agents"
	"backsolve/internal/player/arena"
	"backsolve/internal/player/zero"
	"backsolve/internal/strict"
	"backsolve/research/grade"
	"backsolve/research/internal/files"
	"backsolve/research/selfplay"
)

// experiment compares trainings that differ in some fields of their description, over several
// seeds and with the same number of iterations.
type experiment struct {
	Base        selfplay.Run `json:"base"`
	Seeds       int          `json:"seeds"` // from 1
	Arms        []arm        `json:"arms"`  // compared with the first one
	Simulations []int        `json:"simulations"`
	States      int          `json:"states,omitempty"` // graded, 0 for all
	Exact       string       `json:"exact,omitempty"`  // what is graded by exact values: "" for both, expert, or none
	Left        int          `json:"left,omitempty"`   // most empty cells of positions drawn from endgames, 0 for the default
	Games       int          `json:"games,omitempty"`  // against each opponent and the first arm
}

// arm is a change of the base description.
type arm struct {
	Name   string          `json:"name"`
	Change json.RawMessage `json:"change,omitempty"`
}

// trial is a training with its measurements.
type trial struct {
	Run         selfplay.Run `json:"run"`
	Simulations []int        `json:"simulations"`
	States      int          `json:"states"`
	Exact       string       `json:"exact,omitempty"`
	Left        int          `json:"left,omitempty"`
	Games       int          `json:"games,omitempty"`
	Grades      []keptGrade  `json:"grades"`
}

// trials holds the command line of learn experiment.
type trials struct {
	out     string
	threads *int
	dir     *string
	display *progress.Display
}

func experimentCommand() *cobra.Command {
	r := &trials{}
	cmd := &cobra.Command{
		Use:   "experiment FILE",
		Short: "Compare trainings over several seeds",
		Long: `Train and grade the arms of an experiment: a base description, the fields that each arm
changes, and a number of seeds. All trainings have the same number of iterations, and
the last network is graded. Arms are compared with the first one, seed by seed.

The table has means over the seeds with 95 % intervals of Student's t: the won states in
which the network keeps the win, and the difference from the first arm. Zeros is the same
search with a network of zeros. With games the table has the games won as first and as
second player against greedy, against the first arm's network of the same seed, and by
the first player against itself; in the latter two, networks draw their first moves. The
table is also written to table.csv in --out. The same command resumes the work.`,
		Example: `  learn experiment docs/reports/learning/ablation-notakto-3.json --out ablation`,
		Args:    cli.Args(1),
		RunE:    r.run,
	}
	cmd.Flags().StringVar(&r.out, "out", "", "`DIR` directory of the trainings and the table")
	cobra.CheckErr(cmd.MarkFlagDirname("out"))
	r.threads = threadsFlag(cmd)
	r.dir = cli.DirFlag(cmd.Flags())
	r.display = progress.Flags(cmd)
	cli.Advanced(cmd, "threads", "progress", "quiet")
	return cmd
}

func (r *trials) run(cmd *cobra.Command, args []string) error {
	if r.out == "" {
		return cli.Usagef("--out is missing; name the directory of the trainings")
	}
	x := &experiment{}
	if err := files.ReadJSON(args[0], x); err != nil {
		return fmt.Errorf("there is no experiment: %w", err)
	}
	runs, err := x.runs()
	if err != nil {
		return &cli.UsageError{Err: fmt.Errorf("%s: %w", args[0], err)}
	}
	done := make([][]*trial, len(runs))
	for seed := range x.Seeds { // all arms of a seed, so that the first seeds are soon complete
		for i, run := range runs {
			run.Seed = uint64(seed + 1)
			t, err := r.trial(cmd, x, x.Arms[i].Name, run)
			if err != nil {
				return err
			}
			done[i] = append(done[i], t)
		}
	}
	rows := x.table(done)
	if err := files.WriteTable(filepath.Join(r.out, "table.csv"), rows); err != nil {
		return err
	}
	return cli.WriteGrid(cmd.OutOrStdout(), 0, rows)
}

// runs returns the description of each arm, without its seed.
func (x *experiment) runs() (all []selfplay.Run, err error) {
	if x.Seeds < 2 || x.Seeds > 100 || len(x.Arms) == 0 || len(x.Simulations) == 0 || x.States < 0 || x.States > maxStates || x.Left < 0 || x.Left > mostLeft || x.Games < 0 || x.Games%2 != 0 || x.Games > maxGames {
		return nil, fmt.Errorf("give 2 to 100 seeds, an arm, a number of simulations, 0 to %d states, at most %d cells left, and an even number of games", maxStates, mostLeft)
	}
	if !slices.Contains([]string{"", expertMeasure, noMeasure}, x.Exact) || x.Exact == noMeasure && x.Games == 0 {
		return nil, fmt.Errorf("exact is %q; give expert, or none together with games, or leave it out", x.Exact)
	}
	names := map[string]bool{}
	for _, a := range x.Arms {
		if a.Name == "" || a.Name != filepath.Base(a.Name) || names[a.Name] {
			return nil, fmt.Errorf("%q is no name of an arm, or that of two; give a name for a directory", a.Name)
		}
		names[a.Name] = true
		run := x.Base
		if len(a.Change) > 0 {
			if err := strict.Unmarshal(a.Change, &run); err != nil {
				return nil, fmt.Errorf("the change of the arm %s cannot be read: %w", a.Name, err)
			}
		}
		if run.Iterations != x.Base.Iterations || run.Game != x.Base.Game || run.Size != x.Base.Size || run.Seed != x.Base.Seed {
			return nil, fmt.Errorf("the arm %s changes the board, the seed or the number of iterations; arms have these in common", a.Name)
		}
		if err := run.Check(); err != nil {
			return nil, fmt.Errorf("the arm %s: %w", a.Name, err)
		}
		all = append(all, run)
	}
	return all, nil
}

// trial trains and measures an arm with a seed, unless that is done.
func (r *trials) trial(cmd *cobra.Command, x *experiment, name string, run selfplay.Run) (*trial, error) {
	name = trialName(name, run.Seed)
	t := &training{out: filepath.Join(r.out, name), threads: r.threads, keep: run.Iterations, dir: r.dir, display: r.display}
	k, path := &trial{}, t.path(resultFile)
	wanted := trial{Run: run, Simulations: x.Simulations, States: x.States, Exact: x.Exact, Left: x.Left, Games: x.Games}
	switch err := files.ReadJSON(path, k); {
	case err == nil:
		have := *k
		have.Grades = nil
		if reflect.DeepEqual(have, wanted) {
			return k, nil
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if _, err := fmt.Fprintln(cmd.OutOrStdout(), name); err != nil {
		return nil, err
	}
	if err := durable.MkdirAll(t.out, 0o755); err != nil {
		return nil, err
	}
	if err := t.complete(cmd, &run); err != nil {
		return nil, err
	}
	n, err := loadNetwork(t.path(weightsFile(run.Iterations)))
	if err != nil {
		return nil, err
	}
	env := newEnv(n.rules, *r.dir, *r.threads)
	defer env.Close()
	*k = wanted
	if err := r.grade(cmd, x, env, n, k); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return k, files.WriteJSON(path, k)
}

// grade measures a network with each number of simulations.
func (r *trials) grade(cmd *cobra.Command, x *experiment, env *agents.Env, n *network, k *trial) (err error) {
	subject := &grade.Subject{Rules: n.rules, Seed: 1, Threads: *r.threads}
	if x.Exact != noMeasure {
		if subject, err = newSubject(cmd.Context(), env, false, *r.threads); err != nil {
			return err
		}
	}
	subject.From = n.start
	if x.Left > 0 {
		subject.Late = x.Left
	}
	first, err := loadNetwork(filepath.Join(r.out, trialName(x.Arms[0].Name, k.Run.Seed), weightsFile(k.Run.Iterations)))
	if err != nil {
		return err
	}
	for _, simulations := range x.Simulations {
		agent, err := zero.New(n.rules, n.Weights, simulations)
		if err != nil {
			return err
		}
		subject.Agent = agent
		m := &measures{expert: x.Exact != noMeasure, champion: x.Exact == "", states: x.States, games: x.Games, seed: 1, control: simulations > 0}
		found, err := m.of(cmd, subject, r.display)
		if err != nil {
			return err
		}
		if m.expert && found.Expert.Won == nil {
			return errors.New("none of the graded states is won; grade more of them")
		}
		if x.Games > 0 {
			rival, err := zero.New(n.rules, first.Weights, simulations)
			if err != nil {
				return err
			}
			for name, other := range map[string]*zero.Agent{itselfDrawing: agent, x.Arms[0].Name: rival} {
				match := arena.Match{
					Rules: n.rules, Start: subject.Start(), Games: x.Games, Turns: grade.MostTurns, Seed: 1, Threads: *r.threads,
					Agents: [2]player.Agent{agent.Drawing(drawnMoves), other.Drawing(drawnMoves)},
				}
				s, err := match.Play(cmd.Context(), nil)
				if err != nil {
					return err
				}
				found.Games = append(found.Games, gamesResult{Opponent: name, First: s.Began, Second: s.Replied})
			}
		}
		k.Grades = append(k.Grades, keptGrade{simulations, found})
	}
	return nil
}

const (
	// noMeasure is no grading by exact values.
	noMeasure = "none"
	// itselfDrawing is the opponent of a network that draws its first moves.
	itselfDrawing = "itself, drawing"
)

func trialName(arm string, seed uint64) string { return fmt.Sprintf("%s-%d", arm, seed) }

// table returns a row for each arm and number of simulations.
func (x *experiment) table(done [][]*trial) [][]string {
	if x.Exact == noMeasure {
		return x.games(done)
	}
	rows := [][]string{{"arm", "simulations", "seeds", "states", "keeps the win", "difference", "zeros", "random", "sign", "champions"}}
	for at, simulations := range x.Simulations {
		first := collect(done[0], at)
		for i, a := range x.Arms {
			c, difference := collect(done[i], at), "-"
			if i > 0 {
				var paired []float64
				for seed, keep := range c.keep {
					paired = append(paired, keep-first.keep[seed])
				}
				difference = interval95(paired)
			}
			g := done[i][0].Grades[at]
			zeros := g.Zeros()
			if control := g.Result.Control; control != nil && x.Exact == "" {
				if _, _, wrong := walked(control.Champion); wrong == 0 {
					zeros += " champion"
				}
			}
			won, champions := g.Result.Expert.Won, "-"
			if x.Exact == "" {
				champions = fmt.Sprintf("%d of %d", c.champions, len(c.keep))
			}
			rows = append(rows, []string{
				a.Name, fmt.Sprint(simulations), fmt.Sprint(len(c.keep)), fmt.Sprint(won.States), interval95(c.keep), difference,
				zeros, percent(&won.Random), interval95(c.sign), champions,
			})
		}
	}
	return rows
}

// games returns the percentages of games that are won.
func (x *experiment) games(done [][]*trial) [][]string {
	rows := [][]string{{"arm", "simulations", "seeds", "greedy: first", "second", "zeros against greedy: first", "second",
		x.Arms[0].Name + ": first", "second", "itself: first"}}
	share := func(won, all int) float64 { return 100 * float64(won) / float64(max(1, all)) }
	for at, simulations := range x.Simulations {
		for i, a := range x.Arms {
			won := make([][]float64, 7)
			for _, t := range done[i] {
				r := t.Grades[at].Result
				control := r.Control
				if control == nil {
					control = &result{}
				}
				greedy, zeros, first, self := r.games("greedy"), control.games("greedy"), r.games(x.Arms[0].Name), r.games(itselfDrawing)
				for j, t := range []arena.Tally{greedy.First, greedy.Second, zeros.First, zeros.Second, first.First, first.Second} {
					won[j] = append(won[j], share(t.Wins, t.Games()))
				}
				won[6] = append(won[6], share(self.First.Wins+self.Second.Losses, self.First.Games()+self.Second.Games()))
			}
			row := []string{a.Name, fmt.Sprint(simulations), fmt.Sprint(len(done[i]))}
			for _, values := range won {
				row = append(row, interval95(values))
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// collected are the grades of an arm over the seeds, in percent.
type collected struct {
	keep, sign []float64
	champions  int
}

func collect(seeds []*trial, at int) (c collected) {
	for _, t := range seeds {
		g := t.Grades[at]
		c.keep = append(c.keep, 100*g.Result.Expert.Won.Keep)
		if sign := g.Result.Expert.All.Sign; sign != nil {
			c.sign = append(c.sign, 100**sign)
		}
		if _, _, wrong := walked(g.Result.Champion); wrong == 0 {
			c.champions++
		}
	}
	return c
}

// interval95 returns the mean with the half width of its 95 % interval by Student's t.
func interval95(values []float64) string {
	if len(values) < 2 {
		return "-"
	}
	mean, half := meanAndHalf(values)
	return fmt.Sprintf("%.1f ± %.1f", mean, half)
}
