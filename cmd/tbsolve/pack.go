package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/internal/machine"
	"backsolve/tablebase"
	"backsolve/tablebase/reader"
	"backsolve/tablebase/writer"
)

// copyOptions are the flags of tbsolve pack and unpack.
type copyOptions struct {
	force    bool
	archive  bool
	progress *progress.Display
}

// copyTable is writer.Pack, Archive or Unpack.
type copyTable func(ctx context.Context, path string, overwrite bool, progress func(writer.CopyEvent)) (string, error)

func packCommand() *cobra.Command {
	o := &copyOptions{}
	cmd := &cobra.Command{
		Use:     "pack BOARD",
		Short:   "Compress a table",
		GroupID: groupTables,
		Long: `Write a compressed copy of a table beside it: quixo-4x4.tb.zst for quixo-4x4.tb.
All commands use the packed table if there is no other; lookups take longer. The
format is seekable zstd; any zstd unpacks a table without steps. The checksums of
the table are verified, and the copy is read back before it gets its name.

With --archive, leave out the steps of won states: lookups find them from the lost
states that moves lead to. Such a table is smaller, and takes more time to read. An
archive of a packed table replaces it; unpack restores all steps.

` + cli.TableHelp,
		Example: `  tbsolve pack quixo 4
  tbsolve pack quixo 4 --archive
  tbsolve pack tables/quixo-4x4.tb && rm tables/quixo-4x4.tb`,
	}
	tableArgument(cmd, func(cmd *cobra.Command, path string) error {
		if o.archive {
			return o.run(cmd, path, writer.Archive)
		}
		return o.run(cmd, path, writer.Pack)
	})
	o.addFlags(cmd)
	cmd.Flags().BoolVar(&o.archive, "archive", false, "leave out the steps of won states")
	return cmd
}

func unpackCommand() *cobra.Command {
	o := &copyOptions{}
	cmd := &cobra.Command{
		Use:     "unpack BOARD",
		Short:   "Restore a packed table",
		GroupID: groupTables,
		Long: `Restore a table from a packed one, bit for bit, beside it: quixo-4x4.tb for
quixo-4x4.tb.zst. The table is read back before it gets its name.

` + cli.TableHelp,
		Example: `  tbsolve unpack quixo 4
  tbsolve unpack tables/quixo-4x4.tb.zst`,
	}
	tableArgument(cmd, func(cmd *cobra.Command, path string) error {
		if packed := path + tablebase.PackedSuffix; machine.FileSize(packed) > 0 {
			path = packed // the table itself is there, too
		}
		if err := checkUnpacked(path); err != nil {
			return err
		}
		return o.run(cmd, path, writer.Unpack)
	})
	o.addFlags(cmd)
	return cmd
}

func (o *copyOptions) addFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.force, "force", false, "overwrite an existing file")
	o.progress = progress.Flags(cmd)
	cli.Advanced(cmd, "progress", "quiet")
}

// checkUnpacked refuses a table that will not fit the disk. What cannot be
// opened, Unpack refuses better.
func checkUnpacked(path string) error {
	t, err := reader.Open(path)
	if err != nil {
		return nil
	}
	defer t.Close()
	dir := filepath.Dir(path)
	if free := machine.FreeDisk(dir); free != machine.Unknown && t.Bytes() > free {
		return fmt.Errorf("%s unpacks to %s, but only %s are free in %s; free some space, or use the packed table as it is",
			path, cli.BytesText(t.Bytes()), cli.BytesText(free), dir)
	}
	return nil
}

func (o *copyOptions) run(cmd *cobra.Command, path string, do copyTable) error {
	p := progress.New("table", path)
	stop := o.progress.Show(cmd, p)
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
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s%s\n", to, cli.BytesText(made), share)
	return err
}
