package cli

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// bashHelpers are functions that take the place of those of the package
// bash-completion where it is not installed. PROGRAM is the name of a program.
//
//go:embed completion.bash
var bashHelpers string

// cobraNeeds is what cobra says of its script for bash, and ours does not need.
const cobraNeeds = `This script depends on the 'bash-completion' package.
If it is not installed already, you can install it via your OS's package manager.
`

// completeInPlainBash makes the command "completion bash", where a command line has
// it, print a script that works without the package bash-completion, too. That of
// cobra complains at every press of the key there.
func completeInPlainBash(root *cobra.Command) {
	root.InitDefaultCompletionCmd(os.Args[1:]...)
	bash, _, err := root.Find([]string{"completion", "bash"})
	if err != nil || bash.Name() != "bash" {
		return
	}
	bash.Long = strings.Replace(bash.Long, cobraNeeds, "The script needs no other package.\n", 1)
	bash.RunE = func(cmd *cobra.Command, _ []string) error {
		bare, err := cmd.Flags().GetBool("no-descriptions")
		if err != nil {
			return err
		}
		return writeBashCompletion(cmd.OutOrStdout(), root, !bare)
	}
}

// writeBashCompletion writes the script by which bash completes the command lines of
// a program.
func writeBashCompletion(w io.Writer, root *cobra.Command, descriptions bool) error {
	var script bytes.Buffer
	if err := root.GenBashCompletionV2(&script, descriptions); err != nil {
		return err
	}
	title, rest, _ := strings.Cut(script.String(), "\n")
	own := "__" + root.Name()
	rest = strings.NewReplacer("_get_comp_words_by_ref", own+"_words", "_filedir", own+"_filedir").Replace(rest)
	_, err := fmt.Fprintf(w, "%s\n%s%s", title, strings.ReplaceAll(bashHelpers, "PROGRAM", root.Name()), rest)
	return err
}
