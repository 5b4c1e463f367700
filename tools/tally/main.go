// Command tally says at the end of a run of tests what was not tested, and how many
// tests passed, failed and were skipped.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
)

func main() { cli.Main(newCommand(), func(error) int { return cli.StatusFailed }) }

const long = `Sums up the steps of a run of tests. Of each step there is one of two files in the
directory of logs: STEP.json, as go test -json writes it, or STEP.txt, one line that
says what was left out and why. It names what was left out, and the tests that were
skipped in every step that has them, by the reason that they give. The last line
counts the tests of all steps, and of a test that runs in two of them both.

With --skipped it prints arguments of go test instead, by which the tests run that
were skipped in every one of the steps, with all of their parts: all tests, where a
step was left out.

Exit status: 0 summed up; 1 a test failed, or there is no log of a step; 2 the
command line cannot be understood.`

func newCommand() *cobra.Command {
	var dir string
	var skipped bool
	cmd := &cobra.Command{
		Use:     "tally STEP...",
		Short:   "Say what a run of tests left out, and count its tests",
		Long:    long,
		Example: "  tally --dir bin/tests race page go\n  go test $(tally --skipped race)",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, steps []string) error {
			t, err := readAll(dir, steps)
			if err != nil {
				return err
			}
			if skipped {
				_, err := fmt.Fprintln(cmd.OutOrStdout(), t.again())
				return err
			}
			if err := t.write(cmd.OutOrStdout()); err != nil {
				return err
			}
			if t.count[failed] > 0 {
				return errors.New("tests failed; what they print stands further up")
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "dir", filepath.Join("bin", "tests"), "`directory` of the logs")
	cmd.Flags().BoolVar(&skipped, "skipped", false, "print arguments of go test for the tests that were skipped")
	return cmd
}

// readAll reads what there is of each step.
func readAll(dir string, steps []string) (*tally, error) {
	t := newTally()
	for _, step := range steps {
		note, err := os.ReadFile(filepath.Join(dir, step+".txt"))
		if err == nil {
			t.leftOut = append(t.leftOut, strings.TrimSpace(string(note)))
			continue
		}
		log, err := os.Open(filepath.Join(dir, step+".json"))
		if err != nil {
			return nil, fmt.Errorf("nothing says how the step %s went: %w; run make test", step, err)
		}
		err = t.read(log)
		log.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", log.Name(), err)
		}
	}
	return t, nil
}

// write prints the sum.
func (t *tally) write(out io.Writer) error {
	var b strings.Builder
	for _, what := range t.leftOut {
		fmt.Fprintf(&b, "left out: %s\n", what)
	}
	for _, s := range t.skips() {
		fmt.Fprintf(&b, "skipped, %s: %s\n", s.reason, strings.Join(s.tests, ", "))
	}
	fmt.Fprintf(&b, "tests: %d passed, %d failed, %d skipped\n", t.count[passed], t.count[failed], t.count[skipped])
	_, err := io.WriteString(out, b.String())
	return err
}
