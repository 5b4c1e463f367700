// Command tbquery shows the value of a position, all moves from best to worst, and the main line.
package main

import (
	"os"
	"regexp"
	"slices"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/querying"
	"backsolve/game/examples"
)

func main() {
	cmd := newCommand()
	cmd.SetArgs(protectPositions(os.Args[1:]))
	cli.Main(cmd, cli.TableStatus)
}

// dashed matches positions of Dawson's chess that begin like a flag. No flag has these characters.
var dashed = regexp.MustCompile(`^-[-X.]*[X.][-X.]*$`)

func protectPositions(args []string) []string {
	args = slices.Clone(args)
	for i, a := range args {
		if dashed.MatchString(a) {
			args[i] = " " + a
		}
	}
	return args
}

func newCommand() *cobra.Command {
	cobra.CheckErr(examples.Add())
	return querying.Command()
}
