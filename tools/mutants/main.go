// Command mutants measures the tests: it changes the code in one place at a time and
// checks that a test fails. The README of tools says why gremlins does not do.
package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
)

func main() { cli.Main(newCommand(), func(error) int { return 1 }) }

const long = `Draws a sample of places in the code and changes one at a time: a comparison, an
operator, a constant, a condition, a statement left out, an error dropped. Then it runs
short tests, which should fail. The code itself is not touched: go test -overlay
substitutes the changed file.

The tests of a mutant are those of its own package, or those named with it, as in
bitslice=./bitslice,./retro. A package includes those below it. The default is the
packages that all results depend on. Every file has its share of the sample; the same
seed and code give the same mutants.

Each result is logged at once. Logged mutants are not tried again, so an interrupted run
resumes; to try some again, remove their lines. At the end a Markdown table of the whole
log is printed, with the survivors. A file lists the mutants without an observable
effect, each with the reason.

It takes hours; run it with nice.`

const examples = `  nice bin/mutants
  nice bin/mutants --number 40 server=./server/...
  bin/mutants --number 0`

// options are what the flags say.
type options struct {
	root, log, equivalents string
	seed                   uint64
	number, jobs           int
}

func newCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use: "mutants [PACKAGE[=TESTS,...]...]", Short: "Change the code at one place at a time and see whether a test fails",
		Long: long, Example: examples,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.root, "dir", ".", "`DIR` directory of the module")
	f.StringVar(&o.log, "log", "mutants.jsonl", "`FILE` file that says what became of each mutant")
	f.StringVar(&o.equivalents, "equivalents", "tools/mutants/equivalents.jsonl", "`FILE` file with the mutants that change nothing, and why; below --dir")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the sample")
	f.IntVar(&o.number, "number", 130, "number of mutants, 0 to print the table only")
	f.IntVar(&o.jobs, "jobs", 1, "number of mutants that are tried at once")
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
	logged, err := readLines[result](o.log)
	if err != nil {
		return err
	}
	drawn, err := sample(o.root, targets, o.seed, o.number)
	if err != nil {
		return err
	}
	r := &runner{options: *o, targets: targets, logged: logged, out: cmd.ErrOrStderr()}
	if err := r.run(cmd.Context(), drawn); err != nil {
		return err
	}
	_, err = fmt.Fprint(cmd.OutOrStdout(), report(r.logged, same))
	return err
}
