package anygame

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
	"time"

	"github.com/spf13/cobra"

	"backsolve"
	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/game"
	"backsolve/internal/durable"
	"backsolve/probe"
	"backsolve/retro/generic"
	"backsolve/tablebase/sparse"
)

// commands are the commands for some games.
type commands struct{ games []Game }

// command returns a command about one game.
func (c *commands) command(use, short string, extra int, run func(cmd *cobra.Command, g Game, args []string) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: cobra.RangeArgs(1, 1+extra),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, g := range c.games {
				if g.Info().Name == args[0] {
					return run(cmd, g, args[1:])
				}
			}
			return cli.Usagef("there is no game %s here; %s list shows those that are", args[0], cmd.Parent().CommandPath())
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			for _, g := range c.games {
				if len(args) == 0 {
					names = append(names, g.Info().Name)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// noTableError means that there is no table of a game.
type noTableError struct{ error }

// opened adds --dir to a command about a game's table.
func (c *commands) opened(use, short string, extra int, run func(cmd *cobra.Command, t *probe.Sparse, args []string) error) *cobra.Command {
	var dir *string
	cmd := c.command(use, short, extra, func(cmd *cobra.Command, g Game, args []string) error {
		t, err := open(cmd.Context(), *dir, g)
		if errors.Is(err, fs.ErrNotExist) {
			return &noTableError{fmt.Errorf("%w; make the table with: %s solve %s", err, cmd.Parent().CommandPath(), g.Info().Name)}
		}
		if err != nil {
			return err
		}
		defer t.Close()
		return run(cmd, t, args)
	})
	dir = cli.DirFlag(cmd.Flags())
	return cmd
}

func (c *commands) list() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the games and their start positions", Args: cli.Args(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, g := range c.games {
				fmt.Fprintf(cmd.OutOrStdout(), "%-24s %s\n", g.Info().Name, g.Example())
			}
			return nil
		},
	}
}

func (c *commands) check() *cobra.Command {
	var games int
	var seed uint64
	cmd := c.command("check GAME", "Check the rules of a game with random games", 0, func(cmd *cobra.Command, g Game, _ []string) error {
		if err := g.Check(games, seed); err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %d random games broke no rule of the contract\n", g.Info().Name, games)
		return nil
	})
	cmd.Flags().IntVar(&games, "games", 1000, "number of random games")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the games")
	return cmd
}

func (c *commands) solve() *cobra.Command {
	var o backsolve.GameOptions
	threads, memory := cli.ThreadsValue(), cli.BytesValue(0)
	var dir *string
	var display *progress.Display
	var asJSON bool
	cmd := c.command("solve GAME", "Solve a game and write its table, or resume an interrupted solve", 0, func(cmd *cobra.Command, g Game, _ []string) error {
		if err := cli.LocalDir(*dir); err != nil {
			return err
		}
		if err := os.MkdirAll(*dir, 0o777); err != nil {
			return err
		}
		began := time.Now()
		p := progress.New("table", g.Info().Name)
		o.Threads, o.Memory, o.Progress = threads.Count, int64(memory), follow(p)
		stop := display.Show(cmd, p)
		t, err := backsolve.SolveListed(cmd.Context(), *dir, g, o)
		stop()
		if err != nil {
			return err
		}
		defer t.Close()
		return c.summary(cmd, g, t, time.Since(began), asJSON)
	})
	dir = cli.DirFlag(cmd.Flags())
	display = progress.Flags(cmd)
	cmd.Flags().Var(&threads, "threads", fmt.Sprintf("number of threads, 1 to %d", cli.MaxThreads))
	cmd.Flags().Var(&memory, "memory", "memory limit, for example 8GiB; tiers with loops need 6 bytes a state")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}

// follow shows the progress of a solve: the states that are found, then those of them that
// have their values.
func follow(p *progress.Progress) func(generic.Progress) {
	phase := generic.Phase("")
	return func(now generic.Progress) {
		if now.Phase != phase {
			phase = now.Phase
			p.Begin("states", 0, float64(now.States))
		}
		p.Update(fmt.Sprintf("%s, tier %d of %d", now.Phase, now.Tier+1, now.Tiers), float64(now.Done))
	}
}

// result is what solve prints as JSON.
type result struct {
	Game     string  `json:"game"`
	States   int64   `json:"states"`
	Bytes    int64   `json:"bytes"`
	Outcome  string  `json:"outcome"`
	Steps    *int    `json:"steps"`
	Identity string  `json:"identity"`
	Seconds  float64 `json:"seconds"`
}

