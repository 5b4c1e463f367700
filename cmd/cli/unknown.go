package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"backsolve/game/games"
)

// OnlyCommands makes a command print its help and refuse unknown subcommands.
func OnlyCommands(cmd *cobra.Command) {
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return unknownCommand(cmd, args[0])
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
}

// unknownCommand returns the error of an unknown command, with a suggestion or all commands.
func unknownCommand(root *cobra.Command, name string) error {
	if _, _, board, err := games.Named(name); board && err != nil {
		return &UsageError{err}
	}
	root.SuggestionsMinimumDistance = 2
	if meant := root.SuggestionsFor(name); len(meant) > 0 {
		return Usagef("there is no command %.40q; did you mean %s?", name, strings.Join(meant, " or "))
	}
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return Usagef("there is no command %.40q; the commands are %s", name, strings.Join(names, ", "))
}
