package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/cmd/tables"
	"backsolve/internal/durable"
	"backsolve/internal/machine"
	"backsolve/internal/probe"
	"backsolve/tablebase"
	"backsolve/tablebase/remote"
)

// sumsName is the file with the SHA-256 of the tables beside it, as sha256sum writes it.
const sumsName = "SHA256SUMS"

var tableName = regexp.MustCompile(`^[a-z0-9][a-z0-9,-]*\.tb(\.zst)?$`)

type fetch struct {
	after    *string
	identity string
	force    bool
}

func fetchCommand() *cobra.Command {
	f := &fetch{}
	cmd := &cobra.Command{
		Use:     "fetch URL [BOARD]",
		Short:   "Get a table from a web server",
		GroupID: tables.Group,
		Long: `Get a table into --dir: the one at an address, or that of a board in the folder at an
address, packed if there is one. Any web server that answers range requests will do.

A table gets its name when it is complete and right: its SHA-256 is the one in the
server's SHA256SUMS, and its identity that of the table on the server. Without
SHA256SUMS, the checksums inside the table are verified. After an error, run the
same command again to resume.

All this shows that the table is the published one. To check that its values are
right, use tbsolve check.`,
		Example: `  tbsolve fetch https://example.org/tables quixo 4
  tbsolve fetch https://example.org/tables/quixo-4x4.tb.zst`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && !remote.IsURL(args[0]) {
				return cli.Usagef("%.80q is not the address of a web server, such as https://example.org/tables", args[0])
			}
			if len(args) < 2 {
				return cli.Args(1)(cmd, args)
			}
			return cli.BoardArgs(0, 0)(cmd, args[1:])
		},
		RunE: f.run,
	}
	f.after = cli.AfterFlag(cmd)
	complete := cli.CompleteBoard(cli.SolvableSizes)
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(cmd, args[1:], word)
	}
	cmd.Flags().StringVar(&f.identity, "identity", "", "`TEXT` refuse a table with another identity, which tbsolve info shows")
	cmd.Flags().BoolVar(&f.force, "force", false, "overwrite an existing file")
	return cmd
}

// names returns the address of the folder of the table, and the names that it may have there.
func (f *fetch) names(cmd *cobra.Command, args []string) (folder string, names []string, err error) {
	u, err := url.Parse(args[0])
	if err != nil {
		return "", nil, cli.Usagef("%.80q is not an address", remote.Name(args[0]))
	}
	file := path.Base(u.Path)
	switch isTable := tableName.MatchString(file); {
	case len(args) > 1 && isTable:
		return "", nil, cli.Usagef("%s is the address of a table; leave out the board, or give the address of the folder", file)
	case len(args) > 1:
		board, _, err := cli.Board(cmd, args[1:], *f.after)
		if err == nil {
			err = board.Unsolvable()
		}
		if err != nil {
			return "", nil, cli.UsageUnlessTable(err)
		}
		name := probe.FileNameAfter(board.Info(), board.Taken())
		return args[0], []string{name + tablebase.PackedSuffix, name}, nil
	case !isTable:
		return "", nil, cli.Usagef("%s is not the address of a table; name a board of the folder, for example: tbsolve fetch %[1]s quixo 4", remote.Name(args[0]))
	case *f.after != "":
		return "", nil, cli.Usagef("--after goes with a board; leave it out for the address of a table")
	}
	u.Path, u.RawPath = path.Dir(u.Path), ""
	return u.String(), []string{file}, nil
}

