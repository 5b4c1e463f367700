package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/cmd/tables"
	"backsolve/internal/durable"
	"backsolve/internal/probe"
	"backsolve/internal/probe/survey"
	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

const (
	cardName   = "README.md"
	cardTitle  = "# Tables of solved games\n"
	sampleRows = 10_000
)

func publishCommand() *cobra.Command {
	var licence string
	cmd := &cobra.Command{
		Use:     "publish DIR",
		Short:   "Prepare a directory of tables for a web server",
		GroupID: tables.Group,
		Long: `Prepare a directory of tables for any web server, from which tbsolve fetch gets them:

  quixo-4x4.tb.zst       each table, packed; those that are not are packed now
  quixo-4x4.parquet      10,000 random states, as export writes them
  README.md              a card: rules, counts, identity, licence, and how to make,
                         get and check each table
  SHA256SUMS             the sums of these files, for fetch and sha256sum

The same tables give the same bytes. Unpacked tables stay, and may be removed.`,
		Example: `  tbsolve publish tables --licence CC0-1.0`,
		Args:    cli.Args(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error { return publish(cmd, args[0], licence) },
	}
	cmd.Flags().StringVar(&licence, "licence", "", "`TEXT` licence of the tables, for example CC0-1.0; required")
	return cmd
}

func publish(cmd *cobra.Command, dir, licence string) error {
	if licence == "" || strings.ContainsAny(licence, "\r\n") {
		return cli.Usagef("give the licence of the tables, for example --licence CC0-1.0")
	}
	if err := errors.Join(cli.LocalDir(dir), probe.CheckDir(dir)); err != nil {
		return err
	}
	card := filepath.Join(dir, cardName)
	if text, err := os.ReadFile(card); err == nil && !bytes.HasPrefix(text, []byte(cardTitle)) {
		return fmt.Errorf("%s was not written by tbsolve publish, which would replace it; move it to another directory", card)
	}
	packed, err := packAll(cmd, dir)
	if err != nil {
		return err
	}
	if len(packed) == 0 {
		return fmt.Errorf("there is no table in %s; give the directory that has them", dir)
	}
	var sections bytes.Buffer
	files := slices.Clone(packed)
	for _, file := range packed {
		sample, err := describeTable(cmd, &sections, filepath.Join(dir, file))
		if err != nil {
			return err
		}
		if sample != "" {
			files = append(files, sample)
		}
	}
	if err := durable.WriteFile(card, []byte(cardTitle+fmt.Sprintf(cardText, licence, cli.Release())+sections.String())); err != nil {
		return err
	}
	sums, err := sumAll(cmd, dir, append(files, cardName))
	if err == nil {
		err = durable.WriteFile(filepath.Join(dir, sumsName), []byte(sums))
	}
	if err != nil {
		return err
	}
	return cli.PrintLine(cmd, struct {
		Dir    string   `json:"dir"`
		Tables []string `json:"tables"`
	}{dir, packed}, "%s is ready: %s, %s and %s", dir, cli.CountOf(uint64(len(packed)), "table", "tables"), cardName, sumsName)
}

const cardText = `
Licence: %s. Published with backsolve %s.

Each table has the exact value of every state of its board. To get one and to check it, with the address of this folder:

    tbsolve fetch https://… quixo 4
    tbsolve check quixo 4

[SHA256SUMS](SHA256SUMS) has the sums of all files: ` + "`sha256sum -c SHA256SUMS`" + `. The identity of a table depends on its contents alone, packed or not.
Counts are of states of the whole game, symmetric ones included, for the player to move. Samples are random states of the
whole game, or of a table of single positions, drawn uniformly, with their right moves, in Parquet.
`

func packAll(cmd *cobra.Command, dir string) (packed []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), tablebase.PackedSuffix)
		if !tableName.MatchString(e.Name()) || slices.Contains(packed, name+tablebase.PackedSuffix) {
			continue
		}
		packed = append(packed, name+tablebase.PackedSuffix)
		if e.Name() != name {
			continue
		}
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path + tablebase.PackedSuffix); errors.Is(err, fs.ErrNotExist) {
			show, stop := progress.Begin(cmd, "table", path)
			_, err = writer.Pack(cmd.Context(), path, false, show.Event)
			if stop(); err != nil {
				return nil, err
			}
		}
		if err := sameTables(cmd, path, path+tablebase.PackedSuffix); err != nil {
			return nil, err
		}
	}
	return packed, nil
}

// sameTables refuses packed and plain files made by different solves.
func sameTables(cmd *cobra.Command, plain, packed string) error {
	name, ids := filepath.Base(plain), [2]string{}
	for i, place := range []string{plain, packed} {
		t, id, err := receive(cmd.Context(), place, name)
		if err != nil {
			return err
		}
		t.Close()
		ids[i] = id
	}
	if ids[0] != ids[1] {
		return fmt.Errorf("%s and %s are different tables; remove the wrong one, or %s", plain, packed, cli.PackCommand(plain))
	}
	return nil
}

// describeTable writes a table's section of the card and, unless it has nimbers, a sample beside it, whose name it returns.
func describeTable(cmd *cobra.Command, w io.Writer, path string) (sample string, err error) {
	file := filepath.Base(path)
	t, _, err := receive(cmd.Context(), path, file)
	if err != nil {
		return "", err
	}
	defer t.Close()
	stats, err := survey.Summarize(cmd.Context(), t)
	if err != nil {
		return "", err
	}
	title := t.Board()
	if board, ok := t.(*probe.Table); ok {
		title = board.Stored().Shape().String()
	}
	fmt.Fprintf(w, "\n## %s\n\n%s\n\n```\n", title, t.Info().Summary)
	if err := tables.WriteInfo(w, file, stats); err != nil {
		return "", err
	}
	fmt.Fprintf(w, "```\n\n`%s` makes the same table. File: [%s](%[2]s)", cli.SolveCommand(path), file)
	if stats.Nimbers == nil {
		sample = strings.TrimSuffix(file, probe.FileSuffix+tablebase.PackedSuffix) + ".parquet"
		fmt.Fprintf(w, "; sample: [%s](%[1]s)", sample)
		err = durable.Write(filepath.Join(filepath.Dir(path), sample), func(f *os.File) error { return tables.WriteSample(cmd.Context(), f, t, sampleRows, 1) })
	}
	fmt.Fprintln(w)
	return sample, err
}

func sumAll(cmd *cobra.Command, dir string, files []string) (sums string, err error) {
	show, stop := progress.Begin(cmd, "table", sumsName)
	defer stop()
	for _, name := range files {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			return "", err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return "", err
		}
		hash, done := sha256.New(), int64(0)
		for n := int64(0); err == nil; done += n {
			if n, err = io.CopyN(hash, f, 16<<20); cmd.Context().Err() != nil {
				return "", cmd.Context().Err()
			}
			show.Event(tablebase.Event{Stage: name, Unit: "bytes", Done: uint64(done + n), Total: uint64(info.Size())})
		}
		if !errors.Is(err, io.EOF) {
			return "", err
		}
		sums += fmt.Sprintf("%x  %s\n", hash.Sum(nil), name)
	}
	return sums, nil
}
