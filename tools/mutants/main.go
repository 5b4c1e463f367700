// Command mutants tells what the tests hold: it changes the code at one place at a
// time, and sees whether a test fails.
package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
)

func main() { cli.Main(newCommand(), func(error) int { return 1 }) }

const long = `Draws places of the code by chance, changes one at a time (a comparison, an
operator, a constant, a condition, a statement left out, an error dropped), and runs
the short tests of the packages that should find it. The code itself is not touched:
the changed file is laid over it.

A package is named with those whose tests are run, as in
bitslice=./bitslice,./retro; without them the ones that this command knows are
taken, and without any package all that it knows. The same seed and code give the
same mutants.

What became of each is written to the log at once, and what stands there is not
tried again, so a run that was stopped goes on where it was. At the end a table of
the whole log is printed in Markdown, with those that survived. Mutants that change
nothing which anybody could see are listed in a file with the reason.

It takes hours; run it with nice.

Exit status: 0 all mutants were tried, whatever became of them; 1 failed; 2 the
command line cannot be understood.`

const examples = `  nice bin/mutants
  nice bin/mutants --only game,bitslice
  nice bin/mutants --again
  nice bin/mutants --number 40 server=./server/...
  bin/mutants --number 0`

// options are what the flags say.
type options struct {
	root, log, equivalents string
	seed                   uint64
	number, jobs           int
	only                   []string
	again                  bool
}

func newCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:     "mutants [PACKAGE[=TESTS,...]...]",
		Short:   "Change the code at one place at a time and see whether a test fails",
		Long:    long,
		Example: examples,
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.root, "dir", ".", "`directory` of the module")
	f.StringVar(&o.log, "log", "mutants.jsonl", "`file` that says what became of each mutant")
	f.StringVar(&o.equivalents, "equivalents", "tools/mutants/equivalents.jsonl", "`file` with the mutants that change nothing, and why; below --dir")
	f.Uint64Var(&o.seed, "seed", 1, "`seed` of the drawing")
	f.IntVar(&o.number, "number", 130, "`number` of mutants, 0 to print the table only")
	f.StringSliceVar(&o.only, "only", nil, "try only those mutants of the sample that are in these `packages`")
	f.IntVar(&o.jobs, "jobs", 2, "`number` of mutants that are tried at once")
	f.BoolVar(&o.again, "again", false, "try those again that have survived")
	return cmd
}

func (o *options) run(cmd *cobra.Command, args []string) error {
	targets, err := parseTargets(args)
	if err != nil {
		return &cli.UsageError{Err: err}
	}
	if o.number < 0 || o.jobs < 1 {
		return cli.Usagef("--number must not be negative, and --jobs be 1 at least")
	}
	same, err := readEquivalents(o.root, o.equivalents)
	if err != nil {
		return err
	}
	log, err := openLog(o.log)
	if err != nil {
		return err
	}
	if o.again {
		log.forgetSurvivors()
	}
	drawn, err := sample(o.root, targets, o.seed, o.number)
	if err != nil {
		return err
	}
	if len(o.only) > 0 {
		drawn = slices.DeleteFunc(drawn, func(m mutant) bool { return !slices.Contains(o.only, m.Package) })
	}
	if err := boundMemory(); err != nil {
		return err
	}
	r := &runner{root: o.root, targets: targets, jobs: o.jobs, log: log, out: cmd.ErrOrStderr()}
	if err := r.run(cmd.Context(), drawn); err != nil {
		return err
	}
	_, err = fmt.Fprint(cmd.OutOrStdout(), report(log, same))
	return err
}
