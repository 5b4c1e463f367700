package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Describe is the argument with which a program prints its Description as JSON, for man
// pages.
const Describe = "__describe"

// Description is the help of a command and of its subcommands.
type Description struct {
	Use, Short, Long, Example string
	Flags                     []FlagDescription
	Commands                  []Description
}

// FlagDescription is a flag; Value is empty if it takes none. All commands below have a global one.
type FlagDescription struct {
	Name, Shorthand, Value, Usage string
	Global                        bool
}

// describe returns the description of a command.
func describe(cmd *cobra.Command) Description {
	d := Description{Use: cmd.Use, Short: cmd.Short, Long: cmd.Long, Example: cmd.Example}
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			value, usage := FlagHelp(f)
			d.Flags = append(d.Flags, FlagDescription{f.Name, f.Shorthand, value, usage, cmd.PersistentFlags().Lookup(f.Name) != nil})
		}
	})
	for _, c := range cmd.Commands() {
		if isOwn(c) {
			d.Commands = append(d.Commands, describe(c))
		}
	}
	return d
}
