package cli

import (
	"fmt"
	"io"
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
	case len(rest) > 0 && about != cmd.Root() && about.HasAvailableSubCommands():
		return unknownCommand(about, rest[0])
	case len(rest) > 0 && about == cmd.Root():
		return helpOnGame(cmd, rest[0])
	}
	return about.Help()
}

// helpOnGame prints the rules of a game, and the sizes of its boards.
func helpOnGame(cmd *cobra.Command, name string) error {
	g, err := games.Lookup(name)
	if err != nil {
		return unknownCommand(cmd.Root(), name)
	}
	h := &layout{width: helpWidth(cmd.OutOrStdout())}
	h.text(g.Summary)
	if sizes := g.Sizes(); len(sizes) > 1 {
		h.text(fmt.Sprintf("\nSizes go from %d to %d: %[1]d is %[1]d×%[1]d%[3]v.", sizes[0], sizes[len(sizes)-1], g.Variants))
	}
	_, err = io.WriteString(cmd.OutOrStdout(), h.String())
	return err
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
	takesBoard := strings.Contains(root.Use, " ")
	if takesBoard {
		for _, g := range games.All() {
			all = append(all, g.Name)
		}
	}
	for _, c := range root.Commands() {
		all = append(all, c.Name()) // also those that help does not list
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	if meant := nearest.Name(name, all); meant != "" {
		return Usagef("there is no command %.40q; did you mean %s?", name, meant)
	}
	if takesBoard {
		return Usagef("there is no game %.40q and no such command; the commands are %s, and list has the games", name, strings.Join(names, ", "))
	}
	return Usagef("there is no command %.40q; the commands are %s", name, strings.Join(names, ", "))
}
