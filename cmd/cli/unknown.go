package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"backsolve/game/games"
	"backsolve/game/nearest"
)

// refuseUnknown has commands that only group others print their help and refuse unknown ones. The
// same goes for help.
func refuseUnknown(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		refuseUnknown(c)
	}
	if cmd.Name() == "help" {
		cmd.Run, cmd.RunE = nil, helpAbout
	}
	if cmd.Runnable() || !cmd.HasSubCommands() {
		return
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return unknownCommand(cmd, args[0])
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
}

// helpAbout prints the help of the command that args name.
func helpAbout(cmd *cobra.Command, args []string) error {
	about, rest, err := cmd.Root().Find(args)
	switch {
	case err != nil:
		return &UsageError{err}
	case len(rest) > 0 && about.HasAvailableSubCommands():
		return unknownCommand(about, rest[0])
	case len(rest) > 0 && about == cmd.Root():
		return Usagef("there is no help on %.40q", rest[0])
	}
	return about.Help()
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
	var names, all []string
	for _, c := range root.Commands() {
		all = append(all, c.Name()) // also games that help does not list
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	if meant := nearest.Name(name, all); meant != "" {
		return Usagef("there is no command %.40q; did you mean %s?", name, meant)
	}
	return Usagef("there is no command %.40q; the commands are %s", name, strings.Join(names, ", "))
}
