package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/game/othello"
	"backsolve/internal/durable"
	"backsolve/internal/machine"
	"backsolve/internal/search"
)

// enough is the memory for known positions beyond which 6×6 takes no less time.
const enough = 2 << 30

// othelloCommand returns the command that solves a board of Othello from its start.
func othelloCommand() *cobra.Command {
	var o search.ProofOptions
	threads, memory := cli.ThreadsValue(), cli.BytesValue(0)
	var dir *string
	var display *progress.Display
	var format *cli.Format
	cmd := &cobra.Command{
		Use:     "othello SIZE",
		Short:   "Solve the start of othello by search, and keep the answer",
		GroupID: groupGames,
		Long: `Solve the start of Othello 4×4 or 6×6 by search: the score of the player who begins,
and a line of best play. No table is made, but the file othello-6x6.proof is kept.

To resume an interrupted search, run the same command again: a kill costs at most some
seconds and the position in work. If the file is finished, the command checks that the
score follows from its positions and that the line leads to the score.`,
		Example: `  tbsolve othello 4
  tbsolve othello 6 --guess -4 --threads 8`,
		Args: cli.Args(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := cli.ParseSize(args[0])
			if err != nil {
				return err
			}
			if n != 4 && n != 6 {
				return cli.Usagef("othello is solved from its start on boards of size 4 and 6; larger ones take too long")
			}
			if err := cli.LocalDir(*dir); err != nil {
				return err
			}
			if err := os.MkdirAll(*dir, 0o777); err != nil {
				return err
			}
			o.Threads, o.Bytes = threads.Count, int64(memory)
			if o.Bytes == 0 {
				o.Bytes = enough
				if standard := machine.StandardMemory(machine.AvailableMemory()); standard > 0 {
					o.Bytes = min(standard, enough)
				}
			}
			board := filepath.Join(*dir, fmt.Sprintf("othello-%dx%d", n, n))
			o.Path = board + ".proof"
			lock, err := durable.Lock(board)
			if err != nil {
				return err
			}
			defer lock.Unlock()
			p := progress.New("proof", fmt.Sprintf("othello %d×%d", n, n))
			o.Progress = func(question string, done float64) { p.Stage(question, "percent", 100*done, 100) }
			stop := display.Show(cmd, p)
			proof, err := search.ProveOthello(cmd.Context(), othello.New(n), o)
			stop()
			if err != nil {
				return err
			}
			return cli.Print(cmd, format, proof, func(w io.Writer, p *search.Proof) error {
				_, err := fmt.Fprintf(w, "score      %+d for the player who begins\nline       %s\npositions  %s, by %s nodes in %.0f s\nfile       %s\n",
					p.Score, strings.Join(p.Line, " "), humanize.Comma(int64(p.Positions)), humanize.Comma(int64(p.Nodes)), p.Seconds, o.Path)
				return err
			})
		},
	}
	f := cmd.Flags()
	dir = cli.DirFlag(f)
	f.IntVar(&o.Guess, "guess", 0, "`N` score of the first player to try first; a wrong one costs time only")
	f.Var(&threads, "threads", fmt.Sprintf("number of threads, 1 to %d", cli.MaxThreads))
	f.Var(&memory, "memory", "memory for known positions (default three quarters of what is available, at most 2GiB)")
	format = cli.FormatFlags(cmd, cli.Text, cli.JSON)
	display = progress.Flags(cmd)
	return cmd
}