func (c *commands) summary(cmd *cobra.Command, g Game, t *probe.Sparse, took time.Duration, asJSON bool) error {
	a, err := t.Ask("startpos", probe.NoLine)
	if err != nil {
		return err
	}
	stored := t.Stored()
	if asJSON {
		r := result{g.Info().Name, stored.States(), stored.Bytes(), a.Outcome.String(), nil, fmt.Sprintf("%x", stored.Identity()), took.Seconds()}
		if a.Steps >= 0 {
			r.Steps = &a.Steps
		}
		return cli.WriteJSON(cmd.OutOrStdout(), r)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: the start is %s; %s, %s, in %s\n", g.Info().Name, a.Value,
		cli.CountOf(uint64(stored.States()), "state", "states"), cli.BytesText(stored.Bytes()), took.Round(time.Millisecond))
	return nil
}

func (c *commands) info() *cobra.Command {
	var tiers, bySteps bool
	cmd := c.opened("info GAME", "Show what a table contains", 0, func(cmd *cobra.Command, t *probe.Sparse, _ []string) error {
		w, stored := cmd.OutOrStdout(), t.Stored()
		h := stored.Header()
		fmt.Fprintf(w, "game      %s\nstates    %s\nbytes     %d\nidentity  %x\n", h.Game, cli.CountText(uint64(stored.States())), stored.Bytes(), stored.Identity())
		total := map[sparse.Value]int64{}
		longest, rows := sparse.Value{}, [][]string{{"tier", "states", "win", "draw", "lose"}}
		for i, tier := range h.Tiers {
			var by [3]int64
			for _, count := range tier.Values {
				by[count.Outcome] += count.States
				total[sparse.Value{Outcome: count.Outcome, Steps: count.Steps}] += count.States
				if count.Steps > longest.Steps {
					longest = sparse.Value{Outcome: count.Outcome, Steps: count.Steps}
				}
			}
			rows = append(rows, texts(int64(i), tier.States, by[game.Win], by[game.Draw], by[game.Lose]))
		}
		fmt.Fprintf(w, "longest   %s in %d\n", longest.Outcome, longest.Steps)
		if tiers {
			return cli.WriteGrid(w, 0, rows)
		}
		if bySteps {
			rows = [][]string{{"steps", "win", "lose"}}
			for steps := 0; steps <= longest.Steps; steps++ {
				rows = append(rows, texts(int64(steps), total[sparse.Value{Outcome: game.Win, Steps: steps}], total[sparse.Value{Outcome: game.Lose, Steps: steps}]))
			}
			return cli.WriteGrid(w, 0, rows)
		}
		return nil
	})
	cmd.Flags().BoolVar(&tiers, "tiers", false, "show the counts of each tier")
	cmd.Flags().BoolVar(&bySteps, "by-steps", false, "show the wins and losses by steps")
	cmd.MarkFlagsMutuallyExclusive("tiers", "by-steps")
	return cmd
}

func texts(numbers ...int64) (row []string) {
	for _, n := range numbers {
		row = append(row, strconv.FormatInt(n, 10))
	}
	return row
}

func (c *commands) query() *cobra.Command {
	var line, asJSON bool
	cmd := c.opened("query GAME [POSITION]", "Show the value of a position and of all its moves", math.MaxInt-1, func(cmd *cobra.Command, t *probe.Sparse, args []string) error {
		position, maxPlies := position(args), probe.NoLine
		if line {
			maxPlies = probe.WholeLine
		}
		a, err := t.Ask(position, maxPlies)
		if err != nil {
			return err
		}
		if asJSON {
			return cli.WriteJSON(cmd.OutOrStdout(), a)
		}
		diagram, err := t.Diagram(position)
		if err != nil {
			return err
		}
		return cli.WriteAnswer(cmd.OutOrStdout(), diagram, a.Game, a)
	})
	cmd.Flags().BoolVarP(&line, "line", "l", false, "add the main line, best play to the end")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// position returns the position of arguments, startpos where there are none.
func position(args []string) string {
	if len(args) == 0 {
		return "startpos"
	}
	return strings.Join(args, " ")
}

func (c *commands) verify() *cobra.Command {
	threads := cli.ThreadsValue()
	var display *progress.Display
	cmd := c.opened("verify GAME", "Compare every value of a table with the rules", 0, func(cmd *cobra.Command, t *probe.Sparse, _ []string) error {
		p := progress.New("verification", t.Stored().Header().Game)
		stop := display.Show(cmd, p)
		err := generic.Verify(cmd.Context(), t.Stored(), t.Numbers(), backsolve.GameOptions{Threads: threads.Count, Progress: follow(p)})
		stop()
		if err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: all %s are as the rules say\n", t.Stored().Header().Game, cli.CountOf(uint64(t.Stored().States()), "state", "states"))
		return nil
	})
	display = progress.Flags(cmd)
	cmd.Flags().Var(&threads, "threads", fmt.Sprintf("number of threads, 1 to %d", cli.MaxThreads))
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
					if err == nil {
						err = rows.Write([]string{strconv.Itoa(tier), t.Text(s.Key), s.Outcome.String(), strconv.Itoa(s.Steps)})
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
		return durable.Write(out, func(f *os.File) error {
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
