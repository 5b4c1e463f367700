package main

import (
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/probe"
	"backsolve/probe/survey"
	"backsolve/tablebase"
	"backsolve/tablebase/reader"
)

// verify is the command line of tbsolve verify.
type verify struct {
	sample, threads cli.CountValue
	seed            uint64
	against         string
	progress        *progress.Display
}

// wrongError is what verify found wrong in a table that could be opened.
type wrongError struct{ cause error }

func (e *wrongError) Error() string { return e.cause.Error() }
func (e *wrongError) Unwrap() error { return e.cause }

func verifyCommand() *cobra.Command {
	v := &verify{
		sample:  cli.CountValue{Max: min(1<<40, math.MaxInt), Standard: "all states"},
		threads: cli.ThreadsValue(),
	}
	cmd := &cobra.Command{
		Use:     "verify BOARD",
		Short:   "Check a table",
		GroupID: groupTables,
		Long: `Check the checksums and counts of a table, and the value of every state or of a
random sample: outcome and steps, or nimber. Values are derived again from the rules
and the stored values of the successors, without the solver's arithmetic. Print the
first hundred differences.

With --against, compare the outcomes of all states with those of another table of
the board instead, such as one solved without steps or for nimbers.

` + cli.TableHelp,
		Example: `  tbsolve verify quixo 4
  tbsolve verify notakto 6 --sample 1000000 --seed 7
  tbsolve verify quixo 4 --against other/quixo-4x4.tb.zst`,
	}
	tableArgument(cmd, func(cmd *cobra.Command, path string) error {
		switch {
		case cmd.Flags().Changed("seed") && v.sample.Count == 0:
			return cli.Usagef("--seed chooses the states of a sample; give --sample, too, for example --sample 1000000")
		case v.against == "":
			return v.run(cmd, path)
		case v.sample.Count > 0:
			return cli.Usagef("--against compares all states; leave --sample out")
		}
		return v.compare(cmd, path)
	})
	f := cmd.Flags()
	f.Var(&v.sample, "sample", "check N random states")
	f.StringVar(&v.against, "against", "", "`FILE` only compare all outcomes with those of this table")
	f.Uint64Var(&v.seed, "seed", 1, "seed of the sample")
	f.Var(&v.threads, "threads", fmt.Sprintf("number of threads, 1 to %d", cli.MaxThreads))
	v.progress = progress.Flags(cmd)
	cli.Advanced(cmd, "seed", "threads", "progress", "quiet")
	return cmd
}

func (v *verify) run(cmd *cobra.Command, path string) error {
	table, err := probe.OpenFile(path)
	if err != nil {
		return err
	}
	defer table.Close()

	p := progress.New("table", path)
	stop := v.progress.Show(cmd, p)
	var differences []survey.Difference
	o := survey.VerifyOptions{Sample: uint64(v.sample.Count), Seed: v.seed, Threads: v.threads.Count}
	follow := func(e survey.VerifyProgress) {
		unit := "states"
		if e.Stage == survey.Checksums {
			unit = "bytes"
		}
		p.Stage(string(e.Stage), unit, float64(e.Done), float64(e.Total))
	}
	verified, err := survey.Verify(cmd.Context(), table, o, follow, func(d survey.Difference) {
		differences = append(differences, d)
	})
	stop()
	out := cmd.OutOrStdout()
	for _, d := range differences {
		if _, err := fmt.Fprintf(out, "%s: %s is stored, %s is right\n", d.Where, d.Stored, d.Derived); err != nil {
			return err
		}
	}
	for _, wrong := range []error{survey.ErrDiffers, tablebase.ErrDamaged, tablebase.ErrTruncated} {
		if errors.Is(err, wrong) {
			return &wrongError{err}
		}
	}
	if err != nil {
		return err
	}
	beyond := ""
	if verified.OutOfTable > 0 {
		beyond = fmt.Sprintf("; %s more lead beyond the table, which has the emptiest classes alone", cli.CountText(verified.OutOfTable))
	}
	_, err = fmt.Fprintf(out, "%s is right: its checksums and counts hold, and so do all %s states that were derived again%s\n",
		path, cli.CountText(verified.States), beyond)
	return err
}

// compare compares the outcomes of two tables.
func (v *verify) compare(cmd *cobra.Command, path string) error {
	var tables [2]*probe.Table
	for i, file := range []string{path, v.against} {
		table, err := probe.OpenFile(file)
		if err != nil {
			return err
		}
		defer table.Close()
		tables[i] = table
	}
	p := progress.New("table", path)
	stop := v.progress.Show(cmd, p)
	states, follow := uint64(0), p.Follow("states", "outcomes")
	differ, err := reader.CompareOutcomes(cmd.Context(), tables[0].Stored(), tables[1].Stored(), func(done, total uint64) {
		states = total
		follow(done, total)
	})
	stop()
	if errors.Is(err, tablebase.ErrDamaged) || errors.Is(err, tablebase.ErrTruncated) {
		return &wrongError{err}
	}
	if err != nil {
		return err
	}
	if differ > 0 {
		return &wrongError{fmt.Errorf("%s and %s differ in the outcome of %s of %s stored states; one is wrong: verify both without --against",
			path, v.against, cli.CountText(differ), cli.CountText(states))}
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s and %s have the same outcome in all %s stored states\n", path, v.against, cli.CountText(states))
	return err
}
