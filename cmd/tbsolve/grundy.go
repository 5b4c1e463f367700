package main

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/partition"
	"backsolve/probe"
	"backsolve/tablebase"
)

// grundyFlag adds --grundy to a command about a table.
func grundyFlag(cmd *cobra.Command) *bool {
	return cmd.Flags().Bool("grundy", false, "use the table of the nimbers, made by --grundy")
}

// nimbersPath is cli.TablePath for the table with a board's nimbers.
func nimbersPath(dir, after string, args []string) (string, error) {
	switch {
	case len(args) == 1:
		return "", cli.Usagef("--grundy goes with a game and the size of its board; leave it out where a file is given")
	case after != "":
		return "", cli.Usagef("there are no nimbers of a game after given moves; leave --after out")
	}
	board, err := cli.ParseBoard(args[0], args[1], "")
	if err != nil {
		return "", err
	}
	if err := board.Unsolvable(); err != nil {
		return "", &cli.UsageError{Err: err}
	}
	if !partition.HasNimbers(board.Info().Name) {
		return "", cli.Usagef("%s has no tables with nimbers; leave --grundy out", board.Info().Name)
	}
	path := filepath.Join(dir, probe.NimbersFileName(board.Info()))
	for _, file := range []string{path, path + tablebase.PackedSuffix} {
		if _, err := os.Stat(file); err == nil {
			return file, nil
		}
	}
	return "", board.MissingNimbers(dir)
}
