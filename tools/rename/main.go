// Command rename gives the module another path, so that a fork of it can be imported
// from where it is kept: it rewrites the go.mod files, all imports, and the packages that
// build files, scripts and pages name.
package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
)

func main() {
	cli.Main(newCommand(), func(error) int { return cli.StatusFailed })
}

const long = `Gives the module another path: the one under which a fork of it is kept and can be
imported. Rewritten are the go.mod files, all imports, and the packages that the
Makefile, scripts and pages name. Renaming it back gives the same files again.

Commit before, and look at the changes with git diff.

Exit status: 0 renamed; 1 it failed, and files may have been rewritten in part; 2 the
command line cannot be understood.`

func newCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:     "rename MODULE",
		Short:   "Give the module another path",
		Long:    long,
		Example: "  rename example.org/me/backsolve\n  make rename MODULE=example.org/me/backsolve",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return cli.Usagef("give the new path of the module, as in: make rename MODULE=example.org/me/backsolve")
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := newRenaming(dir, args[0])
			if errors.Is(err, errPath) {
				return &cli.UsageError{Err: err}
			}
			if err != nil {
				return err
			}
			changed, err := r.run()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is now %s, in %d files; try it with: make build\n", r.old, r.new, changed)
			return err
		},
	}
	cmd.Flags().StringVar(&dir, "dir", ".", "`directory` of the module")
	return cmd
}
