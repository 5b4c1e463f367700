// Command house keeps the picture of the code in docs/architecture.md true: it
// draws the rooms with the imports between them, and counts the calls inside each
// package that run against the order of its files.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
)

func main() { cli.Main(newCommand(), func(error) int { return 1 }) }

const long = `Draws the picture of the code in docs/architecture.md anew: its rooms, which are
the folders at the top, with their packages and the imports between them. An
import that runs up, against the order in which the rooms stand, is an error.

Exit status: 0 written, and no import runs up; 1 one does, or the code cannot be
read; 2 the command line cannot be understood.`

const callsLong = `Counts, for each package, the functions that a function of one file uses of another
file, and how many of these arrows run up, against the order of the files that has
the fewest of them. Tests are left out.

Exit status: 0 counted; 1 the code cannot be read; 2 the command line cannot be
understood.`

func newCommand() *cobra.Command {
	var dir, page string
	cmd := &cobra.Command{
		Use:   "house",
		Short: "Draw the rooms of the code and the imports between them",
		Long:  long,
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return redraw(dir, page) },
	}
	cmd.PersistentFlags().StringVar(&dir, "dir", ".", "`directory` of the module backsolve")
	cmd.Flags().StringVar(&page, "page", "docs/architecture.md", "`file` with the picture")
	cmd.AddCommand(&cobra.Command{
		Use:     "calls [PACKAGE...]",
		Short:   "Count the calls that run against the order of the files of a package",
		Long:    callsLong,
		Example: "  house calls ./retro/... ./probe/...\n  house calls --dir /tmp/before",
		RunE: func(cmd *cobra.Command, patterns []string) error {
			counts, err := countCalls(dir, patterns)
			if err != nil {
				return err
			}
			return writeCounts(cmd.OutOrStdout(), counts)
		},
	})
	return cmd
}

// redraw puts the picture into a page.
func redraw(dir, page string) error {
	h, err := load(dir)
	if err != nil {
		return err
	}
	old, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	text, err := h.insert(string(old))
	if err != nil {
		return fmt.Errorf("%s: %w", page, err)
	}
	if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
		return err
	}
	return errors.Join(h.faults()...)
}
