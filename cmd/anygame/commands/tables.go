package commands

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/copying"
	"backsolve/cmd/querying"
	"backsolve/cmd/verifying"
	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/game/games"
	"backsolve/probe"
	"backsolve/probe/survey"
	"backsolve/tablebase/sparse"
	"backsolve/tablebase/writer"
)

// noTableError means that there is no table of a game.
type noTableError struct{ error }

// opened returns a command about a table, by its game or its file.
func (c *commands) opened(use, short string, extra int, run func(cmd *cobra.Command, t *probe.Sparse, args []string) error) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: args(extra), Example: c.example(use), ValidArgsFunction: c.complete}
	dir := cli.DirFlag(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		t, err := c.open(cmd, args[0], *dir)
		if err != nil {
			return err
		}
		defer t.Close()
		return run(cmd, t, args[1:])
	}
	return cmd
}

// open opens the table of a game in a directory, or a file.
func (c *commands) open(cmd *cobra.Command, word, dir string) (*probe.Sparse, error) {
	if cli.IsTableFile(word) {
		name, err := probe.SparseName(cmd.Context(), word)
		if err != nil {
			return nil, err
		}
		g, err := c.find(cmd, name)
		if err != nil {
			return nil, probe.NotBuiltIn(word, name)
		}
		return probe.OpenSparse(cmd.Context(), word, g)
	}
	g, err := c.find(cmd, word)
	if err != nil {
		return nil, err
	}
	t, err := probe.FindSparse(cmd.Context(), dir, g)
	if errors.Is(err, fs.ErrNotExist) {
		err = &noTableError{fmt.Errorf("there is no table of %s in %s; make it with: %s solve %s", word, dir, cmd.Parent().CommandPath(), word)}
	}
	return t, err
}

// summary says what was solved, and how.
func summary(cmd *cobra.Command, t *probe.Sparse, how string, asJSON bool) error {
	s, err := survey.OfSparse(t)
	if err != nil {
		return err
	}
	if asJSON {
		return cli.WriteJSON(cmd.OutOrStdout(), s)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: the start is %s; %s, %s, %s\n", s.Game, cli.ValueText(s.Start.Outcome, s.Start.Steps),
		cli.CountOf(s.Stored, "state", "states"), cli.BytesText(s.Bytes), how)
	return err
}

func (c *commands) info() *cobra.Command {
	i := cli.Info{Tiers: true}
	cmd := c.opened("info GAME", "Show what a table contains", 0, func(cmd *cobra.Command, t *probe.Sparse, _ []string) error {
		s, err := survey.OfSparse(t)
		if err != nil {
			return err
		}
		return i.Write(cmd.OutOrStdout(), t.Stored().Path(), s)
	})
	i.Format = cli.FormatFlags(cmd, cli.Text, cli.JSON, cli.CSV)
	cmd.Flags().BoolVar(&i.Classes, "tiers", false, "add outcomes by tier")
	cmd.Flags().BoolVar(&i.BySteps, "by-steps", false, "add outcomes by steps to the end")
	return cmd
}

func (c *commands) pack() *cobra.Command {
	var o copying.Options
	cmd := c.opened("pack GAME", "Compress a table", 0, func(cmd *cobra.Command, t *probe.Sparse, _ []string) error {
		var differences []survey.Difference
		err := survey.CheckSparse(cmd.Context(), t, func(d survey.Difference) { differences = append(differences, d) })
		if err := verifying.Report(cmd.OutOrStdout(), differences, err); err != nil {
			return err
		}
		return o.Run(cmd, t.Stored().Path(), writer.Pack)
	})
	o.AddFlags(cmd)
	return cmd
}

func (c *commands) unpack() *cobra.Command {
	var o copying.Options
	cmd := c.opened("unpack GAME", "Restore a packed table", 0, func(cmd *cobra.Command, t *probe.Sparse, _ []string) error {
		path := copying.PackedPath(t.Stored().Path())
		if err := copying.CheckSpace(path, t.Stored().Bytes()); err != nil {
			return err
		}
		return o.Run(cmd, path, writer.Unpack)
	})
	o.AddFlags(cmd)
	return cmd
}

