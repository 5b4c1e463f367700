package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// advancedMark is the annotation of flags that few will want.
const advancedMark = "backsolve_advanced"

// Advanced marks flags of a command as those that few will want: its help, and that of
// its subcommands, lists them after the others. They must have been added before.
func Advanced(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		f := cmd.Flag(name)
		if f == nil {
			panic(fmt.Sprintf("%s has no flag --%s", cmd.Name(), name)) // it is written in the program
		}
		if f.Annotations == nil {
			f.Annotations = map[string][]string{}
		}
		f.Annotations[advancedMark] = []string{"true"}
	}
	cobra.AddTemplateFunc("everydayFlags", func(flags *pflag.FlagSet) string { return flagUsages(flags, false) })
	cobra.AddTemplateFunc("advancedFlags", func(flags *pflag.FlagSet) string { return flagUsages(flags, true) })
	cmd.SetUsageTemplate(strings.Replace(cmd.UsageTemplate(), allFlags, groupedFlags, 1))
}

// The part of cobra's template for the usage of a command that lists its flags, and
// what stands there in its place.
const (
	allFlags     = "{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}"
	groupedFlags = "{{everydayFlags .LocalFlags}}{{with advancedFlags .LocalFlags}}\n\nAdvanced flags:\n{{.}}{{end}}"
)

// flagUsages returns the lines of help for the flags that are advanced, or for the
// others.
func flagUsages(flags *pflag.FlagSet, advanced bool) string {
	group := pflag.NewFlagSet("", pflag.ContinueOnError)
	group.SortFlags = flags.SortFlags
	flags.VisitAll(func(f *pflag.Flag) {
		if _, marked := f.Annotations[advancedMark]; marked == advanced {
			group.AddFlag(f)
		}
	})
	return strings.TrimRight(group.FlagUsages(), "\n")
}
