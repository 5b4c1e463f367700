package tables

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/internal/machine"
	"backsolve/internal/probe"
	"backsolve/internal/probe/survey"
	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

func packCommand() *cobra.Command {
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
		if err := checkPacking(cmd, path, archive); err != nil {
			return err
		}
		if archive {
			return copyTable(cmd, path, writer.Archive)
		}
		return copyTable(cmd, path, writer.Pack)
	})
	cmd.Flags().Bool("force", false, "overwrite an existing file")
	cmd.Flags().BoolVar(&archive, "archive", false, "leave out the steps of won states")
	return cmd
}

// checkPacking checks the keys of a table of single positions, which has no archive.
func checkPacking(cmd *cobra.Command, path string, archive bool) error {
	t, err := probe.OpenAny(cmd.Context(), path)
	if err != nil {
		return err
	}
	defer t.Close()
	single, ok := t.(*probe.Sparse)
	if !ok {
		return nil // its checksums suffice
	}
	if archive {
		return cli.Usagef("%s is a table of single positions, which has no archive; leave --archive out", path)
	}
	var differences []survey.Difference
	err = survey.Check(cmd.Context(), single, func(d survey.Difference) { differences = append(differences, d) })
	return report(cmd.OutOrStdout(), differences, err)
}

func unpackCommand() *cobra.Command {
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
		if packed := path + tablebase.PackedSuffix; machine.FileSize(packed) > 0 { // the table itself may be there, too
			path = packed
		}
		if err := checkSpace(path); err != nil {
			return err
		}
		return copyTable(cmd, path, writer.Unpack)
	})
	cmd.Flags().Bool("force", false, "overwrite an existing file")
	return cmd
}

// checkSpace refuses a table that unpacks to more than is free. What cannot be opened, Unpack refuses better.
func checkSpace(path string) error {
	t, err := writer.Open(path)
	if err != nil {
		return nil
	}
	defer t.Close()
	dir := filepath.Dir(path)
	if free := machine.FreeDisk(dir); free != machine.Unknown && t.Bytes() > free {
		return &cli.RefusedError{Err: fmt.Errorf("%s unpacks to %s, but only %s are free in %s; free some space, or use the packed table as it is",
			path, cli.BytesText(t.Bytes()), cli.BytesText(free), dir)}
	}
	return nil
}

func copyTable(cmd *cobra.Command, path string, do func(context.Context, string, bool, func(tablebase.Event)) (string, error)) error {
	p, stop := progress.Begin(cmd, "table", path)
	force, _ := cmd.Flags().GetBool("force") // the flag is there
	from := machine.FileSize(path)           // which an archive may replace
	to, err := do(cmd.Context(), path, force, p.Event)
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