func (c *commands) query() *cobra.Command {
	cmd := querying.Command()
	cmd.Use, cmd.Example, cmd.ValidArgsFunction = "query GAME [POSITION]", c.example("query")+" startpos", c.complete
	cmd.Long = `Show the value of a position: the outcome for the player to move, the steps (plies)
to the end under best play, and all moves, best first. The position is a text of the
game, or startpos; moves may follow after the word moves.

Without a position, or with -, read positions from standard input, one a line, and answer
each with a line of JSON. --fields selects fields of the answer, as in tbquery.`
	cmd.Args = func(cmd *cobra.Command, given []string) error {
		err := errors.Join(args(math.MaxInt-1)(cmd, given), c.register())
		if err != nil || cli.IsTableFile(given[0]) {
			return err
		}
		_, err = c.find(cmd, given[0])
		return err
	}
	for _, name := range []string{"after", "think", "memory", "scratch", "steps"} { // no such game has these
		cmd.Flags().Lookup(name).Hidden = true
	}
	return cmd
}

// register adds the games to the list of games if they are missing.
func (c *commands) register() error {
	for _, g := range c.games {
		if _, err := games.Lookup(g.Info().Name); err == nil {
			continue
		}
		if err := games.Add(custom.Entry(g)); err != nil {
			return err
		}
	}
	return nil
}

func (c *commands) verify() *cobra.Command {
	var o *verifying.Options
	cmd := c.opened("verify GAME", "Check a table", 0, func(cmd *cobra.Command, t *probe.Sparse, _ []string) error {
		verify := func(o survey.VerifyOptions, progress func(survey.VerifyProgress), report func(survey.Difference)) (survey.Verified, error) {
			return survey.VerifySparse(cmd.Context(), t, o, progress, report)
		}
		return o.Run(cmd, t.Stored().Path(), verify, func(file string, progress func(done, total uint64)) (uint64, error) {
			other, err := sparse.Open(file)
			if err != nil {
				return 0, err
			}
			defer other.Close()
			return sparse.CompareOutcomes(cmd.Context(), t.Stored(), other, progress)
		})
	})
	cmd.Long = `Check the checksums and counts of a table, and the value of every state or of a
random sample: outcome and steps. Values are derived again from the rules and the
stored values of the successors, without the solver. Print the first hundred
differences. A table of any size takes at most 400 MB of memory.

With --against, compare the outcomes of all states with those of another table of
the game instead.`
	o = verifying.Flags(cmd)
	return cmd
}

func (c *commands) export() *cobra.Command {
	var out string
	cmd := c.opened("export GAME", "Write all positions and their values as CSV", 0, func(cmd *cobra.Command, t *probe.Sparse, _ []string) error {
		write := func(w io.Writer) error {
			rows := csv.NewWriter(w)
			rows.Write([]string{"tier", "position", "outcome", "steps"})
			for tier := range t.Stored().Header().Tiers {
				for s, err := range t.Stored().Tier(tier) {
					var at game.State
					if err == nil {
						at, err = t.State(tier, s.Key)
					}
					if err == nil {
						steps := strings.TrimPrefix(strconv.Itoa(s.Steps), "-1") // which means none
						err = rows.Write([]string{strconv.Itoa(tier), t.Rules.Format(at), s.Outcome.String(), steps})
					}
					if err != nil {
						return err
					}
				}
			}
			rows.Flush()
			return rows.Error()
		}
		if out == "" {
			return write(cmd.OutOrStdout())
		}
		return cli.WriteFile(out, func(f *os.File) error {
			w := bufio.NewWriter(f)
			if err := write(w); err != nil {
				return err
			}
			return w.Flush()
		})
	})
	cmd.Flags().StringVarP(&out, "out", "o", "", "`FILE` file to write instead of standard output")
	return cmd
}
