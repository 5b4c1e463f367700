package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/internal/player/zero"
	"backsolve/internal/probe"
	"backsolve/research/grade"
	"backsolve/research/internal/files"
)

// visiting holds the command line of learn visits.
type visiting struct {
	numbers   []int // of simulations
	positions int   // in which the network is misled
	states    int   // that are looked at, 0 for all that play can reach
	threads   *int
	dir       *string
	format    *cli.Format
}

// The bound of --positions, and its default.
const (
	maxMisled  = 1000
	usedMisled = 3
)

// usedVisits are the published numbers of simulations, but for the largest one.
var usedVisits = []int{64, 256, 1024, 65536}

func visitsCommand() *cobra.Command {
	v := &visiting{}
	cmd := &cobra.Command{
		Use:   "visits FILE",
		Short: "Show how search corrects a network that is confident and wrong",
		Long: `Find the positions in which a network is most confident of a move that gives away a win
or a draw. For these and the start of its training, print what the network predicts,
and the share of visits of the value-keeping moves after each number of simulations in
one tree, searched as in training. Positions proved by the search are marked.

A tree of a million simulations takes about half a gigabyte of memory.`,
		Example: `  learn visits nim-5/0040.weights
  learn visits nim-5/0040.weights --sims 64,4194304 --positions 1 --json`,
		Args: cli.Args(1),
		RunE: v.run,
	}
	f := cmd.Flags()
	f.IntSliceVar(&v.numbers, "sims", usedVisits, "`LIST` numbers of simulations")
	f.IntVar(&v.positions, "positions", usedMisled, "number of positions besides the start")
	f.IntVar(&v.states, "states", 0, "number of random states to search for them, 0 for all reachable ones")
	cli.NoCompletion(cmd, "sims", "positions", "states")
	v.threads = threadsFlag(cmd)
	v.dir = cli.DirFlag(f)
	v.format = cli.FormatFlags(cmd, cli.Text, cli.JSON)
	cli.Advanced(cmd, "threads")
	return cmd
}

func (v *visiting) run(cmd *cobra.Command, args []string) error {
	bounded := []number{{"positions", v.positions, 0, maxMisled}, {"states", v.states, 0, maxStates}}
	for _, n := range v.numbers {
		bounded = append(bounded, number{"sims", n, 1, zero.MaxSimulations})
	}
	if err := checkNumbers(bounded...); err != nil {
		return err
	}
	slices.Sort(v.numbers)
	v.numbers = slices.Compact(v.numbers)
	n, err := loadNetwork(args[0])
	if err != nil {
		return err
	}
	env := newEnv(n.rules, *v.dir, *v.threads)
	defer env.Close()
	s, err := newSubject(cmd.Context(), env, true, *v.threads)
	if err != nil {
		return err
	}
	s.From = n.start
	if s.Agent, err = zero.New(n.rules, n.Weights, 0); err != nil {
		return err
	}
	all, err := v.of(cmd.Context(), s)
	if err != nil {
		return err
	}
	if v.format.Word() == cli.JSON {
		return cli.WriteJSON(cmd.OutOrStdout(), all)
	}
	// Of one training as of all in a report.
	rows, err := files.Rows(templates, "misled", &report{Measured: []*kept{{Visits: all}}})
	if err != nil {
		return err
	}
	for i := range rows {
		rows[i] = rows[i][1:] // without its name
	}
	return cli.WriteGrid(cmd.OutOrStdout(), 0, rows)
}

// of reports on the start and on the positions in which the network is misled.
func (v *visiting) of(ctx context.Context, s *grade.Subject) (all []visited, err error) {
	start, err := s.Opinion(s.Start())
	if errors.Is(err, probe.ErrUnknown) {
		return nil, cli.Usagef("nobody knows here what the start of %s is worth, which visits are looked at from; name a network of another board", boardText(s))
	}
	if err != nil {
		return nil, err
	}
	misled, err := s.Misled(ctx, v.states, v.positions)
	if err != nil {
		return nil, err
	}
	for _, o := range append([]*grade.Opinion{start}, misled...) {
		snapshots, err := s.Follow(ctx, o, v.numbers)
		if err != nil {
			return nil, err
		}
		all = append(all, newVisited(s.Rules, o, snapshots))
	}
	return all, nil
}

// visited is the report on a position. Probabilities and shares are from 0 to 1.
type visited struct {
	Position string `json:"position"`
	Worth    string `json:"worth"`
	// Value is the network's, from −1 to 1; Favourite is its most probable move, which is
	// Right if it keeps the position's value.
	Value       float64          `json:"value"`
	Favourite   string           `json:"favourite"`
	Probability float64          `json:"probability"`
	Right       bool             `json:"right"`
	Keeping     []string         `json:"keeping"` // the moves that keep the value
	Prior       float64          `json:"prior"`   // their probability
	Visits      []grade.Snapshot `json:"visits"`
}

func newVisited(rules game.Rules, o *grade.Opinion, snapshots []grade.Snapshot) visited {
	v := visited{
		Position: rules.Format(o.State), Worth: o.Worth.String(), Value: float64(o.Value),
		Favourite: rules.FormatMove(o.Favourite.Move), Probability: float64(o.Favourite.Fraction), Right: o.Right,
		Keeping: []string{}, Prior: o.Kept(), Visits: snapshots,
	}
	for _, m := range o.Keeping {
		v.Keeping = append(v.Keeping, rules.FormatMove(m.Move))
	}
	return v
}

// after returns the share after a number of simulations in percent, with * if the value was
// proved.
func (v *visited) after(simulations int) string {
	i := slices.IndexFunc(v.Visits, func(s grade.Snapshot) bool { return s.Simulations == simulations })
	if i < 0 {
		return "-"
	}
	text := percent(&v.Visits[i].Kept)
	if v.Visits[i].Proved {
		text += "*"
	}
	return text
}

const mostKeeping = 4

// keeping names up to mostKeeping moves that keep the value.
func (v *visited) keeping() string {
	switch {
	case v.Worth == game.Lose.String():
		return "any, as it is lost"
	case len(v.Keeping) > mostKeeping:
		return fmt.Sprintf("%s and %d more", strings.Join(v.Keeping[:mostKeeping], ", "), len(v.Keeping)-mostKeeping)
	}
	return strings.Join(v.Keeping, ", ")
}

// Row returns the cells after the position.
func (v *visited) Row(numbers []int) []string {
	row := []string{noun(v.Worth), fmt.Sprintf("%.3f", v.Value), v.Favourite, percent(&v.Probability), v.keeping(), percent(&v.Prior)}
	for _, n := range numbers {
		row = append(row, v.after(n))
	}
	return row
}
