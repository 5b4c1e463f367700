package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// UnknownCommand returns the error of a name that no command below root has: it says which
// was probably meant, or else which there are.
func UnknownCommand(root *cobra.Command, name string) error {
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
