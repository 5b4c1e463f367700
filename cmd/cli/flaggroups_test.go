package cli

import (
	"bytes"
	"testing"

	"github.com/spf13/cobra"
)

// Help lists everyday flags first and advanced ones after them, of the command and of
// its subcommands.
func TestAdvanced(t *testing.T) {
	root := &cobra.Command{Use: "tool", Short: "Work", RunE: func(*cobra.Command, []string) error { return nil }}
	root.Flags().Int("zeal", 1, "how hard it works")
	root.Flags().Bool("arcane", false, "work in strange ways")
	root.Flags().Bool("secret", false, "nobody sees this")
	if err := root.Flags().MarkHidden("secret"); err != nil {
		t.Fatal(err)
	}
	Advanced(root, "arcane", "secret")
	sub := &cobra.Command{Use: "sub", Short: "Work below", RunE: root.RunE}
	sub.Flags().Bool("deep", false, "go deep")
	sub.Flags().Bool("plain", false, "go plainly")
	Advanced(sub, "deep")
	other := &cobra.Command{Use: "other", Short: "Work elsewhere", RunE: root.RunE}
	other.Flags().Bool("only", false, "there is no other")
	root.AddCommand(sub, other)
	root.CompletionOptions.DisableDefaultCmd = true
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--help"}, `Work

Usage:
  tool [flags]
  tool [command]

Available Commands:
  help        Help about any command
  other       Work elsewhere
  sub         Work below

Flags:
  -h, --help       help for tool
      --zeal int   how hard it works (default 1)

Advanced flags:
      --arcane   work in strange ways

Use "tool [command] --help" for more information about a command.
`},
		{[]string{"sub", "--help"}, `Work below

Usage:
  tool sub [flags]

Flags:
  -h, --help    help for sub
      --plain   go plainly

Advanced flags:
      --deep   go deep
`},
		{[]string{"other", "--help"}, `Work elsewhere

Usage:
  tool other [flags]

Flags:
  -h, --help   help for other
      --only   there is no other
`},
	} {
		var out bytes.Buffer
		root.SetOut(&out)
		root.SetArgs(c.args)
		if err := root.Execute(); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); c.want != got {
			t.Errorf("%v: got %+v\nwant %+v", c.args, got, c.want)
		}
	}
}

// A flag that is not there cannot be marked.
func TestAdvancedNeedsItsFlag(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a flag that is not there was marked")
		}
	}()
	Advanced(&cobra.Command{Use: "tool"}, "nothing")
}
