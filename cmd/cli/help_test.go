package cli

import (
	"bytes"
	"testing"

	"github.com/spf13/cobra"
)

// Help fits its width: paragraphs, columns, command lines with quotes, flags in two groups.
func TestHelp(t *testing.T) {
	nothing := func(*cobra.Command, []string) error { return nil }
	root := &cobra.Command{
		Use: "tool", RunE: nothing,
		Long:    "Work hard, and as long\nas it takes.\n\n  zeal  how hard it works, from the least\n        to the most\n  a-long-word-that-has-no-room  what follows it\n\nThe end.",
		Example: "  tool 'a quoted word' --zeal 7 --out there\n  tool",
	}
	root.Flags().Int("zeal", 1, "how hard it works")
	root.Flags().BoolP("arcane", "a", false, "work in strange ways")
	root.Flags().String("out", "", "`FILE` file to write")
	root.Flags().Bool("secret", false, "nobody sees this")
	root.Flags().MarkHidden("secret")
	Advanced(root, "arcane", "secret")
	addHelp(root)
	const want = `Work hard, and as long as it
takes.

  zeal  how hard it works,
        from the least to
        the most
  a-long-word-that-has-no-room
        what follows it

The end.

Usage:
  tool [flags]

Examples:
  tool 'a quoted word' \
    --zeal 7 --out there
  tool

Flags:
  -h, --help  print this
              help
      --out FILE
              file to write
      --zeal N
              how hard it
              works (default
              1)

Advanced flags:
  -a, --arcane
    work in strange ways

Exit statuses: tool help
exit-codes
`
	if got := Help(root, 28); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	root.AddCommand(&cobra.Command{Use: "sub N", Short: "Work below", RunE: nothing})
	const commands = `Work

Usage:
  tool COMMAND

Commands:
  sub  Work below

Flags:
  -h, --help  print this help

Help on a command: tool COMMAND --help
Exit statuses: tool help exit-codes
`
	root.ResetFlags()
	root.Long, root.Short, root.Example = "", "Work", ""
	if got := Help(root, 80); got != commands {
		t.Errorf("%s\nwant\n%s", got, commands)
	}
}

func TestHelpWidth(t *testing.T) {
	for columns, want := range map[string]int{"": 80, "many": 80, "-5": 80, "20": 60, "72": 72, "250": 100} {
		t.Setenv("COLUMNS", columns)
		if got := helpWidth(new(bytes.Buffer)); got != want {
			t.Errorf("COLUMNS=%s: %d, want %d", columns, got, want)
		}
	}
}
