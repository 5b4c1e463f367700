package cli

import (
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"backsolve/internal/probe"
	"backsolve/partition"
	"backsolve/tablebase"
	"backsolve/tablebase/remote"
)

// DirFlag adds --dir, the directory of the tables, and returns its value.
func DirFlag(flags *pflag.FlagSet) *string {
	dir := flags.String("dir", probe.DefaultDir(), "`DIR` directory of the tables (default $BACKSOLVE_TABLES, else ./tables)")
	flags.Lookup("dir").DefValue = "" // help is the same wherever it is printed
	return dir
}

// Dir returns the value of --dir.
func Dir(cmd *cobra.Command) string {
	dir, _ := cmd.Flags().GetString("dir") // the flag is there
	return dir
}

// LocalDir refuses a directory of tables on a web server. The error is a *UsageError.
func LocalDir(dir string) error {
	if remote.IsURL(dir) {
		return Usagef("%s is on a web server, which this command does not support; give a local directory with --dir", remote.Name(dir))
	}
	return nil
}

// AfterFlag adds --after, the moves after which a board's game goes on.
func AfterFlag(cmd *cobra.Command) *string {
	return cmd.Flags().String("after", "", "`MOVES` use the table of the game after these moves, for example c3 or a1,c3")
}

// TableFlags are the flags of a command about one table, which its argument names.
type TableFlags struct {
	after   *string
	nimbers *bool
	// Local has Open refuse the tables of boards on web servers.
	Local bool
}

// AddTableFlags makes a command one about a table, of a program that has --dir for all commands.
func AddTableFlags(cmd *cobra.Command) *TableFlags {
	nimbers := cmd.Flags().Bool("grundy", false, "use the table of the nimbers, made by --grundy")
	cmd.Args = BoardArgs(0, 0)
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		dir := Dir(cmd)
		return CompleteBoard(TableSizes(&dir))(cmd, args, word)
	}
	return &TableFlags{after: AfterFlag(cmd), nimbers: nimbers}
}

// Open opens the table, on this machine or on a web server. Errors are those of Path and OpenPath,
// or of probe.OpenAny.
func (f *TableFlags) Open(cmd *cobra.Command, args []string) (probe.AnyTable, error) {
	n, _, err := split(cmd, args)
	dir := Dir(cmd)
	if far := remote.IsURL(n.file) || n.file == "" && remote.IsURL(dir); err == nil && !*f.nimbers && (far || n.file == "") {
		board, _, err := Board(cmd, args, *f.after)
		if err != nil {
			return nil, err
		}
		if board.IsSparse() || far && !f.Local {
			return board.OpenAny(cmd.Context(), dir)
		}
	}
	path, err := f.Path(cmd, args)
	if err != nil {
		return nil, err
	}
	return probe.OpenAny(cmd.Context(), path)
}

// Path returns the path of the table, on this machine: the packed one of a board if there
// is no other. If there is none, the error is a *probe.MissingError.
func (f *TableFlags) Path(cmd *cobra.Command, args []string) (string, error) {
	n, _, err := split(cmd, args)
	if err != nil {
		return "", err
	}
	switch {
	case n.file == "":
	case *f.after != "":
		return "", errAfterFile
	case *f.nimbers:
		return "", Usagef("--grundy goes with a game and its size; leave it out for the file of a table")
	case remote.IsURL(n.file):
		return "", Usagef("%s is on a web server, which only tbsolve info and tbsolve export support; get it with tbsolve fetch, and give its path", remote.Name(n.file))
	default:
		return n.file, nil
	}
	board, err := ParseBoard(n.game, n.size, *f.after)
	if err != nil {
		return "", err
	}
	if err := board.Unsolvable(); err != nil {
		return "", &UsageError{err}
	}
	dir := Dir(cmd)
	if err := LocalDir(dir); err != nil {
		return "", err
	}
	name, missing := probe.FileNameAfter(board.Info(), board.Taken()), board.Missing
	if *f.nimbers {
		name, missing = probe.NimbersFileName(board.Info()), board.MissingNimbers
		switch {
		case *f.after != "":
			return "", Usagef("there are no nimbers of a game after given moves; leave --after out")
		case !partition.HasNimbers(board.Info().Name, board.Info().Size):
			return "", Usagef("%s has no tables with nimbers; leave --grundy out", board.Info().Name)
		}
	}
	path := filepath.Join(dir, name)
	for _, file := range []string{path, path + tablebase.PackedSuffix} {
		if isFile(file) {
			return file, nil
		}
	}
	return "", missing(dir)
}
