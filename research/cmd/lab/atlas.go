package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/internal/machine"
	"backsolve/internal/probe"
	"backsolve/internal/probe/survey"
	"backsolve/internal/solve"
	"backsolve/research/internal/files"
)

// recordsName is the file of an atlas that has the records, one a line.
const recordsName = "results.jsonl"

func atlasCommand(shared *shared) *cobra.Command {
	s := &recorder{shared: shared}
	cmd := &cobra.Command{
		Use:   "atlas [FILE]",
		Short: "Solve lists of boards and write a page of all results",
		Long: `Solve the boards of a list that have no record yet, one after the other, and record the
results in results.jsonl. A line of the list has the arguments of tbsolve, # begins a
comment, and the list - is standard input. To resume, run the same command again. A
table that exists is recorded without its time. The tbsolve beside this program is used,
else the one on the path.

Without a list, write report.md, the page of all records: values of all boards,
sequences, and, where published.csv has them, the results of others.`,
		Example: `  lab atlas docs/reports/atlas/boards.txt --dir /data/tables
  echo quixo 4x5 --steps | lab atlas -
  lab atlas`,
		Args: cli.Args(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return s.run(cmd, args)
			}
			page, err := atlasPage(s.atlas)
			if err != nil {
				return err
			}
			return files.WriteBytes(filepath.Join(s.atlas, pageName), []byte(page))
		},
	}
	cmd.Flags().StringVarP(&s.atlas, "out", "o", filepath.Join("docs", "reports", "atlas"), "`DIR` directory of the atlas")
	return cmd
}

const pageName = "report.md"

func readList(stdin io.Reader, path string) (lines []string, err error) {
	text, err := os.ReadFile(path)
	if path == "-" {
		text, err = io.ReadAll(stdin)
	}
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.Join(strings.Fields(line), " "); line == "" {
			continue
		}
		if _, size := (&record{Solve: line}).board(); size == 0 {
			return nil, cli.Usagef("%s: %.60q is not a line of a list; give a game, a size and flags of tbsolve, as in quixo 4x5 --steps", path, line)
		}
		lines = append(lines, line)
	}
	return lines, err
}

type record struct {
	Solve  string   `json:"solve"` // arguments of tbsolve: notakto 4x5 --steps
	Start  string   `json:"start"` // the value of the start, whose are also:
	Steps  *int     `json:"steps,omitempty"`
	Nimber *int     `json:"nimber,omitempty"`
	Best   []string `json:"best,omitempty"` // first moves that win or else draw, or the word all
	Moves  int      `json:"first_moves,omitempty"`
	*survey.Counts
	Nimbers     []uint64        `json:"nimbers,omitempty"` // states by nimber from 0 on
	LongestWin  *survey.Longest `json:"longest_win,omitempty"`
	LongestLoss *survey.Longest `json:"longest_loss,omitempty"`
	Score       *int            `json:"score,omitempty"`    // by a search from the start
	Line        []string        `json:"line,omitempty"`     // by that search
	Bytes       int64           `json:"bytes,omitempty"`    // of the table
	Identity    string          `json:"identity,omitempty"` // of that table, or the SHA-256 of a result
	// Seconds by the clock, Processor seconds and Memory bytes are for the solve, or for its
	// last part if it was resumed. They are 0 if the table existed before.
	Seconds   float64 `json:"seconds,omitempty"`
	Processor float64 `json:"processor_seconds,omitempty"`
	Memory    int64   `json:"peak_memory_bytes,omitempty"`
	Resumed   bool    `json:"resumed,omitempty"`
	Version   string  `json:"version"`
	Machine   string  `json:"machine"`
}

// board returns the game and the size of a record, 0 if it has none.
func (r *record) board() (name string, size game.Size) {
	words := append(strings.Fields(r.Solve), "", "")
	size, _ = game.ParseSize(words[1])
	return words[0], size
}

