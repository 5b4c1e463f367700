// Package copying packs and unpacks tables for commands.
package copying

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/internal/machine"
	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

// Options are the flags of a command that packs or unpacks a table.
type Options struct{ force bool }

// Copy is writer.Pack, Archive or Unpack.
type Copy func(ctx context.Context, path string, overwrite bool, progress func(writer.CopyEvent)) (string, error)

// AddFlags adds the flags to a command.
func (o *Options) AddFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.force, "force", false, "overwrite an existing file")
}

// Run copies the table at path, and says what was written.
func (o *Options) Run(cmd *cobra.Command, path string, do Copy) error {
	p := progress.New("table", path)
	stop := progress.Of(cmd).Show(cmd, p)
	from := machine.FileSize(path) // which an archive may replace
	to, err := do(cmd.Context(), path, o.force, func(e writer.CopyEvent) { p.Stage(e.Doing, "bytes", float64(e.Done), float64(e.Total)) })
	stop()
	if err != nil {
		return err
	}
	made := machine.FileSize(to)
	share := ""
	if made < from {
		share = fmt.Sprintf(", %.1f %% of the %s of %s", 100*float64(made)/float64(from), cli.BytesText(from), path)
	}
	return cli.PrintLine(cmd, struct {
		File  string `json:"file"`
		Bytes int64  `json:"bytes"`
		From  int64  `json:"from_bytes"`
	}{to, made, from}, "%s: %s%s", to, cli.BytesText(made), share)
}

// PackedPath returns the path of the packed table beside a table, or path where there is none.
func PackedPath(path string) string {
	if packed := path + tablebase.PackedSuffix; machine.FileSize(packed) > 0 {
		return packed
	}
	return path
}

// CheckSpace refuses a packed table that unpacks to more bytes than are free.
func CheckSpace(path string, bytes int64) error {
	dir := filepath.Dir(path)
	if free := machine.FreeDisk(dir); free != machine.Unknown && bytes > free {
		return fmt.Errorf("%s unpacks to %s, but only %s are free in %s; free some space, or use the packed table as it is",
			path, cli.BytesText(bytes), cli.BytesText(free), dir)
	}
	return nil
}
