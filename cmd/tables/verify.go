package tables

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/internal/probe/survey"
	"backsolve/tablebase"
)

func verifyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "verify BOARD",
		Aliases: []string{"check"},
		Short:   "Check a table",
		GroupID: Group,
		Long: `Check the checksums and counts of a table, and the value of every state, of a random
sample or of whole random blocks: outcome and steps, or nimber. Values are derived
again from the rules and the stored values of the successors. Print the first hundred
differences. A sample of an archive leaves out the counts of won states by steps. A
game defined by positions is checked against its contract in each state, as by rules --all.

To check a table from a stranger, run tbsolve check: verify with --sample 100 and
--blocks 10 unless you give others. With --blocks, the output has the probability of
missing a wrong block: one with a value that does not follow from its successors. A
table with steps that has a wrong value has at least one. Games defined by positions
have 128 states in a block.

With --against, compare the outcomes of all states with those of another table of
the board instead, such as one solved without steps or for nimbers.

` + cli.TableHelp,
		Example: `  tbsolve verify quixo 4
  tbsolve verify notakto 6 --sample 1000000 --seed 7
  tbsolve check quixo 5
  tbsolve verify quixo 4 --against other/quixo-4x4.tb.zst`,
	}
	o := &verify{
		sample: cli.CountValue{Max: min(1<<40, math.MaxInt), Standard: "all states"}, blocks: cli.CountValue{Max: 1 << 30, Standard: "none"},
		threads: cli.ThreadsValue(),
	}
	f := cmd.Flags()
	f.Var(&o.sample, "sample", "check N random states")
	f.Var(&o.blocks, "blocks", "check all states of N random blocks")
	f.StringVar(&o.against, "against", "", "`FILE` only compare all outcomes with those of this table")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the sample")
	f.Var(&o.threads, "threads", fmt.Sprintf("number of threads, 1 to %d", cli.MaxThreads))
	cli.Advanced(cmd, "seed", "threads")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		switch {
		case cmd.CalledAs() == "check" && o.against == "" && o.sample.Count == 0 && o.blocks.Count == 0:
			o.sample.Count, o.blocks.Count = 100, 10
		case f.Changed("seed") && o.sample.Count == 0 && o.blocks.Count == 0:
			return cli.Usagef("--seed chooses the states of a sample; give --sample, too, for example --sample 1000000")
		case o.against != "" && (o.sample.Count > 0 || o.blocks.Count > 0):
			return cli.Usagef("--against compares all states; leave --sample and --blocks out")
		}
		return nil
	}
	readArgument(cmd, o.run).Local = true
	return cmd
}

type verify struct {
	sample, blocks, threads cli.CountValue
	seed                    uint64
	against                 string
}

type wrongError struct{ cause error }

func (e *wrongError) Error() string { return e.cause.Error() }
func (e *wrongError) Unwrap() error { return e.cause }

// ExitStatus is the status of a failed check, not of an unusable table.
func (e *wrongError) ExitStatus() int { return cli.StatusFailed }

func (o *verify) run(cmd *cobra.Command, t survey.Table) error {
	path := t.File().Path()
	if o.against != "" {
		return o.compare(cmd, t)
	}
	p, stop := progress.Begin(cmd, "table", path)
	differences := []survey.Difference{}
	how := survey.VerifyOptions{Sample: uint64(o.sample.Count), Blocks: uint64(o.blocks.Count), Seed: o.seed, Threads: o.threads.Count}
	verified, err := survey.Verify(cmd.Context(), t, how, p.Event, func(d survey.Difference) {
		differences = append(differences, d)
	})
	stop()
	if found := wrong(err); cli.WantsJSON(cmd) && (err == nil || errors.As(found, new(*wrongError))) {
		return errors.Join(cli.WriteJSON(cmd.OutOrStdout(), verification{path, err == nil, verified.States, verified.OutOfTable, verified.Blocks, verified.AllBlocks, differences}), found)
	}
	out := cmd.OutOrStdout()
	if err := report(out, differences, err); err != nil {
		return err
	}
	beyond := ""
	if verified.OutOfTable > 0 {
		beyond = fmt.Sprintf("; %s more lead beyond the table, which has the emptiest classes alone", cli.CountText(verified.OutOfTable))
	}
	counts := "checksums and counts"
	if verified.StoredOnly {
		counts = "checksums, and its counts but those of won states by steps, which an archive does not store,"
	}
	_, err = fmt.Fprintf(out, "%s is right: its %s hold, and so do all %s that were derived again%s\n",
		path, counts, cli.CountOf(verified.States, "state", "states"), beyond)
	if all := verified.AllBlocks; err == nil && all > 0 {
		percent := (all + 99) / 100
		_, err = fmt.Fprintf(out, "%s of %s were derived whole; a single wrong block would have been missed with probability %.6g, %s with %.2g\n",
			cli.CountText(verified.Blocks), cli.CountOf(all, "block", "blocks"), survey.Missed(all, verified.Blocks, 1),
			cli.CountOf(percent, "wrong one", "wrong ones"), survey.Missed(all, verified.Blocks, percent))
	}
	return err
}

type verification struct {
	File        string              `json:"file"`
	Right       bool                `json:"right"`
	States      uint64              `json:"states"` // that were derived again
	Beyond      uint64              `json:"states_beyond_table"`
	Blocks      uint64              `json:"blocks"` // that were derived whole, of all
	AllBlocks   uint64              `json:"all_blocks"`
	Differences []survey.Difference `json:"differences"` // the first hundred
}

func report(out io.Writer, differences []survey.Difference, err error) error {
	for _, d := range differences {
		if _, err := fmt.Fprintf(out, "%s: %s is stored, %s is right\n", d.Where, d.Stored, d.Derived); err != nil {
			return err
		}
	}
	return wrong(err)
}

func wrong(err error) error {
	for _, kind := range []error{survey.ErrDiffers, tablebase.ErrDamaged, tablebase.ErrTruncated} {
		if errors.Is(err, kind) {
			return &wrongError{err}
		}
	}
	return err
}

func (o *verify) compare(cmd *cobra.Command, t survey.Table) error {
	path := t.File().Path()
	p, stop := progress.Begin(cmd, "table", path)
	states := uint64(0)
	differ, err := survey.CompareOutcomes(cmd.Context(), t, o.against, func(e tablebase.Event) {
		states = e.Total
		p.Event(e)
	})
	stop()
	if err != nil {
		return wrong(err)
	}
	if differ > 0 {
		return &wrongError{fmt.Errorf("%s and %s differ in the outcome of %s of %s stored states; one is wrong: verify both without --against",
			path, o.against, cli.CountText(differ), cli.CountText(states))}
	}
	return cli.PrintLine(cmd, verification{File: path, Right: true, States: states, Differences: []survey.Difference{}},
		"%s and %s have the same outcome in all %s stored states", path, o.against, cli.CountText(states))
}
