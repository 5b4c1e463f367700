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
)

// copyOptions are the flags of tbsolve pack and unpack.
type copyOptions struct {
	force    bool
	progress *progress.Display
}

// copyTable is tablebase.Pack or Unpack.
type copyTable func(ctx context.Context, path string, overwrite bool, progress func(tablebase.CopyEvent)) (string, error)

func packCommand() *cobra.Command {
	o := &copyOptions{}
	cmd := &cobra.Command{
		Use:     "pack GAME N | FILE",
		Short:   "Compress a table",
		GroupID: groupTables,
		Long: `Write a compressed copy of a table beside it: quixo-4x4.tb.zst of quixo-4x4.tb.
All commands answer from the copy as they do from the table, and take it where the
table itself is missing; a lookup takes longer. The copy is in the seekable zstd format,
and one without steps any zstd unpacks. The table's checksums are checked on the way,
and the copy is read back and checked before it gets its name.

` + statuses,
		Example: `  tbsolve pack quixo 4
  tbsolve pack tables/quixo-4x4.tb && rm tables/quixo-4x4.tb`,
	}
	tableArgument(cmd, func(cmd *cobra.Command, path string) error { return o.run(cmd, path, tablebase.Pack) })
	o.addFlags(cmd)
	return cmd
}

func unpackCommand() *cobra.Command {
	o := &copyOptions{}
	cmd := &cobra.Command{
		Use:     "unpack GAME N | FILE",
		Short:   "Restore a packed table",
		GroupID: groupTables,
		Long: `Write the table that a packed one was made of, bit for bit, beside it:
quixo-4x4.tb of quixo-4x4.tb.zst. It is read back and checked before it gets its
name.

` + statuses,
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
		return o.run(cmd, path, tablebase.Unpack)
	})
	o.addFlags(cmd)
	return cmd
}

func (o *copyOptions) addFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.force, "force", false, "overwrite a file that is there")
	o.progress = progress.Flags(cmd)
	cli.Advanced(cmd, "progress", "quiet")
}

// checkUnpacked refuses a table that will not fit the disk. What cannot be
// opened, Unpack refuses better.
func checkUnpacked(path string) error {
	t, err := tablebase.Open(path)
	if err != nil {
		return nil
	}
	defer t.Close()
	dir := filepath.Dir(path)
	if free := machine.FreeDisk(dir); free != machine.Unknown && t.Bytes() > free {
		return fmt.Errorf("%s unpacks to %s, but only %s are free in %s; make room there, or use it as it is: all commands answer from packed tables, too",
			path, cli.BytesText(t.Bytes()), cli.BytesText(free), dir)
	}
	return nil
}

func (o *copyOptions) run(cmd *cobra.Command, path string, do copyTable) error {
	p := progress.New("table", path)
	stop := o.progress.Show(cmd, p)
	to, err := do(cmd.Context(), path, o.force, followCopy(p))
	stop()
	if err != nil {
		return err
	}
	from, made := machine.FileSize(path), machine.FileSize(to)
	share := ""
	if made < from {
		share = fmt.Sprintf(", %.1f %% of the %s of %s", 100*float64(made)/float64(from), cli.BytesText(from), path)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s%s\n", to, cli.BytesText(made), share)
	return err
}

// followCopy tells the progress of packing or unpacking and of the check after
// it.
func followCopy(p *progress.Progress) func(tablebase.CopyEvent) {
	doing := ""
	return func(e tablebase.CopyEvent) {
		if e.Doing != doing {
			doing = e.Doing
			p.Begin("bytes", 0, float64(e.Total))
		}
		p.Tell(doing, float64(e.Done))
	}
}
