// Command bench measures the engine and the tables on this machine: whole solves next
// to the one-state-at-a-time solver, lookups, and the cold start of tbquery. Each solve
// runs in its own process, to measure its peak memory.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/internal/plan"
)

func main() { cli.Main(newCommand(), func(error) int { return cli.StatusFailed }) }

type options struct {
	boards       []string
	threads      cli.CountValue
	repeats      cli.CountValue
	fullBaseline bool
	against      string
}

const long = `Measures, in one run on this machine:

solves     states a second of whole solves, from starting the process to the
           finished file on the disk; peak memory, bytes of the file, the speed-up
           of the threads, and the ratio to the solver that takes one state at a
           time (retro/oracle), measured in the same run on the board named in the
           column "baseline"
lookups    random lookups a second on one core in a warm table of Quixo 4×4 with
           steps, and the allocations of each
cold start milliseconds that tbquery takes to answer one position, from the start
           of the process to its end

Each solve runs in a process of its own. With repeats, the boards take turns, so
that what disturbs the machine for a while does not hit one board alone. So does
the bench of another commit after --against, and the columns "clock" and
"processor" have the ratios to its times, below 1 where this one is faster.`

const examples = `  bench
  bench --boards notakto-6,quixo-4-steps --repeats 9
  bench --full-baseline
  bench --boards quixo-4x5-steps --against ../before/bin/bench
  bench --threads 1 --json | jq '.solves[].states_per_second'`

var standardBoards = []string{"notakto-5", "notakto-6", "quixo-4", "quixo-4-steps"}

func newCommand() *cobra.Command {
	o := options{threads: cli.CountValue{Count: runtime.NumCPU(), Max: cli.MaxThreads, Standard: "all cores"}, repeats: cli.NewCount(5, 1000)}
	cmd := &cobra.Command{
		Use:     "bench",
		Short:   "Measure solves, lookups and the start of tbquery on this machine",
		Long:    long,
		Example: examples,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return cli.Usagef("bench takes no argument %.40q; the boards are given as in --boards notakto-6,quixo-4-steps", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.boards, "boards", standardBoards, "`LIST` boards to solve, each a game and a size, with -steps for the steps to the end")
	f.Var(&o.threads, "threads", "number of threads that is compared with one thread")
	f.Var(&o.repeats, "repeats", "number of measurements of each solve")
	f.BoolVar(&o.fullBaseline, "full-baseline", false, "measure the one-state-at-a-time solver on the boards themselves where it can hold them; takes minutes")
	f.StringVar(&o.against, "against", "", "`FILE` bench of another commit, to solve in turns with it and print the ratios")
	cli.JSONFlag(f)
	cmd.AddCommand(taskCommand(), spanCommand())
	return cmd
}

func workDir() (string, error) {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return "", fmt.Errorf("no files can be written for the run: %w; choose another directory with $TMPDIR", err)
	}
	return dir, nil
}

func (o *options) run(cmd *cobra.Command) error {
	boards, err := o.check()
	if err != nil {
		return err
	}
	dir, err := workDir()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{
		boards: boards, dir: dir, threads: o.threads.Count, repeats: o.repeats.Count, oracleStates: quickOracle,
		lookups: lookupBoard, inTurn: lookupsInTurn, tbquery: findQuery(), against: o.against, progress: cmd.ErrOrStderr(),
	}
	if o.fullBaseline {
		b.oracleStates = fullOracle
	}
	r, err := b.run(cmd.Context())
	if err != nil {
		return err
	}
	return cli.Print(cmd, r, writeReport)
}

func (o *options) check() ([]board, error) {
	var boards []board
	for _, name := range o.boards {
		b, err := parseBoard(name)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(boards, func(other board) bool { return other.name == b.name }) {
			return nil, cli.Usagef("the board %s is given twice; give it once, and --repeats to measure it often", b.name)
		}
		if err := b.checkMemory(plan.Options{Threads: o.threads.Count}); err != nil {
			return nil, err
		}
		boards = append(boards, b)
	}
	if o.against != "" {
		program, err := exec.LookPath(o.against)
		if err != nil {
			return nil, cli.Usagef("--against %s: %v; give the bench of another commit, as make build makes it", o.against, err)
		}
		o.against = program
	}
	if len(boards) == 0 {
		return nil, cli.Usagef("no board is given; give some as in --boards notakto-6,quixo-4-steps")
	}
	return boards, nil
}
