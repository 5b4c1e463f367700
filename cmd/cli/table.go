package cli

import (
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"backsolve/internal/machine"
	"backsolve/internal/probe"
	"backsolve/internal/probe/endgame"
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
func Dir(cmd *cobra.Command) string { return cmd.Flag("dir").Value.String() }

// WithoutDir makes a command that reads no directory of tables refuse --dir and leave it out of its help.
func WithoutDir(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().Func("dir", "", func(string) error { return Usagef("%s takes none; leave it out", cmd.Name()) })
	cmd.Flags().Lookup("dir").Hidden = true
	return cmd
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
	// Local makes Open refuse tables on web servers.
	Local bool
}

// AddTableFlags gives a command the argument and the flags that name a table. Its program has --dir for all commands.
func AddTableFlags(cmd *cobra.Command) *TableFlags {
	nimbers := cmd.Flags().Bool("grundy", false, "use the table of the nimbers, made by --grundy")
	cmd.Args = BoardArgs(0, 0)
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		dir := Dir(cmd)
		return CompleteBoard(TableSizes(&dir))(cmd, args, word)
	}
	return &TableFlags{after: AfterFlag(cmd), nimbers: nimbers}
}

// Open opens the table, on this machine or on a web server. Errors come from Path or probe.OpenAny.
func (f *TableFlags) Open(cmd *cobra.Command, args []string) (probe.AnyTable, error) {
	n, _, err := split(cmd, args)
	dir := Dir(cmd)
	if far := remote.IsURL(n.file) || n.file == "" && remote.IsURL(dir); err == nil && !*f.nimbers && (far || n.file == "") {
		board, _, err := Board(cmd, args, *f.after)
		if err != nil {
			return nil, err
		}
		if board.Info().Variant == "" || far && !f.Local { // or a game by its positions
			return board.OpenAny(cmd.Context(), dir)
		}
	}
	path, err := f.Path(cmd, args)
	if err != nil {
		return nil, err
	}
	return probe.OpenAny(cmd.Context(), path)
}

// Path returns the path of the table on this machine, of the packed one if there is no other, or a *probe.MissingError.
func (f *TableFlags) Path(cmd *cobra.Command, args []string) (string, error) {
	n, _, err := split(cmd, args)
	if err != nil {
		return "", err
	}
	if remote.IsURL(n.file) {
		return "", Usagef("%s is on a web server, which only tbsolve info and tbsolve export support; get it with tbsolve fetch, and give its path", remote.Name(n.file))
	}
	if n.file != "" {
		return n.file, checkWithFile(cmd)
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

// SearchFlags are the limits for solving endgames that no table covers.
type SearchFlags struct {
	// Think is the time limit.
	Think   time.Duration
	memory  BytesValue
	scratch string
	steps   bool
}

// Register adds --think with a default, and those of --memory, --scratch and --steps that the caller names.
func (f *SearchFlags) Register(cmd *cobra.Command, think time.Duration, names ...string) {
	flags := cmd.Flags()
	flags.DurationVar(&f.Think, "think", think, "`DURATION` time for solving an endgame that no table covers, 0 for never")
	for _, name := range names {
		switch name {
		case "memory":
			flags.Var(&f.memory, name, "memory limit of solving an endgame, for example 8GiB (default half of what is available)")
		case "scratch":
			flags.StringVar(&f.scratch, name, "", "`DIR` directory for work files of endgames that exceed memory (default none)")
		case "steps":
			flags.BoolVar(&f.steps, name, false, "also find the steps to the end of endgames")
		}
	}
}

// OnDemand returns the solver of atOnce endgames at a time, each by a number of threads, 0 for all cores, or a *UsageError.
func (f *SearchFlags) OnDemand(atOnce, threads int) (s probe.OnDemand, err error) {
	switch {
	case f.Think < 0:
		return s, Usagef("--think must not be less than 0")
	case f.Think == 0:
		return s, nil
	}
	l := endgame.Limits{Timeout: f.Think, Memory: int64(f.memory), Concurrency: atOnce, Threads: threads}
	if available := machine.AvailableMemory(); f.memory == 0 && available > 0 {
		l.Memory = available / 2
	}
	if f.scratch != "" {
		if info, err := os.Stat(f.scratch); err != nil || !info.IsDir() {
			return s, Usagef("--scratch %s is not a directory; give an existing one", f.scratch)
		}
		l.Scratch, l.Disk = f.scratch, math.MaxInt64
		if free := machine.FreeDisk(f.scratch); free != machine.Unknown {
			l.Disk = max(0, free-spareDisk) / int64(max(atOnce, 1))
		}
	}
	return probe.OnDemand{Solver: endgame.New(l), Steps: f.steps}, nil
}

const spareDisk = 1 << 30 // bytes that work files leave free
