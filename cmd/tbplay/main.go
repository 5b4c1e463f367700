// Command tbplay plays by a table, against people at the terminal and programs that speak UGI.
package main

import (
	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/playing"
	"backsolve/game/examples"
)

func main() { cli.Main(newCommand(), cli.TableStatus) }

func newCommand() *cobra.Command {
	cobra.CheckErr(examples.Add())
	return playing.Command()
}
