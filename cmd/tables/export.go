package tables

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/game"
	"backsolve/internal/machine"
	"backsolve/internal/parquet"
	"backsolve/internal/probe/survey"
)

type export struct {
	survey.Selection
	outcome         *cli.Choice
	sample, threads cli.CountValue
	form            form
	out             string
	force           bool
}

func exportCommand() *cobra.Command {
	e := &export{
		outcome: cli.NewChoice("", game.Win.String(), game.Draw.String(), game.Lose.String()),
		sample:  cli.CountValue{Max: 1 << 30, Standard: "all states"},
		threads: cli.ThreadsValue(),
	}
	cmd := &cobra.Command{
		Use:     "export BOARD",
		Short:   "Write the states of a table as CSV, JSON or Parquet",
		GroupID: Group,
		Long: `Write the states of a table, one per row: all states, those of an outcome, number of
steps or class, or a random sample.

  position      the state as text, x to move
  outcome       win, draw or lose for the player to move
  steps         steps to the end; empty for draws and tables without steps
  nimber        with --grundy; empty if the game is over
  terminal      whether the game is over
  states        number of states that the row represents, as symmetric states are
                stored once; 1 with --images and --sample, and in games defined by positions
  right_moves   the moves that keep the outcome, best first
  strict_moves  those that also win soonest or lose latest

In CSV the moves are separated by spaces; in JSON, one object per line, they are lists.
The name of the output file determines its format: .csv, .csv.zst, .jsonl, .jsonl.zst
or .parquet, which is compressed with zstd. A sample is drawn uniformly, with
replacement, from the selected states of the whole game, and written in the order of
the table.

` + cli.TableHelp + cli.WebHelp,
		Example: `  tbsolve export quixo 3 > quixo-3x3.csv
  tbsolve export quixo 4 --outcome win --steps 21 --images
  tbsolve export quixo 4 --sample 100000 --out quixo-4x4.parquet
  tbsolve export notakto 5 --class 2 --json`,
	}
	readArgument(cmd, e.run)
	cmd.PreRunE = e.check
	cli.FormatFlag(cmd, cli.CSV, cli.JSON, parquetFormat)
	e.outcome.Register(cmd, "outcome", "only states with this outcome: win, draw or lose")
	f := cmd.Flags()
	f.Func("steps", "`N` only states N steps from the end", setNumber(&e.Steps))
	f.Func("class", "`N` only states with N marked cells", setNumber(&e.Class))
	f.Var(&e.sample, "sample", "draw N random states")
	f.Uint64Var(&e.Seed, "seed", 1, "seed of the sample")
	f.BoolVar(&e.AllImages, "images", false, "write a row for each symmetric image of a state")
	f.BoolVar(&e.Moves, "moves", true, "include the right moves; --moves=false is ten times as fast")
	f.StringVarP(&e.out, "out", "o", "", "`FILE` file to write instead of standard output")
	f.BoolVar(&e.force, "force", false, "overwrite an existing file")
	f.Var(&e.threads, "threads", fmt.Sprintf("number of threads, 1 to %d", cli.MaxThreads))
	cli.Advanced(cmd, "class", "seed", "threads")
	return cmd
}

func setNumber(to **int) func(text string) error {
	return func(text string) error {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return fmt.Errorf("give a whole number, 0 or more")
		}
		*to = &n
		return nil
	}
}

func (e *export) check(cmd *cobra.Command, _ []string) error {
	switch {
	case cmd.Flags().Changed("seed") && e.sample.Count == 0:
		return cli.Usagef("--seed chooses the states of a sample; give --sample, too, for example --sample 100000")
	case e.AllImages && e.sample.Count > 0:
		return cli.Usagef("a sample draws from all symmetric images; leave --images out")
	}
	return e.readForm(cmd)
}

func (e *export) run(cmd *cobra.Command, t survey.Table) error {
	if e.Steps != nil && !t.HasSteps() {
		return &cli.UsageError{Err: t.NoSteps()}
	}
	e.Sample, e.Threads = uint64(e.sample.Count), e.threads.Count
	for _, o := range []game.Outcome{game.Win, game.Draw, game.Lose} {
		if e.outcome.String() == o.String() {
			e.Outcome = &o
		}
	}
	if e.out == "" { // on a terminal the rows would mix with a progress
		_, err := e.form.write(cmd.Context(), cmd.OutOrStdout(), t, e.Selection)
		return err
	}
	if _, err := os.Stat(e.out); err == nil && !e.force {
		return fmt.Errorf("%s exists; give another name, or --force to overwrite it", e.out)
	}
	p, stop := progress.Begin(cmd, "table", t.Board())
	e.Progress = p.Event
	rows := uint64(0)
	err := cli.WriteFile(e.out, func(f *os.File) (err error) {
		rows, err = e.form.write(cmd.Context(), f, t, e.Selection)
		return err
	})
	stop()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, %s\n", e.out, cli.CountOf(rows, "row", "rows"), cli.BytesText(machine.FileSize(e.out)))
	return err
}

