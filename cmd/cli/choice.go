package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Choice is a flag that takes one of a set of words. The first is the default.
type Choice struct {
	word  string
	words []string
}

// NewChoice returns a choice of words. With an empty first word there is no default.
func NewChoice(words ...string) *Choice {
	c := &Choice{word: words[0], words: words}
	if words[0] == "" {
		c.words = words[1:]
	}
	return c
}

// String returns the word.
func (c *Choice) String() string { return c.word }

// Type returns the word for values in help.
func (c *Choice) Type() string { return "WORD" }

// Set sets the word.
func (c *Choice) Set(text string) error {
	if !slices.Contains(c.words, text) {
		return fmt.Errorf("give one of %s", strings.Join(c.words, ", "))
	}
	c.word = text
	return nil
}

// Register adds the flag to a command, with the words as its completions.
func (c *Choice) Register(cmd *cobra.Command, name, usage string) {
	cmd.Flags().Var(c, name, usage)
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(c.words, cobra.ShellCompDirectiveNoFileComp)))
}

// NoCompletion says that nothing, and no file, completes the values of flags.
func NoCompletion(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		cobra.CheckErr(cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions))
	}
}

// The formats of output.
const (
	Text = "text"
	JSON = "json"
	CSV  = "csv"
)

// Format is the output format of a command: --format, where there is more than text, and
// --json for short.
type Format struct{ cmd *cobra.Command }

// FormatFlags adds -j, --json, and --format if there are other formats than text and JSON. The
// first format is the default.
func FormatFlags(cmd *cobra.Command, formats ...string) *Format {
	JSONFlag(cmd.Flags())
	return GlobalFormat(cmd, formats...)
}

// JSONFlag adds -j, --json.
func JSONFlag(flags *pflag.FlagSet) { flags.BoolP("json", "j", false, "print JSON") }

// GlobalFormat is FormatFlags for a command of a program in which all commands have --json.
func GlobalFormat(cmd *cobra.Command, formats ...string) *Format {
	if last := len(formats) - 1; last > 1 || formats[0] != Text {
		NewChoice(formats...).Register(cmd, "format", strings.Join(formats[:last], ", ")+" or "+formats[last])
	}
	return &Format{cmd}
}

// Word returns the format.
func (f *Format) Word() string {
	if WantsJSON(f.cmd) {
		return JSON
	}
	if word := f.cmd.Flags().Lookup("format"); word != nil {
		return word.Value.String()
	}
	return Text
}

// checkFormat refuses --json with another format.
func checkFormat(cmd *cobra.Command) error {
	word := cmd.Flags().Lookup("format")
	if WantsJSON(cmd) && word != nil && word.Changed && word.Value.String() != JSON {
		return Usagef("--json and --format ask for different formats; leave one of them out")
	}
	return nil
}

// WantsJSON reports whether --json is given.
func WantsJSON(cmd *cobra.Command) bool {
	f := cmd.Flags().Lookup("json")
	return f != nil && f.Value.String() == "true"
}

// Print prints a value as JSON with --json, else as text.
func Print[T any](cmd *cobra.Command, v T, text func(w io.Writer, v T) error) error {
	if WantsJSON(cmd) {
		return WriteJSON(cmd.OutOrStdout(), v)
	}
	return text(cmd.OutOrStdout(), v)
}

// PrintLine prints a value as JSON with --json, else a line of text.
func PrintLine(cmd *cobra.Command, v any, format string, args ...any) error {
	return Print(cmd, v, func(w io.Writer, _ any) error {
		_, err := fmt.Fprintf(w, format+"\n", args...)
		return err
	})
}
