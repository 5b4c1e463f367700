package tables

import (
	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/copying"
	"backsolve/cmd/verifying"
	"backsolve/internal/probe"
	"backsolve/internal/probe/survey"
	"backsolve/tablebase/reader"
	"backsolve/tablebase/sparse"
	"backsolve/tablebase/writer"
)

func packCommand() *cobra.Command {
	var o copying.Options
	var archive bool
	cmd := &cobra.Command{
		Use:     "pack BOARD",
		Short:   "Compress a table",
		GroupID: Group,
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
		if t, err := sparseTable(cmd.Context(), path); err != nil || t != nil {
			return packSparse(cmd, t, err, &o)
		}
		if archive {
			return o.Run(cmd, path, writer.Archive)
		}
		return o.Run(cmd, path, writer.Pack)
	})
	o.AddFlags(cmd)
	cmd.Flags().BoolVar(&archive, "archive", false, "leave out the steps of won states")
	return cmd
}

// packSparse packs a table of single positions, whose keys it checks before.
func packSparse(cmd *cobra.Command, t *probe.Sparse, err error, o *copying.Options) error {
	if err != nil {
		return err
	}
	defer t.Close()
	if cmd.Flags().Changed("archive") {
		return cli.Usagef("%s is a table of single positions, which has no archive; leave --archive out", t.Stored().Path())
	}
	var differences []survey.Difference
	err = survey.Check(cmd.Context(), t, func(d survey.Difference) { differences = append(differences, d) })
	if err := verifying.Report(cmd.OutOrStdout(), differences, err); err != nil {
		return err
	}
	return o.Run(cmd, t.Stored().Path(), writer.Pack)
}

func unpackCommand() *cobra.Command {
	var o copying.Options
	cmd := &cobra.Command{
		Use:     "unpack BOARD",
		Short:   "Restore a packed table",
		GroupID: Group,
		Long: `Restore a table from a packed one, bit for bit, beside it: quixo-4x4.tb for
quixo-4x4.tb.zst. The table is read back before it gets its name.

` + cli.TableHelp,
		Example: `  tbsolve unpack quixo 4
  tbsolve unpack tables/quixo-4x4.tb.zst`,
	}
	tableArgument(cmd, func(cmd *cobra.Command, path string) error {
		path = copying.PackedPath(path) // the table itself may be there, too
		if err := checkUnpacked(path); err != nil {
			return err
		}
		return o.Run(cmd, path, writer.Unpack)
	})
	o.AddFlags(cmd)
	return cmd
}

// checkUnpacked refuses a table that will not fit the disk. What cannot be
// opened, Unpack refuses better.
func checkUnpacked(path string) error {
	var t interface {
		Bytes() int64
		Close() error
	}
	t, err := sparse.Open(path)
	if err != nil {
		t, err = reader.Open(path)
	}
	if err != nil {
		return nil
	}
	defer t.Close()
	return copying.CheckSpace(path, t.Bytes())
}