func (f *fetch) run(cmd *cobra.Command, args []string) error {
	folder, names, err := f.names(cmd, args)
	if err != nil {
		return err
	}
	if err := cli.LocalDir(cli.Dir(cmd)); err != nil {
		return err
	}
	sums, err := readSums(cmd.Context(), folder)
	if err != nil {
		return err
	}
	var far probe.AnyTable
	var file, place, identity string
	for _, file = range names {
		place = remote.Join(folder, file)
		if far, identity, err = receive(cmd.Context(), place, file); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err != nil {
		return err
	}
	bytes := far.File().Packed()
	if bytes == 0 {
		bytes = far.File().Bytes()
	}
	far.Close()
	if f.identity != "" && !strings.EqualFold(f.identity, identity) {
		return fmt.Errorf("%s has the identity %s, not %s: it is another table, or was solved with other options", remote.Name(place), identity, f.identity)
	}
	sum, listed := sums[file]
	if sums != nil && !listed {
		return fmt.Errorf("%s does not list %s; ask who publishes it, or fetch a table that it lists", remote.Name(remote.Join(folder, sumsName)), file)
	}
	dir := cli.Dir(cmd)
	if err := durable.Mkdir(dir, 0o777); err != nil {
		return err
	}
	to := filepath.Join(dir, file)
	if _, err := os.Lstat(to); err == nil && !f.force {
		return &tablebase.Error{Path: to, Err: tablebase.ErrExists}
	}
	if need, free := bytes-machine.FileSize(to+remote.PartSuffix), machine.FreeDisk(dir); free != machine.Unknown && need > free {
		return &cli.RefusedError{Err: fmt.Errorf("%s needs %s more in %s, where %s are free; free some space, or choose another directory with --dir",
			file, cli.BytesText(need), dir, cli.BytesText(free))}
	}
	p, stop := progress.Begin(cmd, "table", file)
	err = (&remote.Fetch{Address: place, Path: to, Sum: sum, Progress: p.Event, Check: func(part string) error {
		return checkFetched(cmd.Context(), part, file, identity, listed, p.Event)
	}}).Run(cmd.Context())
	stop()
	if err != nil {
		return err
	}
	how := "its SHA-256 is that of " + sumsName
	if !listed {
		how = "the server has no " + sumsName + ", but the checksums in the table hold"
	}
	return cli.PrintLine(cmd, struct {
		File     string `json:"file"`
		Bytes    int64  `json:"bytes"`
		Identity string `json:"identity"`
		Summed   bool   `json:"summed"` // by SHA256SUMS
	}{to, bytes, identity, listed}, "%s: %s, identity %s; %s", to, cli.BytesText(bytes), identity, how)
}

// readSums returns the sums in the folder at an address, nil if there is no file of them.
func readSums(ctx context.Context, folder string) (map[string][]byte, error) {
	text, err := remote.ReadFile(ctx, remote.Join(folder, sumsName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	sums := map[string][]byte{}
	for line := range bytes.Lines(text) {
		digits, name, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		if sum, err := hex.DecodeString(digits); err == nil && len(sum) == 32 {
			sums[strings.TrimLeft(name, " *")] = sum
		}
	}
	return sums, nil
}

// receive opens the table at a path or address, which must be the one that file names, and returns its identity.
func receive(ctx context.Context, place, file string) (t probe.AnyTable, identity string, err error) {
	if t, err = probe.OpenAny(ctx, place); err != nil {
		return nil, "", err
	}
	if held := t.FileName(); held != strings.TrimSuffix(file, tablebase.PackedSuffix) {
		t.Close()
		return nil, "", &tablebase.Error{Path: remote.Name(place), Err: probe.ErrOtherBoard, Detail: "it holds " + held, Remedy: "ask who publishes it"}
	}
	id := t.File().Identity()
	return t, hex.EncodeToString(id[:]), nil
}

// checkFetched checks that a fetched file is the table of an identity that was opened, and unless the
// sum of the file was published, all its checksums.
func checkFetched(ctx context.Context, part, file, identity string, summed bool, progress func(tablebase.Event)) error {
	t, got, err := receive(ctx, part, file)
	if err != nil {
		return err
	}
	defer t.Close()
	switch {
	case got != identity:
		return &tablebase.Error{Path: part, Err: tablebase.ErrDamaged, Detail: "its identity is not that of the table on the server", Remedy: "fetch it again"}
	case summed:
		return nil
	}
	return t.File().Verify(ctx, runtime.GOMAXPROCS(0), progress)
}
