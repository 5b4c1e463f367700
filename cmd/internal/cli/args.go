package cli

import (
	"os"
	"strconv"

	"github.com/spf13/pflag"
)

// DirFlag adds --dir, the directory of the tables, and returns its value:
// $BACKSOLVE_TABLES, or ./tables where that is not set.
func DirFlag(flags *pflag.FlagSet) *string {
	preset := os.Getenv("BACKSOLVE_TABLES")
	if preset == "" {
		preset = "tables"
	}
	dir := flags.StringP("dir", "d", preset, "`directory` of the tables (default $BACKSOLVE_TABLES, else ./tables)")
	flags.Lookup("dir").DefValue = "" // help is the same wherever it is printed
	return dir
}

// ParseSize reads the n of an n×n board. The error is a *UsageError.
func ParseSize(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, Usagef("%.40q is not the size of a board; give its number of rows, for example 4", text)
	}
	return n, nil
}
