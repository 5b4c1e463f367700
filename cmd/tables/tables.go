// Package tables has the commands about tables, which several programs have.
package tables

import (
	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/solving"
	"backsolve/game"
	"backsolve/internal/probe/survey"
)

// Group is the group of the commands in help.
const Group = "tables"

// Root returns the command of a program that solves boards and lists these games, with the commands about tables.
func Root(name string, games ...game.Game) *cobra.Command {
	root := solving.Command(name, nil)
	root.AddGroup(&cobra.Group{ID: Group, Title: "Tables:"})
	root.AddCommand(infoCommand(), verifyCommand(), exportCommand(), mineCommand(), digestCommand(), rulesCommand(), listCommand(games), packCommand(), unpackCommand())
	return root
}

// Gone returns a removed command that names its replacement.
func Gone(name, instead string) *cobra.Command {
	return &cobra.Command{
		Use: name, Hidden: true, DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cli.Usagef("%s is gone; type: %s", cmd.CommandPath(), instead)
		},
	}
}

func tableArgument(cmd *cobra.Command, do func(cmd *cobra.Command, path string) error) {
	flags := cli.AddTableFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		path, err := flags.Path(cmd, args)
		if err != nil {
			return err
		}
		return do(cmd, path)
	}
}

func readArgument(cmd *cobra.Command, do func(cmd *cobra.Command, t survey.Table) error) *cli.TableFlags {
	flags := cli.AddTableFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		table, err := flags.Open(cmd, args)
		if err != nil {
			return err
		}
		defer table.Close()
		return do(cmd, table)
	}
	return flags
}
