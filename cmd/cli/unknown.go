package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"backsolve/game/games"
	"backsolve/game/nearest"
)

// refuseUnknown makes the help command, and commands that only group others, refuse unknown commands.
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

func unknownCommand(root *cobra.Command, name string) error {
	if _, _, board, err := games.Named(name); board && err != nil {
		return &UsageError{err}
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

func flagError(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return unknownFlag(cmd, unknown)
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		f := missing.GetFlag()
		word, usage := flagHelp(f)
		return fmt.Errorf("--%s needs a value: %s, %s", f.Name, word, usage)
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return invalidValue(invalid)
	}
	return err
}

func unknownFlag(cmd *cobra.Command, e *pflag.NotExistError) error {
	text, name := "--"+e.GetSpecifiedName(), e.GetSpecifiedName()
	if letters := e.GetSpecifiedShortnames(); letters != "" {
		// After one dash there are letters, or a name with a dash too few.
		text, name = "-"+letters, letters
	}
	if cmd.Root().Name() == "tbsolve" && slices.Contains([]string{"workers", "cluster", "store"}, name) {
		return fmt.Errorf("--%s is a flag of tbcluster, which solves with several processes: tbcluster solve", name)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Deprecated == "" {
			names = append(names, f.Name)
		}
	})
	if meant := nearest.Name(name, names); meant != "" && len(name) > 1 {
		return fmt.Errorf("unknown flag: %.60s; did you mean --%s?", text, meant)
	}
	return fmt.Errorf("unknown flag: %.60s", text)
}

// invalidValue replaces the messages of Go's library for an invalid value of a flag.
func invalidValue(e *pflag.InvalidValueError) error {
	f := e.GetFlag()
	reason := e.Unwrap().Error()
	var number *strconv.NumError
	switch {
	case errors.As(e, &number) && errors.Is(number.Err, strconv.ErrRange):
		reason = "the number is out of range; " + remedyOf(f)
	case errors.As(e, &number), f.Value.Type() == "duration":
		reason = remedyOf(f)
	}
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	return fmt.Errorf("invalid argument %.60q for %q flag: %s", e.GetValue(), name, reason)
}

func remedyOf(f *pflag.Flag) string {
	switch kind := f.Value.Type(); {
	case kind == "bool":
		return "give true or false, or the flag alone"
	case kind == "duration":
		return "give a time with its unit, for example 500ms, 90s or 2h30m"
	case strings.HasPrefix(kind, "uint"):
		return "give a whole number, 0 or more"
	case strings.HasPrefix(kind, "int"):
		return "give a whole number"
	}
	return "give a number, for example 0.5"
}
