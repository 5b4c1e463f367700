package cli

import (
	"bytes"
	"testing"

	"github.com/spf13/cobra"
)

// What is wrong with a flag is said without words of the libraries, with what to
// write instead.
func TestFlagErrors(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--step"}, "unknown flag: --step; did you mean --steps?"},
		{[]string{"--seeed=7"}, "unknown flag: --seeed; did you mean --seed?"},
		{[]string{"-wait", "1s"}, "unknown flag: -wait; did you mean --wait?"},
		{[]string{"--hidden-thin"}, "unknown flag: --hidden-thin"},
		{[]string{"--zzz"}, "unknown flag: --zzz"},
		{[]string{"-z"}, "unknown flag: -z"},
		{[]string{"--seed"}, "--seed needs a value: N, seed of the games"},
		{[]string{"-o"}, "--out needs a value: DIR, directory of the results"},
		{[]string{"--seed", "x"}, `invalid argument "x" for "--seed" flag: give a whole number, 0 or more`},
		{[]string{"--seed=-1"}, `invalid argument "-1" for "--seed" flag: give a whole number, 0 or more`},
		{[]string{"--seed", "99999999999999999999"},
			`invalid argument "99999999999999999999" for "--seed" flag: the number is out of range; give a whole number, 0 or more`},
		{[]string{"--count", "1.5"}, `invalid argument "1.5" for "-n, --count" flag: give a whole number`},
		{[]string{"--share", "half"}, `invalid argument "half" for "--share" flag: give a number, for example 0.5`},
		{[]string{"--steps=maybe"}, `invalid argument "maybe" for "--steps" flag: give true or false, or the flag alone`},
		{[]string{"--wait", "5"}, `invalid argument "5" for "--wait" flag: give a time with its unit, for example 500ms, 90s or 2h30m`},
		{[]string{"--memory", "much"}, `invalid argument "much" for "--memory" flag: give at least 1MiB, for example 8GiB, 500MB or 8000000000`},
		{[]string{"--=3"}, "bad flag syntax: --=3"},
	} {
		root := &cobra.Command{Use: "tool"}
		work := &cobra.Command{Use: "work", RunE: func(*cobra.Command, []string) error { return nil }}
		f := work.Flags()
		f.Uint64("seed", 1, "seed of the games")
		f.IntP("count", "n", 1, "how many")
		f.Float64("share", 0, "how much")
		f.Bool("steps", false, "with steps")
		f.Duration("wait", 0, "how long")
		f.StringP("out", "o", "", "`DIR` directory of the results")
		f.Var(new(BytesValue), "memory", "how much memory")
		f.Bool("hidden-thing", false, "nobody sees this")
		if err := f.MarkHidden("hidden-thing"); err != nil {
			t.Fatal(err)
		}
		root.AddCommand(work)
		var stderr bytes.Buffer
		root.SetErr(&stderr)
		root.SetArgs(append([]string{"work"}, c.args...))
		status := run(root, func(error) int { return StatusFailed })
		want := "error: " + c.want + "\nRun 'tool work --help' for usage.\n"
		if status != StatusUsage || stderr.String() != want {
			t.Errorf("%q: status %d and %q, want %q", c.args, status, stderr.String(), want)
		}
	}
}
