package cli

import (
	"strconv"

	"github.com/spf13/pflag"

	"backsolve/probe"
)

// DirFlag adds --dir, the directory of the tables, and returns its value.
func DirFlag(flags *pflag.FlagSet) *string {
	dir := flags.String("dir", probe.DefaultDir(), "`directory` of the tables (default $BACKSOLVE_TABLES, else ./tables)")
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
