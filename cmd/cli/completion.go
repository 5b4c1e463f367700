package cli

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// bashHelpers replace functions of the package bash-completion if it is not installed.
// PROGRAM stands for the name of a program.
//
//go:embed completion.bash
var bashHelpers string

// cobraNeeds is a requirement of cobra's bash script that ours does not have.
const cobraNeeds = `This script depends on the 'bash-completion' package.
If it is not installed already, you can install it via your OS's package manager.
`

// completeInPlainBash makes "completion bash" print a script that needs no package; cobra's fails at every Tab without one.
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

// completeValues completes values of flags by directories, files or nothing, as their words in help say.
func completeValues(cmd *cobra.Command) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		complete := cobra.NoFileCompletions
		switch word, _ := flagHelp(f); word {
		case "FILE":
			return
		case "DIR":
			complete = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
		}
		cmd.RegisterFlagCompletionFunc(f.Name, complete) // it fails where there are some
	})
	for _, c := range cmd.Commands() {
		completeValues(c)
	}
}

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
