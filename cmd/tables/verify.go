package tables

import (
	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/verifying"
	"backsolve/internal/probe/survey"
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
differences. A sample of an archive leaves out the counts of won states by steps.

To check a table from a stranger, run tbsolve check: verify with --sample 100 and
--blocks 10 unless you give others. With --blocks, the output has the probability of
missing a wrong block: one with a value that does not follow from its successors. A
table with steps that has a wrong value has at least one. Games defined by positions
have 128 of them in a block.

With --against, compare the outcomes of all states with those of another table of
the board instead, such as one solved without steps or for nimbers.

` + cli.TableHelp,
		Example: `  tbsolve verify quixo 4
  tbsolve verify notakto 6 --sample 1000000 --seed 7
  tbsolve check quixo 5
  tbsolve verify quixo 4 --against other/quixo-4x4.tb.zst`,
	}
	var o *verifying.Options
	flags := readArgument(cmd, unchecked, func(cmd *cobra.Command, t survey.Table) error { return o.Run(cmd, t) })
	flags.Local = true
	o = verifying.Flags(cmd)
	return cmd
}
