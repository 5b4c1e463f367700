package main

import (
	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/verifying"
	"backsolve/probe"
	"backsolve/probe/survey"
	"backsolve/tablebase/reader"
)

func verifyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "verify BOARD",
		Aliases: []string{"check"},
		Short:   "Check a table",
		GroupID: groupTables,
		Long: `Check the checksums and counts of a table, and the value of every state, of a random
sample or of whole random blocks: outcome and steps, or nimber. Values are derived
again from the rules and the stored values of the successors. Print the first hundred
differences. A sample of an archive leaves out the counts of won states by steps.

To check a table from a stranger, run tbsolve check: verify with --sample 100 and
--blocks 10, unless you give others. With --blocks, the output has the probability of
missing a wrong block: one with a value that does not follow from its successors. A
table with steps that has a wrong value has at least one.

With --against, compare the outcomes of all states with those of another table of
the board instead, such as one solved without steps or for nimbers.

` + cli.TableHelp,
		Example: `  tbsolve verify quixo 4
  tbsolve verify notakto 6 --sample 1000000 --seed 7
  tbsolve check quixo 5
  tbsolve verify quixo 4 --against other/quixo-4x4.tb.zst`,
	}
	var o *verifying.Options
	tableArgument(cmd, func(cmd *cobra.Command, path string) error {
		table, err := probe.OpenFile(path)
		if err != nil {
			return err
		}
		defer table.Close()
		verify := func(o survey.VerifyOptions, progress func(survey.VerifyProgress), report func(survey.Difference)) (survey.Verified, error) {
			return survey.Verify(cmd.Context(), table, o, progress, report)
		}
		return o.Run(cmd, path, verify, func(file string, progress func(done, total uint64)) (uint64, error) {
			other, err := probe.OpenFile(file)
			if err != nil {
				return 0, err
			}
			defer other.Close()
			return reader.CompareOutcomes(cmd.Context(), table.Stored(), other.Stored(), progress)
		})
	})
	o = verifying.Flags(cmd)
	o.BlocksFlag(cmd)
	return cmd
}