type form struct {
	format string // cli.CSV, cli.JSON or parquetFormat
	zstd   bool   // compressed
}

var forms = map[string]form{
	".csv": {format: cli.CSV}, ".jsonl": {format: cli.JSON}, ".csv.zst": {format: cli.CSV, zstd: true}, ".jsonl.zst": {format: cli.JSON, zstd: true},
	".parquet": {format: parquetFormat},
}

func (e *export) readForm(cmd *cobra.Command) error {
	if e.out == "" {
		e.form = form{format: cli.Format(cmd)}
		return nil
	}
	for suffix, f := range forms {
		if !strings.HasSuffix(e.out, suffix) {
			continue
		}
		if flags := cmd.Flags(); (flags.Changed("format") || flags.Changed("json")) && cli.Format(cmd) != f.format {
			return cli.Usagef("%s would be %s by its name, but --format asks for %s; leave --format out, or give another name", e.out, f.format, cli.Format(cmd))
		}
		e.form = f
		return nil
	}
	return cli.Usagef("the name %s does not say in which form to write; end it in .csv, .csv.zst, .jsonl, .jsonl.zst or .parquet", e.out)
}

func (f form) write(ctx context.Context, w io.Writer, t survey.Table, s survey.Selection) (rows uint64, err error) {
	if f.zstd {
		compressed, invalid := zstd.NewWriter(w)
		if invalid != nil {
			return 0, invalid
		}
		defer func() { err = errors.Join(err, compressed.Close()) }()
		w = compressed
	}
	out := bufio.NewWriterSize(w, 1<<16)
	rules, nimbers := survey.RulesOf(t)
	columns := columnsOf(rules, s.Moves, nimbers)
	records := cli.NewRecords(out, f.format, columns)
	write, end := records.Write, records.Flush
	if f.format == parquetFormat {
		if write, end, err = parquetWriter(out, columns); err != nil {
			return 0, err
		}
	}
	err = survey.Select(ctx, t, s, func(states []survey.Selected) error {
		rows += uint64(len(states))
		for i := range states {
			if err := write(&states[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return rows, err
	}
	return rows, errors.Join(end(), out.Flush())
}

// WriteSample writes random states of a table, drawn with a seed, as Parquet.
func WriteSample(ctx context.Context, w io.Writer, t survey.Table, states, seed uint64) error {
	_, err := forms[".parquet"].write(ctx, w, t, survey.Selection{Sample: states, Seed: seed, Moves: true})
	return err
}

type column = cli.Column[survey.Selected]

func columnsOf(rules game.Rules, moves, nimbers bool) []column {
	columns := []column{
		{Name: "position", Value: func(s *survey.Selected) any { return rules.Format(s.State) }},
		{Name: "outcome", Value: func(s *survey.Selected) any { return s.Outcome.String() }},
		{Name: "steps", Value: func(s *survey.Selected) any { return cli.Known(s.Steps, !nimbers && s.Steps >= 0) }},
	}
	if nimbers {
		columns = append(columns, column{Name: "nimber", Value: func(s *survey.Selected) any { return cli.Known(s.Steps, !s.Terminal) }, Optional: true})
	}
	columns = append(columns,
		column{Name: "terminal", Value: func(s *survey.Selected) any { return s.Terminal }},
		column{Name: "states", Value: func(s *survey.Selected) any { return int(s.Images) }})
	if !moves {
		return columns
	}
	optimal := func(s survey.Selected) (lenient, strict int) {
		if nimbers {
			s.Steps = -1 // as its moves have
		}
		return s.OptimalMoves()
	}
	texts := func(s *survey.Selected, n int) any {
		texts := make([]string, n)
		for i, m := range s.Moves[:n] {
			texts[i] = game.MoveText(rules, s.State, m.Move)
		}
		return texts
	}
	return append(columns,
		column{Name: "right_moves", Value: func(s *survey.Selected) any {
			lenient, _ := optimal(*s)
			return texts(s, lenient)
		}},
		column{Name: "strict_moves", Value: func(s *survey.Selected) any {
			_, strict := optimal(*s)
			return texts(s, strict)
		}})
}

const parquetFormat = "parquet"

func parquetWriter(w io.Writer, columns []column) (write func(*survey.Selected) error, end func() error, err error) {
	to := make([]*parquet.Column, len(columns))
	for i, c := range columns {
		switch c.Name {
		case "steps", "nimber":
			to[i] = parquet.Int(c.Name, true)
		case "states":
			to[i] = parquet.Int(c.Name, false)
		case "terminal":
			to[i] = parquet.Bool(c.Name)
		default:
			to[i] = parquet.Text(c.Name)
		}
	}
	out, err := parquet.NewWriter(w, to...)
	return func(s *survey.Selected) error {
		for i, c := range columns {
			switch v := c.Value(s).(type) {
			case nil:
				to[i].AddNull()
			case int:
				to[i].AddInt(int64(v))
			case bool:
				to[i].AddBool(v)
			default:
				to[i].AddText(cli.ColumnText(v))
			}
		}
		return out.EndRow()
	}, out.Close, err
}