// readRecords reads the records of an atlas, none where it has no file yet.
func readRecords(path string) ([]*record, error) {
	all, err := files.ReadLines[*record](path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return all, err
}

type recorder struct {
	*shared
	atlas            string // directory of the atlas
	stderr           io.Writer
	tbsolve, version string
}

func (s *recorder) run(cmd *cobra.Command, args []string) error {
	lines, err := readList(cmd.InOrStdin(), args[0])
	if err != nil {
		return err
	}
	if err := cli.LocalDir(*s.dir); err != nil {
		return err
	}
	own, err := os.Executable()
	if err != nil {
		return err
	}
	if s.tbsolve, err = exec.LookPath(filepath.Join(filepath.Dir(own), "tbsolve")); err != nil {
		if s.tbsolve, err = exec.LookPath("tbsolve"); err != nil {
			return fmt.Errorf("%w; build it with make build", err)
		}
	}
	s.stderr = cmd.ErrOrStderr()
	version, _, err := measured(cmd.Context(), s.stderr, s.tbsolve, "--version")
	if err != nil {
		return err
	}
	s.version = strings.TrimPrefix(strings.TrimSpace(string(version)), "tbsolve version ")
	if err := files.Writable(s.atlas); err != nil {
		return err
	}
	failed := 0
	for _, line := range lines {
		err := s.record(cmd.Context(), line)
		if cmd.Context().Err() != nil {
			return context.Cause(cmd.Context())
		}
		if err != nil {
			fmt.Fprintf(s.stderr, "error: %s: %v\n", line, err)
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d boards have no record", failed, len(lines))
	}
	return nil
}

// record solves the board of a line and records the result, unless there is a record.
func (s *recorder) record(ctx context.Context, line string) error {
	path := filepath.Join(s.atlas, recordsName)
	all, err := readRecords(path)
	if err != nil || slices.ContainsFunc(all, func(r *record) bool { return r.Solve == line }) {
		return err
	}
	printed, processor, err := measured(ctx, s.stderr, s.tbsolve, append(strings.Fields(line), "--dir", *s.dir, "--json")...)
	if err != nil {
		return err
	}
	here := machine.This()
	r := &record{Solve: line, Version: s.version, Machine: fmt.Sprintf("%s, %s", cmp.Or(here.Processor, here.Platform), cli.Plural(here.Cores, "core"))}
	if err := r.fill(ctx, printed); err != nil {
		return err
	}
	if r.Seconds > 0 {
		r.Processor = processor
	}
	if all, err = readRecords(path); err != nil { // maybe with others by now
		return err
	}
	all = append(slices.DeleteFunc(all, func(old *record) bool { return old.Solve == line }), r)
	slices.SortFunc(all, func(a, b *record) int {
		g, m := a.board()
		h, n := b.board()
		return cmp.Or(cmp.Compare(g, h), cmp.Compare(m.Cells(), n.Cells()), cmp.Compare(a.Solve, b.Solve))
	})
	return files.Write(path, func(w io.Writer) error { return files.WriteLines(w, all) })
}

// fill adds what tbsolve has printed as JSON and what is in the table.
func (r *record) fill(ctx context.Context, printed []byte) error {
	var s struct {
		Path    string   `json:"path"`   // of a table
		SHA256  string   `json:"sha256"` // of a result
		Score   *int     `json:"score"`  // of Othello
		Line    []string `json:"line"`
		Resumed int      `json:"resumed_classes"`
		Seconds float64  `json:"seconds"`
		Memory  int64    `json:"peak_memory_bytes"`
	}
	if err := json.Unmarshal(printed, &s); err != nil {
		return fmt.Errorf("tbsolve does not print JSON: %w", err)
	}
	r.Seconds, r.Memory, r.Resumed = s.Seconds, s.Memory, s.Resumed > 0
	switch {
	case s.Score != nil:
		r.Score, r.Line, r.Start = s.Score, s.Line, game.Compared(*s.Score, 0).String()
		return nil
	case s.SHA256 != "":
		return r.fillResult(printed)
	case s.Path == "":
		return errors.New("the board is not solved as a whole; leave --down-to-class and --plan out")
	}
	return r.fillTable(ctx, s.Path)
}

func (r *record) fillResult(printed []byte) error {
	var s solve.Result
	if err := json.Unmarshal(printed, &s); err != nil {
		return err
	}
	r.Counts, r.Identity = &survey.Counts{States: s.States, Wins: s.Wins, Losses: s.Losses}, s.SHA256
	for _, c := range s.Classes {
		r.TerminalWins += c.TerminalWins
	}
	r.fillStart(s.Start, s.Moves)
	return nil
}

func (r *record) fillTable(ctx context.Context, path string) error {
	t, err := probe.OpenFile(path)
	if err != nil {
		return err
	}
	defer t.Close()
	stats, err := survey.Summarize(ctx, t)
	if err != nil {
		return err
	}
	_, ranked, err := t.Rate(nil, t.Start(), nil)
	if err != nil {
		return err
	}
	r.Counts, r.LongestWin, r.LongestLoss = &stats.Total, stats.LongestWin, stats.LongestLoss
	r.Bytes, r.Identity = stats.Bytes, stats.Identity
	for _, n := range stats.Nimbers {
		r.Nimbers = append(r.Nimbers, n.States)
	}
	var moves []solve.ResultMove
	for _, m := range ranked {
		moves = append(moves, solve.ResultMove{Move: t.Rules().FormatMove(m.Move), Outcome: m.Outcome.String()})
	}
	r.fillStart(stats.Start, moves)
	return nil
}

func (r *record) fillStart(start survey.StartStats, moves []solve.ResultMove) {
	r.Start, r.Steps, r.Nimber, r.Moves = start.Outcome, start.Steps, start.Nimber, len(moves)
	for _, m := range moves {
		if m.Outcome == r.Start && r.Start != game.Lose.String() {
			r.Best = append(r.Best, m.Move)
		}
	}
	if n := len(r.Best); n > 1 && n == r.Moves {
		r.Best = []string{"all"}
	}
}

// measured runs a program to its end, or interrupts it when ctx ends. It returns what the program
// prints and its processor time in seconds, in hundredths.
func measured(ctx context.Context, stderr io.Writer, program string, args ...string) (printed []byte, seconds float64, err error) {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdout, cmd.Stderr = &out, stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if err := cmd.Run(); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", program, err)
	}
	seconds = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	return out.Bytes(), math.Round(100*seconds) / 100, nil
}
